//! retry-policies: a policy that says, of a number of retries, at which time of day to make the next.

use core::time::Duration;
use std::time::SystemTime;

use retry_policies::policies::{ExponentialBackoff, ExponentialBackoffTimed};
use retry_policies::{Jitter, RetryDecision, RetryPolicy as _};
use retrylab_core::{GiveUp, Instant};

use crate::{Draws, Library, NotExpressible, Session, Setting};

/// retry-policies' exponential backoff. Jitter is anything below the rung (the library's default, "full").
///
/// It reads the system's time of day, and so does this adapter: a wait is what is left of it when the policy has
/// answered, which is some nanoseconds less than the policy meant. A limit on time is told apart in virtual time, by
/// dating the start of the call back.
#[derive(Clone, Debug)]
pub struct RetryPolicies {
    policy: ExponentialBackoffTimed,
    started: Instant,
    retries: u32,
}

impl Session for RetryPolicies {
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
    const DRAWS: Draws = Draws::Own;

    fn new(setting: &Setting, _: u64) -> Result<Self, NotExpressible> {
        let builder = ExponentialBackoff::builder()
            .retry_bounds(setting.base(), setting.ceiling())
            .jitter(if setting.jitter() { Jitter::Full } else { Jitter::None })
            .base(setting.whole_factor().map_err(NotExpressible::by::<Self>)?);
        let elapsed = setting.elapsed().unwrap_or(Duration::MAX);
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
