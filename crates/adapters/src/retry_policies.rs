//! retry-policies: a policy that returns, for a number of retries, the time of day of the next.

use core::time::Duration;
use std::time::SystemTime;

use retry_policies::policies::{ExponentialBackoff, ExponentialBackoffTimed};
use retry_policies::{Jitter, RetryDecision, RetryPolicy as _};
use retrylab_core::{Exponential, GiveUp, Instant};

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// retry-policies' exponential backoff. Its jitter is full (the library's default).
///
/// It reads the system's time of day, and so does this adapter: a wait is the time left after the policy has answered,
/// some nanoseconds less than the policy meant. A time limit is tested in virtual time, by dating back the start of the
/// call.
#[derive(Clone, Debug)]
pub struct RetryPolicies {
    policy: ExponentialBackoffTimed,
    started: Instant,
    retries: u32,
}

impl CallWaits for RetryPolicies {
    fn begin(&mut self, now: Instant, _: u64) {
        self.started = now;
        self.retries = 0;
    }

    fn next_wait(&mut self, _: Option<Duration>, now: Instant) -> Result<Duration, GiveUp> {
        let today = time_of_day();
        let started = today.checked_sub(now.since(self.started)).unwrap_or(SystemTime::UNIX_EPOCH);
        match self.policy.should_retry(started, self.retries) {
            RetryDecision::Retry { execute_after } => {
                self.retries = self.retries.saturating_add(1);
                Ok(execute_after.duration_since(time_of_day()).unwrap_or_default())
            }
            RetryDecision::DoNotRetry => {
                let spent = self.policy.max_retries().is_some_and(|most| self.retries >= most);
                Err(if spent { GiveUp::Attempts } else { GiveUp::Elapsed })
            }
        }
    }
}

impl Library for RetryPolicies {
    const NAME: &'static str = "retry-policies";
    const VERSION: &'static str = "0.5.2";
    const DRAWS: Randomness = Randomness::Own;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        let builder = ExponentialBackoff::builder()
            .retry_bounds(setting.base(), setting.ceiling())
            .jitter(if setting.has_jitter() { Jitter::Full } else { Jitter::None })
            .base(setting.whole_factor().map_err(NotExpressible::by::<Self>)?);
        let elapsed = setting.options().elapsed.unwrap_or(Duration::MAX);
        let policy = match setting.retries() {
            Some(retries) => builder.build_with_total_retry_duration_and_max_retries(elapsed, retries),
            None => builder.build_with_total_retry_duration(elapsed),
        };
        Ok(Self { policy, started: Instant::ZERO, retries: 0 })
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}

#[expect(clippy::disallowed_methods, reason = "the library answers with a time of day; only the difference is used")]
fn time_of_day() -> SystemTime {
    SystemTime::now()
}
