//! The failure of a check, and its saved files.

use core::fmt;
use std::path::PathBuf;

use retrylab_faults::Diagnosis;
use retrylab_laws::{Claim, Subject};
use retrylab_search::{Excerpt, Faulted, Found, Kept, NotSaved, Regression, Searched, Store, events};
use retrylab_spec::Timeline;

use crate::check::Unclaimed;
use crate::saved::{RegressionsError, Replayed};

/// The reason why a check fails.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckFailed {
    /// The search found a breach, the policy failed, or the search was vacuous.
    Broken(Box<Broken>),
    /// Saved counterexamples fail. Nothing was searched.
    Replayed {
        /// The policy.
        name: String,
        /// The files, and their failures.
        replayed: Replayed,
    },
    /// The folder of saved counterexamples cannot be replayed. Nothing was played.
    Regressions {
        /// The policy.
        name: String,
        /// The problem.
        error: RegressionsError,
    },
}

impl CheckFailed {
    /// The result of the search, if there was one.
    #[must_use]
    pub const fn searched(&self) -> Option<&Searched> {
        match self {
            Self::Broken(broken) => Some(&broken.searched),
            Self::Replayed { .. } | Self::Regressions { .. } => None,
        }
    }

    /// The saved files of this search, one for each timeline, in the order of the verdicts.
    pub fn regressions(&self) -> impl Iterator<Item = &Regression> {
        let shown = match self {
            Self::Broken(broken) => broken.shown.as_slice(),
            Self::Replayed { .. } | Self::Regressions { .. } => &[],
        };
        shown.iter().filter_map(|shown| shown.file.as_ref())
    }
}

impl fmt::Display for CheckFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(broken) => broken.fmt(f),
            Self::Replayed { name, replayed: Replayed { of, failed } } => {
                let of = plural(*of as u64, "saved file");
                let verb = if failed.len() == 1 { "does" } else { "do" };
                write!(f, "{name}: of {of}, {} {verb} not hold, so nothing was searched", failed.len())?;
                failed.iter().try_for_each(|failed| write!(f, "\n\n{failed}"))
            }
            Self::Regressions { name, error } => write!(f, "{name}: {error}"),
        }
    }
}

impl std::error::Error for CheckFailed {}

/// The result of a search, with its counterexamples.
#[derive(Debug)]
pub struct Broken {
    heading: Heading,
    /// The result of the search.
    pub searched: Searched,
    /// The known faults that explain it.
    pub diagnosis: Option<Diagnosis>,
    /// The law that names the fault first, then in the order of the verdicts.
    shown: Vec<Shown>,
    /// Whether counterexamples are saved.
    saves: bool,
}

/// The policy, and the settings of the check.
#[derive(Debug)]
pub(crate) struct Heading {
    pub(crate) name: String,
    pub(crate) seed: u64,
    /// The number of given timelines, which come first.
    pub(crate) given: u64,
    /// Whether timelines are generated, too.
    pub(crate) searching: bool,
    pub(crate) unclaimed: Option<Unclaimed>,
    /// The claim in words.
    pub(crate) claim: String,
}

/// A timeline that violates laws.
#[derive(Debug)]
struct Shown {
    /// Laws violated at the same place, and the trace around it.
    places: Vec<(Vec<Found>, String)>,
    file: Option<Regression>,
    saved: Option<Result<Kept, NotSaved>>,
}

impl Broken {
    pub(crate) fn new(
        heading: Heading,
        searched: Searched,
        diagnosis: Option<Diagnosis>,
        claim: &Claim,
        subject: &dyn Subject,
        folder: Option<PathBuf>,
    ) -> Self {
        let found_by = format!("retrylab_testkit::check of {}, seed {}", heading.name, heading.seed);
        let mut shown: Vec<Shown> = Vec::new();
        let telling = diagnosis.as_ref().and_then(Diagnosis::law).map(|law| law.name);
        let mut broken: Vec<&Found> = searched.broken().collect();
        broken.sort_by_key(|found| telling.is_some_and(|telling| found.law.name != telling));
        for found in broken {
            let excerpt = Excerpt::of(found, subject).to_string();
            match shown.iter_mut().find(|shown| shown.first().is_some_and(|first| first.timeline == found.timeline)) {
                Some(same) => same.add(found.clone(), excerpt),
                None => shown.push(Shown { places: vec![(vec![found.clone()], excerpt)], file: None, saved: None }),
            }
        }
        let saves = folder.is_some();
        let mut store = folder.map(Store::at);
        for shown in &mut shown {
            shown.file = shown.regression(claim, &found_by);
            shown.saved = store.as_mut().zip(shown.file.as_ref()).map(|(store, file)| store.keep(file));
        }
        Self { heading, searched, diagnosis, shown, saves }
    }

    /// A path for a counterexample that is not saved.
    fn next_step(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.saves {
            return Ok(());
        }
        // A given timeline is already saved.
        let is_new = |shown: &&Shown| shown.first().is_some_and(|first| first.case >= self.heading.given);
        let files = self.shown.iter().filter(is_new).filter_map(|shown| shown.file.as_ref());
        let paths: Vec<String> = files.map(|file| format!("\n  {FOLDER}/{}", file.name())).collect();
        if paths.is_empty() {
            return Ok(());
        }
        write!(
            f,
            "\n\nTo keep it as a test, add `.regressions({FOLDER:?})` to the check, which saves it there and replays it \
             first; or save it as{}",
            paths.concat()
        )
    }
}

