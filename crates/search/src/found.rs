//! The progress and the result of a search.

use retrylab_sim::Finding;
use retrylab_spec::Timeline;

use retrylab_laws::Law;
use retrylab_laws::SubjectError;
use retrylab_laws::{Mark, Marks};

/// A generated timeline and its seed.
#[derive(Clone, Debug)]
pub struct Case {
    /// The number of the case in the search, from 0.
    pub number: u64,
    /// The timeline, with its seed.
    pub timeline: Timeline,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The number of cases played.
    pub cases: u64,
    /// The number of cases in total.
    pub of: u64,
    /// The event.
    pub stage: Stage<'a>,
}

/// An event of a search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Stage<'a> {
    /// A case was played, or on several threads a block of them.
    Played,
    /// A breach was found, not yet shrunk: it is not lost if the search is broken off.
    Found(&'a Found),
    /// Another timeline is about to be played to shrink this breach, which is the smallest so far.
    Shrinking(&'a Found),
    /// The same for a fault.
    ShrinkingFault(&'a Faulted),
    /// A breach is completely shrunk, or the shrinking was broken off.
    Shrunk(&'a Found),
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The verdict on each law, in the given order.
    pub verdicts: Vec<Verdict>,
    /// The coverage goals that the claim includes and the search missed. Empty if the search was broken off.
    pub missed: Vec<Mark>,
    /// The coverage goals that were reached, also if the search was broken off.
    pub reached: Marks,
    /// The number of cases played.
    pub cases: u64,
    /// The first case in which the subject failed, which ends the search.
    pub fault: Option<Faulted>,
}

/// The verdict on a law.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The law.
    pub law: &'static Law,
    /// Whether it is applicable to this subject: to its claim, its inputs and its reported place.
    pub applies: bool,
    /// The number of cases that put it to the test.
    pub tested: u64,
    /// The first case that violates it, shrunk.
    pub found: Option<Found>,
}

/// A counterexample of a law.
#[derive(Clone, Debug)]
pub struct Found {
    /// The law.
    pub law: &'static Law,
    /// The number of the case in the search, from 0.
    pub case: u64,
    /// The timeline, with its seed. Every draw keeps its address from the case.
    pub timeline: Timeline,
    /// The violation, with its place.
    pub breach: Finding,
    /// The number of events of the original case.
    pub events_found: u64,
    /// The number of timelines played to shrink it.
    pub tried: u64,
}

/// A timeline in which the subject fails: it panics, or its process crashes, hangs or sends an invalid response.
#[derive(Clone, Debug)]
pub struct Faulted {
    /// The number of the case in the search, from 0.
    pub case: u64,
    /// The timeline, shrunk as long as a fresh subject fails in it.
    pub timeline: Timeline,
    /// The fault.
    pub fault: SubjectError,
    /// Whether a fresh subject failed again. If not, the timeline is that of the case.
    pub again: bool,
    /// The number of events of the case.
    pub events_found: u64,
    /// The number of timelines played to shrink it.
    pub tried: u64,
}

impl Searched {
    /// Whether there was a law, none is violated, each applicable one was put to the test, and every claimed coverage
    /// goal was reached.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let sound = |verdict: &Verdict| verdict.found.is_none() && (!verdict.applies || verdict.tested > 0);
        let any = self.verdicts.iter().any(|verdict| verdict.applies);
        any && self.fault.is_none() && self.missed.is_empty() && self.verdicts.iter().all(sound)
    }

    /// The number of the first cases in which the subject did not fail.
    #[must_use]
    pub fn sound_cases(&self) -> u64 {
        self.fault.as_ref().map_or(self.cases, |fault| fault.case)
    }

    /// The violated laws.
    pub fn broken(&self) -> impl Iterator<Item = &Found> {
        self.verdicts.iter().filter_map(|verdict| verdict.found.as_ref())
    }
}
