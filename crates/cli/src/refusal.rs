//! Errors that end a verb without a result.

use std::io;

use retrylab_spec::ParseError;

use crate::exec::ExecError;
use crate::seed::SeedError;
use crate::setting::SettingError;
use crate::style::ERROR;
use crate::{
    CheckError, ConformError, CorpusError, DiffError, LintError, ProbeError, RunError, SubjectError, WatchError,
};

/// An error of usage or input: status 2. Its text follows `error: `.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The output cannot be written, for instance because the disk is full. If its reader closed it, the verb stops at
    /// once without a message; the status is then [`Exit::Unread`](crate::Exit::Unread), if there is no result yet.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// No seed.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// A search that cannot start, or cannot save its counterexample.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// An input without vectors.
    #[error(transparent)]
    Conform(#[from] ConformError),
    /// Policies to which no trial applies.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Policies that cannot be compared.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// A subject that does not start.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// Files without anything to lint.
    #[error(transparent)]
    Lint(#[from] LintError),
    /// An unknown policy.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// A script without an end.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// No scenario to play.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A source that cannot run.
    #[error(transparent)]
    Source(#[from] WatchError),
    /// A `--set` that the client does not have.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// An invalid timeline file. Its text has titles of its own.
    #[error(transparent)]
    Timeline(#[from] ParseError),
}

impl Refusal {
    /// The error of a write after the result is known: a closed output is then no error.
    pub(crate) fn unless_unread(printed: io::Result<()>) -> Result<(), Self> {
        match printed.map_err(Self::Output) {
            Err(refusal) if refusal.is_unread() => Ok(()),
            other => other,
        }
    }

    /// Whether the output was closed, as in `retrylab … | head`.
    pub(crate) fn is_unread(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The printed form: under the title `error:`, unless it has titles of its own.
    pub(crate) fn print(&self, err: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Timeline(mistakes) => writeln!(err, "{mistakes}"),
            other => writeln!(err, "{ERROR}error:{ERROR:#} {other}"),
        }
    }
}
