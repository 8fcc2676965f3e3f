//! tokio-retry2: an iterator of waits, cloned for each call.

use core::iter::Take;
use core::time::Duration;

use retrylab_core::{Exponential, GiveUp, Instant};
use tokio_retry2::strategy::{ExponentialFactorBackoff, jitter};

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// tokio-retry2's backoff with a factor. Its jitter is plus or minus half of the rung, also at the ceiling.
///
/// A server's `retry_after` is the `retry_after` of a transient error. The library's loop passes it to the notification
/// and then waits for the iterator's item, so it is ignored here too.
#[derive(Clone, Debug)]
pub struct TokioRetry2 {
    strategy: ExponentialFactorBackoff,
    waits: Take<ExponentialFactorBackoff>,
    retries: usize,
    jitter: bool,
}

impl CallWaits for TokioRetry2 {
    fn begin(&mut self, _: Instant, _: u64) {
        self.waits = self.strategy.clone().take(self.retries);
    }

    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        let wait = self.waits.next().ok_or(GiveUp::Attempts)?;
        Ok(if self.jitter { jitter(wait) } else { wait })
    }
}

impl Library for TokioRetry2 {
    const NAME: &'static str = "tokio-retry2";
    const VERSION: &'static str = "0.9.1";
    const DRAWS: Randomness = Randomness::Own;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        let elapsed = setting.no_elapsed("it counts by the system's clock, which cannot be replaced");
        let millis = elapsed.and_then(|()| setting.whole_millis()).map_err(NotExpressible::by::<Self>)?;
        let strategy = ExponentialFactorBackoff::from_millis(millis, setting.factor()).max_delay(setting.ceiling());
        let retries = setting.retries().map_or(usize::MAX, |retries| usize::try_from(retries).unwrap_or(usize::MAX));
        Ok(Self { waits: strategy.clone().take(retries), strategy, retries, jitter: setting.has_jitter() })
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}
