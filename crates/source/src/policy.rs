//! The policy of a data source.

use core::convert::Infallible;
use core::fmt::{Debug, Display};
use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Policy, ResetRule, Retry};

/// The policy of a data source. It differs from [`Policy`] in one point: its type states whether it can give up. A
/// source whose policy cannot is stopped only by its user.
pub trait SourcePolicy {
    /// The reason to give up; [`Infallible`] for a policy that never does.
    type GiveUp: Copy + Debug + Display;

    /// Records a failure at `now`; `draw` is the one draw of this failure.
    ///
    /// # Errors
    ///
    /// If the policy gives up.
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Result<Duration, Self::GiveUp>;

    /// Records a success at `now`.
    fn record_success(&mut self, now: Instant);

    /// Records that a connection was made at `now`, before any data arrived.
    fn record_connected(&mut self, now: Instant);

    /// The wait before the next operation. It is a stored value; reading it changes nothing.
    fn next_delay(&self) -> Duration;
}

/// The state machine with two regimes, which never gives up.
impl<R: ResetRule> SourcePolicy for Retry<R> {
    type GiveUp = Infallible;

    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Result<Duration, Infallible> {
        Ok(self.wait_after(failure.kind, now, draw))
    }

    fn record_success(&mut self, now: Instant) {
        Retry::record_success(self, now);
    }

    fn record_connected(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        Retry::next_delay(self)
    }
}

/// Any policy. A source with it may end by itself.
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
