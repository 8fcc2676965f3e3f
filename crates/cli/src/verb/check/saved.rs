//! The files that were saved of a policy, and those that are given with expectations, replayed before its search.

use std::io::{self, Write};
use std::path::PathBuf;

use retrylab_laws::{Claim, Described, Law, Replay, Subject, SubjectError, expected_laws, replay};
use retrylab_search::{Store, StoreError, Stored};
use retrylab_sim::Trace;
use retrylab_spec::{Client, Draft, Expect, Locations, PolicySpec, Timeline};

use super::{Check, CheckError, Checked};
use crate::count::counted;
use crate::remote::Remote;
use crate::shown;
use crate::style::{ERROR, GOOD, QUIET};
use crate::{Input, Refusal};

/// The folder that is looked into, and written to, unless another one is named.
pub(super) const FOLDER: &str = "sims/regressions";

/// The files of one policy in the folder.
#[derive(Debug, Default)]
pub(super) struct Saved {
    /// Files of the command line.
    pub(super) given: Vec<File>,
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
    /// Whether it expects a regime or a rung of a policy that shows none.
    unjudged: bool,
}

/// What came of replaying them.
#[derive(Debug)]
pub(super) struct Replayed<'a> {
    given: Vec<One<'a>>,
    unjudged: bool,
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
            files.push(File { stored, claim, laws, unjudged: false });
        }
        Ok(Saved { given: Vec::new(), folder, files, others })
    }
}

impl Saved {
    /// The same with these files of the command line.
    pub(super) fn with(mut self, given: impl IntoIterator<Item = File>) -> Self {
        self.given.extend(given);
        self
    }
}

impl File {
    /// A file of the command line, for a client with this claim; `None` if it expects nothing but laws, to which the search holds
    /// its timeline. A policy in another process shows neither its regime nor its rung.
    pub(super) fn given(
        input: &Input,
        draft: &Draft,
        locations: Option<&Locations>,
        claim: &Claim,
    ) -> Result<Option<Self>, CheckError> {
        let (Some(whole), Some(locations)) = (&draft.expect, locations) else { return Ok(None) };
        let judged = match draft.client.kind {
            PolicySpec::External { .. } => Expect { regime: None, rung: None, at: Vec::new(), ..whole.clone() },
            _ => whole.clone(),
        };
        if judged == (Expect { laws: whole.laws.clone(), ..Expect::default() }) {
            return Ok(None);
        }
        let unjudged = judged != *whole;
        let file = input.to_string();
        let timeline = Timeline::new(Draft { catches: Vec::new(), expect: Some(judged), ..draft.clone() })
            .map_err(|problems| CheckError::NotForClient { file: file.clone(), problems })?;
        let laws = expected_laws(&timeline, claim).map_err(|cannot| CheckError::SavedLaw { file, cannot })?;
        let stored = Stored { path: PathBuf::from(&*input.word()), timeline, locations: locations.clone() };
        Ok(Some(Self { stored, claim: claim.clone(), laws, unjudged }))
    }
}

impl Checked {
    /// Replays what was saved: of a policy in another process by that, of any other as its file describes it.
    pub(super) fn replay_saved(&self, remote: Option<&Remote>) -> Replayed<'_> {
        let Saved { given, folder, files, others } = &self.saved;
        let own = |file| One { again: self.line.clone().option("--cases", "0").text(), ..self.replay(file, remote) };
        Replayed {
            given: given.iter().map(own).collect(),
            unjudged: given.iter().any(|file| file.unjudged),
            folder: shown::line(&folder.to_string_lossy()).into_owned(),
            files: files.iter().map(|file| self.replay(file, remote)).collect(),
            others: *others,
        }
    }

    fn replay<'a>(&self, File { stored, claim, laws, .. }: &'a File, remote: Option<&Remote>) -> One<'a> {
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
    }
}

fn shown(stored: &Stored) -> String {
    shown::line(&stored.path.to_string_lossy()).into_owned()
}

impl One<'_> {
    pub(super) fn holds(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|replay| replay.report.holds())
    }

    /// What fails of it.
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { stored, seed, outcome, again } = self;
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
                    let from = divergence.index;
                    writeln!(out, "\n  two runs of the same file and seed differ from record {from} on")?;
                }
                let records = report.shown();
                if !records.is_empty() {
                    writeln!(out)?;
                    super::text::indented(&Trace::unfolded(records).to_string(), out)?;
                }
            }
        }
        writeln!(out, "\n  {QUIET}{again}{QUIET:#}")
    }
}

impl<'a> Replayed<'a> {
    pub(super) fn hold(&self) -> bool {
        self.files().all(One::holds)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &One<'a>> {
        self.given.iter().chain(&self.files)
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { given, unjudged, folder, files, others } = self;
        if !given.is_empty() {
            let but = if *unjudged { "; regime and rung are not judged, since the policy shows none" } else { "" };
            writeln!(out, "given   {}: {}{but}", counted(given.len() as u64, "file"), verdict(given))?;
        }
        let of_others = counted(*others, "file");
        match (files.is_empty(), others) {
            (true, 0) => {}
            (true, _) => writeln!(out, "saved   none of {folder}: {of_others} of other policies")?,
            (false, _) => {
                let others = if *others == 0 { String::new() } else { format!("; {of_others} of other policies") };
                writeln!(
                    out,
                    "saved   {} of {folder}: {}{others}",
                    counted(files.len() as u64, "file"),
                    verdict(files)
                )?;
            }
        }
        self.files().filter(|file| !file.holds()).try_for_each(|file| file.print(out))
    }
}

fn verdict(files: &[One<'_>]) -> String {
    match files.iter().filter(|file| !file.holds()).count() {
        0 => format!("{GOOD}hold{}{GOOD:#}", if files.len() == 1 { "s" } else { "" }),
        failed => format!("{ERROR}{failed} failed{ERROR:#}, so nothing is searched"),
    }
}
