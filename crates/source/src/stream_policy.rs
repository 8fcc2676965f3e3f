//! The policy of a streaming source, which may adopt the server's hint as its base.

use core::convert::Infallible;
use core::time::Duration;

use retrylab_core::{Decision, Failure, HealthyFor, Instant, Policy, Regime, RetryRules, RetryState, Rung};

use crate::policy::SourcePolicy;

/// The policy of a streaming source: rules with two regimes, and no end.
///
/// If it [adopts hints](Self::adopting_hints), the server's last hint replaces the normal initial delay for good, up to the
/// normal ceiling, and restarts the count. A reset does not undo it. A hint of zero is ignored, because such a wait would
/// never grow. Several shipped implementations treat the `retry:` field of an event stream like this. The hint arrives with
/// the failure that ends the stream, as [`Failure::retry_after`].
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Failure, FailureKind, Instant, RetryRules};
/// use retrylab_source::{SourcePolicy, StreamPolicy};
///
/// let mut policy = StreamPolicy::new(RetryRules::streaming(Duration::from_secs(1))).adopting_hints();
/// let hint = Failure { retry_after: Some(Duration::from_secs(10)), ..FailureKind::Normal.into() };
/// let plain = Failure::from(FailureKind::Normal);
/// let mut wait = |failure| policy.record_failure(failure, Instant::ZERO, 0);
/// assert_eq!(wait(hint), Ok(Duration::from_secs(10)));
/// assert_eq!(wait(plain), Ok(Duration::from_secs(20)));
/// assert_eq!(wait(plain), Ok(Duration::from_secs(30)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamPolicy {
    rules: RetryRules<HealthyFor>,
    state: RetryState<HealthyFor>,
    adopts_hints: bool,
}

impl StreamPolicy {
    /// These rules, without any outcome. It ignores hints.
    #[must_use]
    pub fn new(rules: RetryRules<HealthyFor>) -> Self {
        Self { rules, state: rules.start(), adopts_hints: false }
    }

    /// Adopts the server's hints.
    #[must_use]
    pub const fn adopting_hints(self) -> Self {
        Self { adopts_hints: true, ..self }
    }

    /// The rules, with the last adopted hint.
    #[must_use]
    pub const fn rules(&self) -> &RetryRules<HealthyFor> {
        &self.rules
    }

    fn adopt(&mut self, hint: Duration) {
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

impl Policy for StreamPolicy {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        if let Some(hint) = failure.retry_after.filter(|hint| self.adopts_hints && !hint.is_zero()) {
            self.adopt(hint);
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
impl SourcePolicy for StreamPolicy {
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
