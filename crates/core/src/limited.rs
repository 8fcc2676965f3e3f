//! A policy with additional limits from its caller: a budget and a deadline.

use core::time::Duration;

use crate::budget::{Budget, Unlimited};
use crate::call::ends_after;
use crate::policy::{Decision, Failure, GiveUp, Policy, Rung};
use crate::time::Instant;

/// A policy with a budget that pays for each retry, and a deadline before which each retry must start.
///
/// The policy decides first; then the deadline, then the budget may refuse the retry. A policy whose retry is refused
/// receives [`Policy::record_cancelled_retry`], for its own refund, and [`Policy::record_abandoned`].
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{
///     Decision, FailureKind, GiveUp, Instant, Limited, Policy, Retry, RetryRules, TokenBucket,
/// };
///
/// let shared = TokenBucket::new(1).cost(1)?;
/// let stream = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
/// let mut limited = Limited::new(stream).budget(&shared);
/// let mut fail = || limited.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
/// assert_eq!(fail(), Decision::RetryAfter(Duration::from_secs(1)));
/// assert_eq!(fail(), Decision::GiveUp(GiveUp::Budget));
/// # Ok::<(), retrylab_core::BudgetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limited<P, B = Unlimited> {
    policy: P,
    budget: B,
    /// `u64::MAX`, later than every instant: no deadline.
    deadline_ns: u64,
    /// Whether the present operation has failed already.
    failed: bool,
}

impl<P> Limited<P> {
    /// Wraps a policy, without further limits so far.
    #[must_use]
    pub const fn new(policy: P) -> Self {
        Self { policy, budget: Unlimited, deadline_ns: u64::MAX, failed: false }
    }
}

impl<P, B> Limited<P, B> {
    /// Sets the budget that pays for each retry. A reference or an `Arc` shares it with other operations.
    #[must_use]
    pub fn budget<N: Budget>(self, budget: N) -> Limited<P, N> {
        let Self { policy, deadline_ns, failed, .. } = self;
        Limited { policy, budget, deadline_ns, failed }
    }

    /// Sets the last instant at which a retry may start.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline_ns = deadline.as_nanos();
        self
    }
}

impl<P: Policy, B: Budget> Policy for Limited<P, B> {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        if !self.failed {
            self.failed = true;
            self.budget.record_request();
        }
        let decision = self.policy.record_failure(failure, now, draw);
        let refused = match decision {
            Decision::GiveUp(_) => {
                self.failed = false;
                return decision;
            }
            Decision::RetryAfter(wait) if ends_after(now.as_nanos(), crate::nanos(wait), self.deadline_ns) => {
                GiveUp::Elapsed
            }
            Decision::RetryAfter(_) if self.budget.withdraw(&failure) => return decision,
            Decision::RetryAfter(_) => GiveUp::Budget,
        };
        self.failed = false;
        self.policy.record_cancelled_retry(failure);
        self.policy.record_abandoned();
        Decision::GiveUp(refused)
    }

    fn record_success(&mut self, now: Instant) {
        if !self.failed {
            self.budget.record_request();
        }
        self.failed = false;
        self.budget.record_success();
        self.policy.record_success(now);
    }

    fn record_connected(&mut self, now: Instant) {
        self.policy.record_connected(now);
    }

    fn record_cancelled_retry(&mut self, failure: Failure) {
        if self.failed {
            self.budget.refund(&failure);
        }
        self.policy.record_cancelled_retry(failure);
    }

    fn record_abandoned(&mut self) {
        self.failed = false;
        self.policy.record_abandoned();
    }

    fn next_delay(&self) -> Duration {
        self.policy.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}
