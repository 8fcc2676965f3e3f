//! The one shape that every policy has, whoever wrote it.

use core::fmt;
use core::ops::DerefMut;
use core::time::Duration;

use crate::state::Regime;
use crate::time::Instant;
use crate::{FailureKind, Fault};

/// A retry policy for one client: told of each outcome, it says how long to wait.
///
/// The caller owns the clock and the randomness. It passes one draw, uniform over all of `u64`, with each failure and
/// none with anything else; two policies given the same calls must answer the same.
pub trait Policy {
    /// Records a failure at `now` and decides what comes next.
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision;

    /// Records a success at `now`.
    fn record_success(&mut self, now: Instant);

    /// Takes note that a connection was made at `now`, before anything came over it. By default that means nothing: a
    /// connection that was never useful is not health.
    fn record_connected(&mut self, now: Instant) {
        let _ = now;
    }

    /// Takes note that the retry it decided after `failure`, its last one, is not made: nobody waits for it any more. Said
    /// at most once of each decision. By default that means nothing; a policy that paid for the retry gets its price back.
    fn record_unmade(&mut self, failure: Failure) {
        let _ = failure;
    }

    /// Takes note that nobody waits for the present operation any more: it was cancelled, or an attempt never returned.
    /// What comes next is of another operation. By default that means nothing, as for an outage, which lasts whoever
    /// waits for its end.
    fn record_abandoned(&mut self) {}

    /// How long to wait before the next operation. A stored value: reading it changes nothing.
    fn next_delay(&self) -> Duration;

    /// Where on its ladder the policy stands, and what `draw` subtracts there, for traces and laws. `draw` is the one
    /// that the last failure was given. A policy without such a notion keeps the default, `None`.
    fn explain(&self, draw: u64) -> Option<Rung> {
        let _ = draw;
        None
    }
}

/// Boxes and exclusive references of a policy are that policy.
impl<P: DerefMut> Policy for P
where
    P::Target: Policy,
{
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        (**self).record_failure(failure, now, draw)
    }

    #[inline]
    fn record_success(&mut self, now: Instant) {
        (**self).record_success(now);
    }

    #[inline]
    fn record_connected(&mut self, now: Instant) {
        (**self).record_connected(now);
    }

    #[inline]
    fn record_unmade(&mut self, failure: Failure) {
        (**self).record_unmade(failure);
    }

    #[inline]
    fn record_abandoned(&mut self) {
        (**self).record_abandoned();
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        (**self).next_delay()
    }

    #[inline]
    fn explain(&self, draw: u64) -> Option<Rung> {
        (**self).explain(draw)
    }
}

/// A failure as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// What the failure means for the next wait.
    pub kind: FailureKind,
    /// The wait that the server asked for, if it did.
    pub retry_after: Option<Duration>,
    /// The transport fault that it came with, if it was one.
    pub fault: Option<Fault>,
}

impl From<FailureKind> for Failure {
    fn from(kind: FailureKind) -> Self {
        Self { kind, retry_after: None, fault: None }
    }
}

/// What a policy decides after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Another attempt, after this wait.
    RetryAfter(Duration),
    /// No further attempt.
    GiveUp(GiveUp),
}

impl Decision {
    /// The wait, if there is one.
    #[must_use]
    pub const fn delay(self) -> Option<Duration> {
        match self {
            Self::RetryAfter(delay) => Some(delay),
            Self::GiveUp(_) => None,
        }
    }
}

/// Why a policy allows no further attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GiveUp {
    /// All attempts are used.
    Attempts,
    /// The time for all attempts together is over, or the next wait would not fit.
    Elapsed,
    /// The budget shared with other calls is empty.
    Budget,
    /// The failure is not worth another attempt.
    Terminal,
    /// The server asked for this wait, which is refused.
    RetryAfter(Duration),
}

impl GiveUp {
    /// The lower-case name that traces use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attempts => "attempts",
            Self::Elapsed => "elapsed",
            Self::Budget => "budget",
            Self::Terminal => "terminal",
            Self::RetryAfter(_) => "retry-after",
        }
    }
}

impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where on its ladder a policy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rung {
    /// Which ladder.
    pub regime: Regime,
    /// Failures counted on it: 0 before the first, 1 on the first rung.
    pub number: u32,
    /// The wait of that rung before jitter and cadence; zero before the first failure.
    pub base: Duration,
    /// What the draw subtracts from it, even where the cadence hides it.
    pub jitter: Duration,
}
