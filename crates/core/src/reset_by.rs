//! Any policy, with a reset rule that decides which successes count.

use core::time::Duration;

use crate::policy::{Decision, Failure, Policy, Rung};
use crate::reset::ResetRule;
use crate::time::Instant;

/// A policy that hears of a success only when a reset rule is due: "reset on open" made "reset after health".
///
/// Health that is due is noticed at a success and at the next failure, before that failure counts. The policy hears of it
/// once, and only if a failure came before: for a [`Call`](crate::Call), an outage is a call, which one success ends. A
/// rule that is due without a success abandons the call instead. After a success the next delay is zero, as for a stream
/// that is up.
///
/// That nobody waits for an operation any more ([`Policy::record_abandoned`]) is not passed on: the outage goes on.
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
    /// Whether the policy had a failure that it retries, and has not heard of the end of that outage.
    in_outage: bool,
}

impl<R: ResetRule, P> ResetBy<R, P> {
    /// `policy`, which must not have had an outcome yet, cleared by `rule`.
    #[must_use]
    pub fn new(rule: R, policy: P) -> Self {
        Self { rule, memory: R::State::default(), policy, healthy: false, in_outage: false }
    }

    /// The policy inside.
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

    fn record_unmade(&mut self, failure: Failure) {
        self.policy.record_unmade(failure);
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}
