//! What a search is told, and what came of it.

use retrylab_scenario::Timeline;

use crate::law::Law;
use crate::marks::{Mark, Marks};
use crate::subject::Fault;
use crate::trial::Breach;

/// One made-up timeline and its seed.
#[derive(Clone, Debug)]
pub struct Case {
    /// Which case of the search, from 0.
    pub number: u64,
    /// What is played. It names its seed.
    pub timeline: Timeline,
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Cases that were played.
    pub cases: u64,
    /// Of so many.
    pub of: u64,
    /// What happens there.
    pub stage: Stage<'a>,
}

/// What a search is about to do, or has just done.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Stage<'a> {
    /// A case was played, or on several threads a block of them.
    Played,
    /// A breach was found. It is not made smaller yet: what is told here is not lost if the search is broken off.
    Found(&'a Found),
    /// One more timeline is about to be played to make this breach smaller. It is as small as it is by now.
    Shrinking(&'a Found),
    /// The same of a fault.
    ShrinkingFault(&'a Faulted),
    /// A breach is as small as it gets, or as it was when that was broken off.
    Shrunk(&'a Found),
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Searched {
    /// What is to be said of each law, in the order in which they were given.
    pub verdicts: Vec<Verdict>,
    /// What the subject could have got to by its claim, and never did. Told only if the search was not broken off.
    pub missed: Vec<Mark>,
    /// Where the subject got to, whether the search was broken off or not.
    pub reached: Marks,
    /// How many cases were played.
    pub cases: u64,
    /// The first case in which the subject could not be played to its end, which ends the search.
    pub fault: Option<Faulted>,
}

/// What is to be said of a law.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The law.
    pub law: &'static Law,
    /// Whether it says anything about this subject: about what it claims, can be told, and shows of itself.
    pub applies: bool,
    /// In how many cases it was put to the test.
    pub tested: u64,
    /// The first case that breaks it, made smaller.
    pub found: Option<Found>,
}

/// A timeline that breaks a law.
#[derive(Clone, Debug)]
pub struct Found {
    /// The law.
    pub law: &'static Law,
    /// Which case of the search, from 0.
    pub case: u64,
    /// The timeline. It names its seed, and every draw keeps the address that it had in the case.
    pub timeline: Timeline,
    /// What is broken in it, and where.
    pub breach: Breach,
    /// How many events the case had that was found.
    pub events_found: u64,
    /// How many timelines were played to make it smaller.
    pub tried: u64,
}

/// A timeline through which the subject could not be played: it panicked, or its process crashed, hung or said what is no
/// answer.
#[derive(Clone, Debug)]
pub struct Faulted {
    /// Which case of the search, from 0.
    pub case: u64,
    /// The timeline, made smaller for as long as a subject that starts anew is at fault in it.
    pub timeline: Timeline,
    /// What it did there.
    pub fault: Fault,
    /// Whether it did so again when it was started anew. If not, the timeline is that of the case.
    pub again: bool,
    /// How many events the case had.
    pub events_found: u64,
    /// How many timelines were played to make it smaller.
    pub tried: u64,
}

impl Searched {
    /// Whether there was a law to be held to, none is broken, each that applies was put to the test, and everything that is
    /// claimed was reached.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let sound = |verdict: &Verdict| verdict.found.is_none() && (!verdict.applies || verdict.tested > 0);
        let any = self.verdicts.iter().any(|verdict| verdict.applies);
        any && self.fault.is_none() && self.missed.is_empty() && self.verdicts.iter().all(sound)
    }

    /// The laws that are broken.
    pub fn broken(&self) -> impl Iterator<Item = &Found> {
        self.verdicts.iter().filter_map(|verdict| verdict.found.as_ref())
    }
}
