//! The files that were saved of a policy, replayed before its search.

use std::io::{self, Write};
use std::path::PathBuf;

use retrylab_laws::{Claim, Described, Law, Replay, Subject, SubjectError, expected_laws, replay};
use retrylab_search::{Store, StoreError, Stored};
use retrylab_sim::Trace;
use retrylab_spec::{Client, PolicySpec};

use super::{Check, CheckError, Checked};
use crate::Refusal;
use crate::count::counted;
use crate::remote::Remote;
use crate::shown;
use crate::style::{ERROR, GOOD, QUIET};

/// The folder that is looked into, and written to, unless another one is named.
pub(super) const FOLDER: &str = "sims/regressions";

/// The files of one policy in the folder.
#[derive(Debug, Default)]
pub(super) struct Saved {
    folder: PathBuf,
    pub(super) files: Vec<File>,
    /// The number of files of other policies.
    others: usize,
}

/// A file, and what it is held to.
#[derive(Debug)]
pub(super) struct File {
    stored: Stored,
    claim: Claim,
    laws: Vec<&'static Law>,
}

/// What came of replaying them.
#[derive(Debug)]
pub(super) struct Replayed<'a> {
    folder: String,
    files: Vec<One<'a>>,
    others: usize,
}

/// What came of one file.
#[derive(Debug)]
pub(super) struct One<'a> {
    pub(super) stored: &'a Stored,
    pub(super) seed: u64,
    pub(super) outcome: Result<Replay, SubjectError>,
    /// The command line that replays it alone.
    again: String,
}

impl Check {
    /// Those of this client, which claims this. The usual folder may be missing, and so may a named one that is allowed to.
    pub(super) fn saved(&self, client: &Client, claim: &Claim) -> Result<Saved, Refusal> {
        let folder = self.save.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
        let stored = match Store::at(&folder).read() {
            Err(StoreError::NoFolder { .. }) if self.save.is_none() || self.allow_missing => {
                return Ok(Saved::default());
            }
            Err(StoreError::NoFolder { folder }) => return Err(CheckError::NoFolder { folder }.into()),
            // Mistakes have titles of their own.
            Err(StoreError::Mistakes(mistakes)) => return Err(Refusal::Timeline(mistakes)),
            other => other.map_err(CheckError::from)?,
        };
        let (mut files, mut others) = (Vec::new(), 0);
        for stored in stored {
            let theirs = &stored.timeline.client.kind;
            let is_same = match (theirs, &client.kind) {
                (PolicySpec::External { name, .. }, PolicySpec::External { name: of, .. }) => name == of,
                (theirs, ours) => theirs == ours,
            };
            if !is_same {
                others += 1;
                continue;
            }
            if theirs.shape() != client.kind.shape() {
                let shape = client.kind.shape().name();
                return Err(CheckError::NotItsFile { file: shown(&stored), shape }.into());
            }
            if stored.timeline.expect.is_none() {
                return Err(CheckError::NothingExpected { file: shown(&stored) }.into());
            }
            // What a file describes claims what it is played with.
            let claim = match theirs {
                PolicySpec::External { .. } => claim.clone(),
                _ => Claim::of(&stored.timeline.client),
            };
            let laws = expected_laws(&stored.timeline, &claim)
                .map_err(|cannot| CheckError::SavedLaw { file: shown(&stored), cannot })?;
            files.push(File { stored, claim, laws });
        }
        Ok(Saved { folder, files, others })
    }
}

impl Checked {
    /// Replays what was saved: of a policy in another process by that, of any other as its file describes it.
    pub(super) fn replay_saved(&self, remote: Option<&Remote>) -> Replayed<'_> {
        let files = self.saved.files.iter().map(|File { stored, claim, laws }| {
            let described = Described(stored.timeline.client.clone());
            let subject: &dyn Subject = remote.map_or(&described, |remote| remote);
            let seed = stored.timeline.seed.unwrap_or(self.seed.value);
            let outcome = replay(&stored.timeline, seed, claim, laws, subject);
            if outcome.is_err() {
                // Should it not start again, the next file or the search shows it.
                let _ = subject.restart();
            }
            let unnamed = stored.timeline.seed.is_none().then_some(seed);
            One { stored, seed, outcome, again: self.replay_line(&stored.path, unnamed) }
        });
        let folder = shown::line(&self.saved.folder.to_string_lossy()).into_owned();
        Replayed { folder, files: files.collect(), others: self.saved.others }
    }
}

fn shown(stored: &Stored) -> String {
    shown::line(&stored.path.to_string_lossy()).into_owned()
}

impl One<'_> {
    pub(super) fn holds(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|replay| replay.report.holds())
    }
}

impl Replayed<'_> {
    pub(super) fn hold(&self) -> bool {
        self.files.iter().all(One::holds)
    }

    pub(super) fn files(&self) -> &[One<'_>] {
        &self.files
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { folder, others, .. } = self;
        if self.files.is_empty() {
            return match others {
                0 => Ok(()),
                others => writeln!(out, "saved   none of {folder}: {} of other policies", counted(*others, "file")),
            };
        }
        let failed = self.files.iter().filter(|file| !file.holds()).count();
        let of = counted(self.files.len() as u64, "file");
        let verdict = match failed {
            0 => format!("{GOOD}hold{}{GOOD:#}", if self.files.len() == 1 { "s" } else { "" }),
            failed => format!("{ERROR}{failed} failed{ERROR:#}, so nothing is searched"),
        };
        let others = match others {
            0 => String::new(),
            others => format!("; {} of other policies", counted(*others, "file")),
        };
        writeln!(out, "saved   {of} of {folder}: {verdict}{others}")?;
        for One { stored, seed, outcome, again } in self.files.iter().filter(|file| !file.holds()) {
            writeln!(out, "\n{ERROR}FAILED{ERROR:#} {}, seed {seed}", shown(stored))?;
            match outcome {
                Err(fault) => writeln!(out, "\n  {}", shown::text(&fault.to_string()))?,
                Ok(Replay { report, .. }) => {
                    for finding in &report.findings {
                        let text = stored.locations.show(&finding.requirement.key(), &finding.to_string(), "");
                        writeln!(out)?;
                        super::text::indented(&text, out)?;
                    }
                    if let Some(divergence) = &report.divergence {
                        writeln!(
                            out,
                            "\n  two runs of the same file and seed differ from record {} on",
                            divergence.index
                        )?;
                    }
                    let records = report.shown();
                    if !records.is_empty() {
                        writeln!(out)?;
                        super::text::indented(&Trace::unfolded(records).to_string(), out)?;
                    }
                }
            }
            writeln!(out, "\n  {QUIET}{again}{QUIET:#}")?;
        }
        Ok(())
    }
}
