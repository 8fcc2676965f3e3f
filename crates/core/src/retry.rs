//! Rules and state of one client in one value.

use core::time::Duration;

use crate::FailureKind;
use crate::policy::{Decision, Failure, Policy, Rung};
use crate::reset::{BuiltInReset, ResetRule};
use crate::rules::{RetryRules, jitter_ns};
use crate::state::{Regime, RetryState};
use crate::time::Instant;

/// One client's retry: its rules and its state together.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{FailureKind, Instant, Retry, RetryRules};
///
/// let mut retry = Retry::new(RetryRules::polling(Duration::from_secs(30)));
/// assert_eq!(retry.next_delay(), Duration::from_secs(30));
/// let wait = retry.wait_after(FailureKind::Unexpected, Instant::ZERO, 0);
/// assert_eq!(wait, Duration::from_secs(300));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry<R: ResetRule = BuiltInReset> {
    rules: RetryRules<R>,
    state: RetryState<R>,
}

impl<R: ResetRule> Retry<R> {
    /// A client without an outcome.
    #[must_use]
    pub fn new(rules: RetryRules<R>) -> Self {
        Self { rules, state: rules.start() }
    }

    /// Records a failure and returns the wait that follows it; see [`RetryRules::record_failure`]. The same as
    /// [`Policy::record_failure`] without a decision, since these rules never give up.
    #[inline]
    pub fn wait_after(&mut self, kind: FailureKind, now: Instant, draw: u64) -> Duration {
        self.rules.record_failure(&mut self.state, kind, now, draw);
        self.state.next_delay()
    }

    /// Records a success; see [`RetryRules::record_success`].
    #[inline]
    pub fn record_success(&mut self, now: Instant) {
        self.rules.record_success(&mut self.state, now);
    }

    /// The wait before the next operation.
    #[inline]
    #[must_use]
    pub const fn next_delay(&self) -> Duration {
        self.state.next_delay()
    }

    /// The ladder that the client is on.
    #[must_use]
    pub const fn regime(&self) -> Regime {
        self.state.regime()
    }

    /// Failures counted on the present ladder.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.state.attempts()
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &RetryRules<R> {
        &self.rules
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> &RetryState<R> {
        &self.state
    }

    /// The state, for a reset rule with inputs other than outcomes.
    pub const fn state_mut(&mut self) -> &mut RetryState<R> {
        &mut self.state
    }
}

/// Never gives up, and ignores a server's `retry_after`.
impl<R: ResetRule> Policy for Retry<R> {
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        Decision::RetryAfter(self.wait_after(failure.kind, now, draw))
    }

    #[inline]
    fn record_success(&mut self, now: Instant) {
        Retry::record_success(self, now);
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        Retry::next_delay(self)
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        let rung = self.rules.rung_ns(&self.state);
        Some(Rung {
            regime: self.regime(),
            number: self.attempts(),
            base: Duration::from_nanos(rung),
            jitter: Duration::from_nanos(jitter_ns(rung, draw)),
        })
    }
}
