//! A stream's policy that takes what the server asks for as its base.

use core::convert::Infallible;
use core::time::Duration;

use retrylab_core::{Decision, Failure, HealthyFor, Instant, Policy, Regime, RetryRules, RetryState, Rung};

use crate::policy::SourcePolicy;

/// The rules of a stream whose base is what the server last asked for: the hint replaces the normal initial delay for
/// good, bounded by the normal ceiling, and restarts the count. A reset does not undo it. A hint of no wait at all is not
/// taken: it would be a wait that never grows.
///
/// Several shipped implementations do so with the `retry:` field of an event stream. The hint comes with the failure
/// that ends the stream, as [`Failure::retry_after`].
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Decision, Failure, FailureKind, Instant, Policy, RetryRules};
/// use retrylab_source::Hinted;
///
/// let mut policy = Hinted::new(RetryRules::streaming(1.0).0);
/// let hint = Failure { retry_after: Some(Duration::from_secs(10)), ..FailureKind::Normal.into() };
/// let plain = Failure::from(FailureKind::Normal);
/// let mut wait = |failure| policy.record_failure(failure, Instant::ZERO, 0);
/// assert_eq!(wait(hint), Decision::RetryAfter(Duration::from_secs(10)));
/// assert_eq!(wait(plain), Decision::RetryAfter(Duration::from_secs(20)));
/// assert_eq!(wait(plain), Decision::RetryAfter(Duration::from_secs(30)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinted {
    rules: RetryRules<HealthyFor>,
    state: RetryState<HealthyFor>,
}

impl Hinted {
    /// These rules, until the server asks for something else.
    #[must_use]
    pub fn new(rules: RetryRules<HealthyFor>) -> Self {
        Self { rules, state: rules.start() }
    }

    fn take_hint(&mut self, hint: Duration) {
        let normal = self.rules.bounds(Regime::Normal);
        let extended = self.rules.bounds(Regime::Extended);
        self.rules = RetryRules::builder(*self.rules.reset_rule())
            .normal(hint.min(normal.ceiling), normal.ceiling)
            .extended(extended.initial, extended.ceiling)
            .cadence(self.rules.cadence())
            .build();
        self.state = self.rules.resume(Regime::Normal, 0);
    }
}

impl Policy for Hinted {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        if let Some(hint) = failure.retry_after.filter(|hint| !hint.is_zero()) {
            self.take_hint(hint);
        }
        self.rules.record_failure(&mut self.state, failure.kind, now, draw);
        Decision::RetryAfter(self.state.next_delay())
    }

    fn record_success(&mut self, now: Instant) {
        self.rules.record_success(&mut self.state, now);
    }

    fn next_delay(&self) -> Duration {
        self.state.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        Some(Rung {
            regime: self.state.regime(),
            number: self.state.attempts(),
            base: self.rules.rung(&self.state),
            jitter: self.rules.jitter(&self.state, draw),
        })
    }
}

/// Never gives up.
impl SourcePolicy for Hinted {
    type GiveUp = Infallible;

    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Result<Duration, Infallible> {
        Policy::record_failure(self, failure, now, draw);
        Ok(self.state.next_delay())
    }

    fn record_success(&mut self, now: Instant) {
        Policy::record_success(self, now);
    }

    fn record_connected(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        self.state.next_delay()
    }
}
