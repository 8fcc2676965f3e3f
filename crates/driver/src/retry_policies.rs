//! Call rules as a [`retry_policies::RetryPolicy`], for reqwest-middleware's `reqwest-retry` and others that take one.

use std::time::{Duration, SystemTime};

use retry_policies::{RetryDecision, RetryPolicy};
use retrylab_core::{CallRules, CallRulesError, Decision, FailureKind, Instant, Unlimited};

use crate::entropy::{Entropy, SystemEntropy};
use crate::session::LONGEST_WAIT;

/// Call rules behind the interface of `retry-policies`, which passes no more than when a request started and how many
/// retries it has had. So it carries less than a driver does:
///
/// * What failed and how, and a `Retry-After`, do not get through: the middleware decides which failures are retried, and
///   [`ServerDelay`](retrylab_core::ServerDelay) has no effect.
/// * No success is heard of, so there is no budget, no reset, and no policy but bounded calls.
/// * The draws are its own, one for each failure up to the present one, because nothing is remembered between two retries.
///   Waits with decorrelated jitter are as likely as in a driver, but do not follow from the waits before.
/// * The elapsed time counts from the start of the request, not from its first failure, and limits the present wait
///   alone. A deadline has no effect.
///
/// ```
/// use std::time::Duration;
/// use std::time::SystemTime;
/// use retry_policies::{RetryDecision, RetryPolicy};
/// use retrylab_core::Exponential;
/// use retrylab_driver::retry_policies::RetryView;
///
/// let rules = Exponential::new(Duration::from_secs(2), Duration::from_secs(30)).attempts(3);
/// let policy = RetryView::new(rules)?;
/// assert!(matches!(policy.should_retry(SystemTime::UNIX_EPOCH, 2), RetryDecision::DoNotRetry));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RetryView<N = SystemEntropy> {
    /// Without limits of time, so that the failures before the present one, replayed with other draws, never meet one.
    rules: CallRules,
    elapsed: Option<Duration>,
    entropy: N,
}

impl RetryView {
    /// The view of these rules or of a builder of them.
    ///
    /// # Errors
    ///
    /// If they allow no attempt.
    pub fn new<R: TryInto<CallRules>>(rules: R) -> Result<Self, R::Error>
    where
        R::Error: Into<CallRulesError>,
    {
        let rules = rules.try_into()?;
        Ok(Self { rules: rules.untimed(), elapsed: rules.elapsed(), entropy: SystemEntropy })
    }
}

impl<N> RetryView<N> {
    /// Another source of draws, for a test.
    pub fn entropy<T: Entropy>(self, entropy: T) -> RetryView<T> {
        RetryView { rules: self.rules, elapsed: self.elapsed, entropy }
    }
}

impl<N: Entropy> RetryPolicy for RetryView<N> {
    #[expect(clippy::disallowed_methods, reason = "the interface speaks of times of day")]
    fn should_retry(&self, request_start_time: SystemTime, n_past_retries: u32) -> RetryDecision {
        let now = SystemTime::now();
        let since_start = now.duration_since(request_start_time).unwrap_or_default();
        let mut state = self.rules.start();
        let mut decision = Decision::RetryAfter(Duration::ZERO);
        for _ in 0..=n_past_retries {
            let (failure, draw) = (FailureKind::Normal.into(), self.entropy.draw());
            decision = self.rules.record_failure(&mut state, &Unlimited, failure, Instant::ZERO, draw);
            if decision.delay().is_none() {
                return RetryDecision::DoNotRetry;
            }
        }
        let fits = |delay: &Duration| self.elapsed.is_none_or(|limit| since_start.saturating_add(*delay) <= limit);
        let retry_at = |delay: Duration| now.checked_add(delay.min(LONGEST_WAIT));
        let execute_after = decision.delay().filter(fits).and_then(retry_at);
        execute_after.map_or(RetryDecision::DoNotRetry, |execute_after| RetryDecision::Retry { execute_after })
    }
}
