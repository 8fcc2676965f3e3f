//! Why a verb ends without having decided anything.

use std::io;

use retrylab_scenario::ParseError;

use crate::exec::ExecError;
use crate::seed::SeedError;
use crate::setting::SettingError;
use crate::style::ERROR;
use crate::{
    CheckError, ConformError, CorpusError, DiffError, LintError, ProbeError, RunError, SubjectError, WatchError,
};

/// Wrong usage or an input that cannot be used: status 2. What is printed after `error: `.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The disk behind the output is full, for example. If its reader went away, the verb stops at once and nothing is
    /// said; the status is then that of [`Exit::Unread`](crate::Exit::Unread), if something was still to be decided.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// No seed.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// A search that cannot begin, or that cannot keep what it found.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// An input that holds no vectors.
    #[error(transparent)]
    Conform(#[from] ConformError),
    /// Policies that cannot be judged.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Policies that cannot be compared.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// A subject in another process that does not start.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// Files of which none can be linted.
    #[error(transparent)]
    Lint(#[from] LintError),
    /// A policy that is none.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// A script without an end.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// Scenarios of which none was played.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A source that cannot be watched.
    #[error(transparent)]
    Source(#[from] WatchError),
    /// A `--set` that the client does not understand.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A timeline file with mistakes. Its text has titles of its own.
    #[error(transparent)]
    Timeline(#[from] ParseError),
}

impl Refusal {
    /// What becomes of a verb that has only printed what was decided before: a reader that went away has seen enough.
    pub(crate) fn unless_unread(printed: io::Result<()>) -> Result<(), Self> {
        match printed.map_err(Self::Output) {
            Err(refusal) if refusal.is_unread() => Ok(()),
            other => other,
        }
    }

    /// Whether nobody reads the output any more, as after `retrylab … | head`.
    pub(crate) fn is_unread(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// As it is printed: under the title `error:`, unless it has titles of its own.
    pub(crate) fn print(&self, err: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Timeline(mistakes) => writeln!(err, "{mistakes}"),
            other => writeln!(err, "{ERROR}error:{ERROR:#} {other}"),
        }
    }
}
