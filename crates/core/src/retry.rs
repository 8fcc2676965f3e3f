//! Rules and state of one client in one value.

use core::time::Duration;

use crate::FailureKind;
use crate::policy::{Decision, Failure, Policy, Rung};
use crate::reset::{BuiltInReset, ResetRule};
use crate::rules::RetryRules;
use crate::state::{Regime, RetryState};
use crate::time::Instant;

/// One client's retry: its rules and its state together.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{FailureKind, Instant, Retry, RetryRules};
///
/// let mut retry = Retry::new(RetryRules::polling(30.0).0);
/// assert_eq!(retry.next_delay(), Duration::from_secs(30));
/// let wait = retry.record_failure(FailureKind::Unexpected, Instant::ZERO, 0);
/// assert_eq!(wait, Duration::from_secs(300));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry<R: ResetRule = BuiltInReset> {
    rules: RetryRules<R>,
    state: RetryState<R>,
}

impl<R: ResetRule> Retry<R> {
    /// A client that has had no outcome yet.
    #[must_use]
    pub fn new(rules: RetryRules<R>) -> Self {
        Self { rules, state: rules.start() }
    }

    /// Records a failure and returns the wait that follows it; see [`RetryRules::record_failure`].
    #[inline]
    pub fn record_failure(&mut self, kind: FailureKind, now: Instant, draw: u64) -> Duration {
        self.rules.record_failure(&mut self.state, kind, now, draw);
        self.state.next_delay()
    }

    /// Records a success; see [`RetryRules::record_success`].
    #[inline]
    pub fn record_success(&mut self, now: Instant) {
        self.rules.record_success(&mut self.state, now);
    }

    /// How long to wait before the next operation.
    #[inline]
    #[must_use]
    pub const fn next_delay(&self) -> Duration {
        self.state.next_delay()
    }

    /// Which ladder the client is on.
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

    /// The state, for a reset rule that takes more than outcomes into account.
    pub const fn state_mut(&mut self) -> &mut RetryState<R> {
        &mut self.state
    }
}

/// Never gives up, and does not consult a server's own retry hint.
impl<R: ResetRule> Policy for Retry<R> {
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        Decision::RetryAfter(Retry::record_failure(self, failure.kind, now, draw))
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
        Some(Rung {
            regime: self.regime(),
            number: self.attempts(),
            base: self.rules.rung(&self.state),
            jitter: self.rules.jitter(&self.state, draw),
        })
    }
}
