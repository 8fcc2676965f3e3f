//! The coverage goals of a search: a search that explored nothing proves nothing.

use core::fmt;

use retrylab_core::{BuiltInReset, Regime};
use retrylab_sim::Event;
use retrylab_spec::Shape;

use crate::claim::Claim;
use crate::past::Moment;

/// A coverage goal: a situation that a client can get into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// A failure that was retried.
    Retry,
    /// A failure on a rung at the ceiling.
    Ceiling,
    /// Health that cleared a state with failures in it.
    Reset,
    /// The extended regime.
    Extended,
    /// A failure on a rung at the ceiling of the extended ladder.
    ExtendedCeiling,
    /// A call that was given up.
    GiveUp,
}

impl Mark {
    /// Every mark.
    pub const ALL: [Self; 6] =
        [Self::Retry, Self::Ceiling, Self::Reset, Self::Extended, Self::ExtendedCeiling, Self::GiveUp];

    /// Whether the claim includes it.
    #[must_use]
    pub fn is_claimed(self, claim: &Claim) -> bool {
        // The failures of a call that are followed by a wait.
        let waits =
            claim.limits().and_then(|limits| limits.attempts).map_or(MOST_WAITS, |attempts| attempts.saturating_sub(1));
        let timed = claim.limits().is_some_and(|limits| limits.elapsed.is_some() || limits.deadline.is_some());
        let paid = claim.limits().is_some_and(|limits| !limits.budgets.is_empty());
        let reaches = |regime| is_at_ceiling(claim, regime, waits);
        match self {
            Self::Retry => waits > 0,
            // A limit of time or a budget may end every call before.
            Self::Ceiling => reaches(Regime::Normal) && !timed && !paid,
            Self::Reset => claim.reset().is_some_and(|reset| can_be_due(claim.shape(), reset)) && waits > 0,
            Self::Extended => claim.extended().is_some(),
            Self::ExtendedCeiling => reaches(Regime::Extended),
            Self::GiveUp => claim.limits().is_some(),
        }
    }

    fn is_reached(self, moment: &Moment<'_>) -> bool {
        let record = moment.record;
        let place = record.regime.zip(record.rung()).or(moment.place);
        let at_ceiling = |regime| match place {
            Some((now, rung)) => now == regime && retried(moment) && is_at_ceiling(moment.claim, regime, rung),
            None => false,
        };
        match self {
            Self::Retry => retried(moment),
            Self::Ceiling => at_ceiling(Regime::Normal),
            Self::Reset => moment.is_due && moment.past.place.is_some_and(|(_, rung)| rung > 0),
            Self::Extended => matches!(place, Some((Regime::Extended, _))),
            Self::ExtendedCeiling => at_ceiling(Regime::Extended),
            Self::GiveUp => matches!(record.event, Event::GaveUp { .. }),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Retry => "a retry",
            Self::Ceiling => "the ceiling",
            Self::Reset => "a reset",
            Self::Extended => "the extended regime",
            Self::ExtendedCeiling => "the ceiling of the extended regime",
            Self::GiveUp => "a call that was given up",
        })
    }
}

/// Whether the ladder of a regime is at its ceiling after this many failures, or after those that a search makes.
fn is_at_ceiling(claim: &Claim, regime: Regime, failures: u32) -> bool {
    let from = claim.bases(regime).and_then(|bases| bases.ceiling_from);
    from.is_some_and(|from| from <= failures.min(MOST_WAITS))
}

/// Each connection of a stream has one success and ends in a failure, so two in a row do not happen.
fn can_be_due(shape: Shape, reset: BuiltInReset) -> bool {
    match reset {
        BuiltInReset::Successes(rule) => rule.count() <= if shape == Shape::Streaming { 1 } else { MOST_WAITS },
        BuiltInReset::HealthyFor(_) => true,
    }
}

/// A search climbs no longer ladder to its ceiling, and makes no more successes in a row.
pub const MOST_WAITS: u32 = 64;

fn retried(moment: &Moment<'_>) -> bool {
    moment.record.is_failure() && moment.record.wait_ns().is_some()
}

/// The coverage goals that were reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    reached: [bool; Mark::ALL.len()],
    /// Whether the subject ever showed its place.
    shown: bool,
}

impl Marks {
    /// Adds the goals that are reached here.
    pub fn observe(&mut self, moment: &Moment<'_>) {
        self.shown |= moment.record.regime.is_some();
        for (reached, mark) in self.reached.iter_mut().zip(Mark::ALL) {
            *reached = *reached || mark.is_reached(moment);
        }
    }

    /// Adds the goals that others reached.
    pub fn join(&mut self, others: Self) {
        self.shown |= others.shown;
        for (reached, other) in self.reached.iter_mut().zip(others.reached) {
            *reached |= other;
        }
    }

    /// Whether the subject ever showed its place.
    #[must_use]
    pub const fn is_shown(self) -> bool {
        self.shown
    }

    /// The goals that the claim includes and nothing reached.
    pub fn missed(self, claim: &Claim) -> impl Iterator<Item = Mark> {
        let goals = Mark::ALL.into_iter().zip(self.reached);
        goals.filter(|(mark, reached)| !reached && mark.is_claimed(claim)).map(|(mark, _)| mark)
    }
}
