//! What a source asks how long to wait.

use core::convert::Infallible;
use core::fmt::{Debug, Display};
use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Policy, ResetRule, Retry};

/// The policy of a data source. It differs from [`Policy`] in one point: whether it can give up is in its type, so that a
/// source whose policy cannot is one that only its user stops.
pub trait SourcePolicy {
    /// Why it gives up; [`Infallible`] for a policy that never does.
    type GiveUp: Copy + Debug + Display;

    /// Records a failure at `now`; `draw` is the one draw of this failure.
    ///
    /// # Errors
    ///
    /// If there is no further attempt.
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Result<Duration, Self::GiveUp>;

    /// Records a success at `now`.
    fn record_success(&mut self, now: Instant);

    /// Takes note that a connection was made at `now`, before anything came over it.
    fn record_connected(&mut self, now: Instant);

    /// How long to wait before the next operation. A stored value: reading it changes nothing.
    fn next_delay(&self) -> Duration;
}

/// The state machine of two regimes, which never gives up.
impl<R: ResetRule> SourcePolicy for Retry<R> {
    type GiveUp = Infallible;

    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Result<Duration, Infallible> {
        Ok(Retry::record_failure(self, failure.kind, now, draw))
    }

    fn record_success(&mut self, now: Instant) {
        Retry::record_success(self, now);
    }

    fn record_connected(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        Retry::next_delay(self)
    }
}

/// Any policy as that of a source, which then may end without being stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MayGiveUp<P>(pub P);

impl<P: Policy> SourcePolicy for MayGiveUp<P> {
    type GiveUp = GiveUp;

    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Result<Duration, GiveUp> {
        match self.0.record_failure(failure, now, draw) {
            Decision::RetryAfter(delay) => Ok(delay),
            Decision::GiveUp(why) => Err(why),
        }
    }

    #[inline]
    fn record_success(&mut self, now: Instant) {
        self.0.record_success(now);
    }

    #[inline]
    fn record_connected(&mut self, now: Instant) {
        self.0.record_connected(now);
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }
}
