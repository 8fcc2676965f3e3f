//! Any policy, reset by a rule instead of by each success.

use core::time::Duration;

use crate::policy::{Decision, Failure, Policy, Rung};
use crate::reset::ResetRule;
use crate::time::Instant;

/// A policy that receives a success only when a reset rule is due: it turns "reset on open" into "reset after health".
///
/// The rule is checked at each success, and at each failure before that failure counts. The policy receives one success
/// per outage, and none without an outage: for a [`Call`](crate::Call), an outage is one call, which one success ends.
/// Where the rule is due without a success, the call is abandoned instead. After a success the next delay is zero, as
/// for an open stream.
///
/// [`Policy::record_abandoned`] is not passed on: the outage goes on.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Call, CallRules, FailureKind, HealthyFor, Instant, Policy, ResetBy};
///
/// let rules = CallRules::builder().attempts(u32::MAX).build()?;
/// let mut policy = ResetBy::new(HealthyFor::new(Duration::from_secs(60)), Call::new(rules));
/// let at = Instant::from_secs;
/// policy.record_failure(FailureKind::Normal.into(), at(0), 0);
/// policy.record_success(at(1));
/// // Down again after ten seconds: still the same outage.
/// policy.record_failure(FailureKind::Normal.into(), at(11), 0);
/// assert_eq!(policy.next_delay(), Duration::from_secs(1));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResetBy<R: ResetRule, P> {
    rule: R,
    memory: R::State,
    policy: P,
    /// Whether the last outcome was a success.
    healthy: bool,
    /// Whether the policy decided to retry a failure and has not yet received the end of that outage.
    in_outage: bool,
}

impl<R: ResetRule, P> ResetBy<R, P> {
    /// Wraps `policy`, which must not have had an outcome yet.
    #[must_use]
    pub fn new(rule: R, policy: P) -> Self {
        Self { rule, memory: R::State::default(), policy, healthy: false, in_outage: false }
    }

    /// The wrapped policy.
    #[must_use]
    pub const fn policy(&self) -> &P {
        &self.policy
    }
}

impl<R: ResetRule, P: Policy> ResetBy<R, P> {
    #[inline]
    fn end_outage_if_due(&mut self, now: Instant) {
        if !self.in_outage || !self.rule.is_due(&self.memory, now) {
            return;
        }
        self.in_outage = false;
        if self.healthy {
            self.policy.record_success(now);
        } else {
            self.policy.record_abandoned();
        }
    }
}

impl<R: ResetRule, P: Policy> Policy for ResetBy<R, P> {
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.end_outage_if_due(now);
        self.rule.record_failure(&mut self.memory, now);
        self.healthy = false;
        let decision = self.policy.record_failure(failure, now, draw);
        self.in_outage = matches!(decision, Decision::RetryAfter(_));
        decision
    }

    #[inline]
    fn record_success(&mut self, now: Instant) {
        self.rule.record_success(&mut self.memory, now);
        self.healthy = true;
        self.end_outage_if_due(now);
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        if self.healthy { Duration::ZERO } else { self.policy.next_delay() }
    }

    fn record_connected(&mut self, now: Instant) {
        self.policy.record_connected(now);
    }

    fn record_cancelled_retry(&mut self, failure: Failure) {
        self.policy.record_cancelled_retry(failure);
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}