/// The usual folder.
const FOLDER: &str = "tests/regressions";

impl Shown {
    fn first(&self) -> Option<&Found> {
        self.places.first().and_then(|(found, _)| found.first())
    }

    fn add(&mut self, found: Found, excerpt: String) {
        match self.places.iter_mut().find(|(_, same)| *same == excerpt) {
            Some((laws, _)) => laws.push(found),
            None => self.places.push((vec![found], excerpt)),
        }
    }

    /// One file that expects all its laws.
    fn regression(&self, claim: &Claim, found_by: &str) -> Option<Regression> {
        let file = self.first()?.regression(claim, found_by)?;
        let others = self.places.iter().flat_map(|(found, _)| found).skip(1);
        let others: Vec<&str> = others.map(|found| found.law.name).collect();
        let Some((last, before)) = others.split_last() else { return Some(file) };
        let mut draft = file.timeline.clone().into_draft();
        let list = if before.is_empty() { (*last).to_owned() } else { format!("{} and {last}", before.join(", ")) };
        draft.why = format!("{} It breaks {list}, too.", draft.why);
        if let Some(expect) = &mut draft.expect {
            expect.laws.extend(others.iter().map(|&name| name.to_owned()));
        }
        Some(match Timeline::new(draft) {
            Ok(timeline) => Regression { timeline, ..file },
            Err(_) => file,
        })
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { heading, searched, diagnosis, shown, .. } = self;
        let Heading { name, seed, searching, unclaimed, claim, .. } = heading;
        write!(f, "{name} violates the laws ({}, seed {seed})", plural(searched.cases, "timeline"))?;
        write!(f, "\nclaims: {claim}")?;
        if let Some(fault) = &searched.fault {
            write_fault(f, fault)?;
        }
        if let Some(diagnosis) = diagnosis {
            write!(f, "\n\ndiagnosis: {diagnosis}")?;
        }
        for (nth, Shown { places, file, saved }) in shown.iter().enumerate() {
            // They have one cause, which the first shows.
            if nth > 0 && diagnosis.is_some() {
                let laws = places.iter().flat_map(|(found, _)| found).map(|found| found.law.name);
                write!(f, "\n\nalso violates {}", laws.collect::<Vec<_>>().join(", "))?;
            } else {
                write_places(f, places, file.as_ref())?;
            }
            match saved {
                Some(Ok(Kept { path, beside })) => {
                    write!(f, "\n\nsaved in {}, and replayed first from now on", path.display())?;
                    if let Some(beside) = beside {
                        write!(f, "\n{} has other content and stays as it is", beside.display())?;
                    }
                }
                Some(Err(error)) => write!(f, "\n\nnot saved: {error}")?,
                None => {}
            }
        }
        // A fault ends the search, so an untested law means nothing then.
        if *searching && searched.fault.is_none() {
            for verdict in searched.verdicts.iter().filter(|verdict| verdict.applies && verdict.tested == 0) {
                write!(f, "\n\nvacuous: {} was never put to the test", verdict.law)?;
            }
        }
        if !searched.verdicts.iter().any(|verdict| verdict.applies) {
            write!(f, "\n\nno law is applicable to the claim")?;
        } else if searched.cases == 0 {
            write!(f, "\n\nno timeline was played: none was given or saved, and `.cases(0)` generates none")?;
        }
        for mark in &searched.missed {
            write!(f, "\n\ncoverage goal missed: {mark}, which the claim includes")?;
        }
        self.next_step(f)?;
        match unclaimed {
            Some(unclaimed) => write!(f, "\n\n{unclaimed}"),
            None => Ok(()),
        }
    }
}

fn write_places(f: &mut fmt::Formatter<'_>, places: &[(Vec<Found>, String)], file: Option<&Regression>) -> fmt::Result {
    for (laws, excerpt) in places {
        for Found { law, breach, .. } in laws {
            write!(f, "\n\n{law}\n  {}\n  expected {}, got {}", law.statement, breach.expected, breach.got)?;
        }
        write!(f, "\n\n{}", excerpt.trim_end())?;
    }
    let found = places.first().and_then(|(found, _)| found.first());
    let timeline = || found.map(|found| found.timeline.to_string()).unwrap_or_default();
    let text = file.map_or_else(timeline, ToString::to_string);
    write!(f, "\n\n{}", text.trim_end())
}

fn write_fault(f: &mut fmt::Formatter<'_>, faulted: &Faulted) -> fmt::Result {
    let Faulted { case, timeline, fault, again, events_found, .. } = faulted;
    write!(f, "\n\n{fault}\n  in case {case}, of {}", plural(*events_found, "event"))?;
    if *again {
        write!(f, "; shrunk to {}", events(timeline))?;
    } else {
        write!(f, "; not reproduced after a restart")?;
    }
    write!(f, "\n\n{}", timeline.to_string().trim_end())
}

/// A number with its noun.
pub(crate) fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
