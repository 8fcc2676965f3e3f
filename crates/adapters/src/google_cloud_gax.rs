//! google-cloud-gax: one policy for whether to retry, one for the waits, both shared by all calls; a state for each
//! call.

use core::time::Duration;
use std::sync::Arc;

use google_cloud_gax::backoff_policy::BackoffPolicy as _;
use google_cloud_gax::error::Error;
use google_cloud_gax::error::rpc::{Code, Status};
use google_cloud_gax::exponential_backoff::{ExponentialBackoff, ExponentialBackoffBuilder};
use google_cloud_gax::retry_policy::{AlwaysRetry, LimitedAttemptCount, RetryPolicy as _, RetryPolicyExt as _};
use google_cloud_gax::retry_state::RetryState;
use retrylab_core::{Exponential, GiveUp, Instant};

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// google-cloud-gax's exponential backoff, with its limit on attempts. Its jitter is full and cannot be turned off for
/// retries. The library parses a delay in the server's `RetryInfo` and ignores it.
#[derive(Clone, Debug)]
pub struct GoogleCloudGax {
    backoff: Arc<ExponentialBackoff>,
    limit: Option<Arc<LimitedAttemptCount<AlwaysRetry>>>,
    state: RetryState,
}

impl CallWaits for GoogleCloudGax {
    fn begin(&mut self, _: Instant, _: u64) {
        self.state.attempt_count = 0;
    }

    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        self.state.attempt_count = self.state.attempt_count.saturating_add(1);
        if let Some(limit) = &self.limit {
            let transient = Error::service(Status::default().set_code(Code::Unavailable));
            if !limit.on_error(&self.state, transient).is_continue() {
                return Err(GiveUp::Attempts);
            }
        }
        Ok(self.backoff.on_failure(&self.state))
    }
}

impl Library for GoogleCloudGax {
    const NAME: &'static str = "google-cloud-gax";
    const VERSION: &'static str = "1.15.0";
    const DRAWS: Randomness = Randomness::Own;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        let not = NotExpressible::by::<Self>;
        setting.no_elapsed("it counts by the system's clock, which cannot be replaced").map_err(not)?;
        if !setting.has_jitter() {
            return Err(not("waits without jitter: it always spreads them".to_owned()));
        }
        let backoff = ExponentialBackoffBuilder::new()
            .with_initial_delay(setting.base())
            .with_maximum_delay(setting.ceiling())
            .with_scaling(setting.factor())
            .build()
            .map_err(|refused| not(refused.to_string()))?;
        let limit = setting.most_attempts().map(|attempts| Arc::new(AlwaysRetry.with_attempt_limit(attempts)));
        Ok(Self { backoff: Arc::new(backoff), limit, state: RetryState::new(true) })
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}
