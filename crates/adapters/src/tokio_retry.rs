//! tokio-retry: an iterator of waits, cloned for each call.

use core::iter::Take;
use core::time::Duration;

use retrylab_core::{Exponential, GiveUp, Instant};
use tokio_retry::strategy::{ExponentialBackoff, jitter};

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// tokio-retry's exponential backoff, which is a power of its base: rung n is `factor · base^n` milliseconds. A ladder
/// that doubles therefore has base 2, and gets its unit from the factor. Its jitter is full.
#[derive(Clone, Debug)]
pub struct TokioRetry {
    strategy: ExponentialBackoff,
    waits: Take<ExponentialBackoff>,
    retries: usize,
    jitter: bool,
}

impl TokioRetry {
    fn with_strategy(strategy: ExponentialBackoff, setting: &Exponential) -> Self {
        let retries = setting.retries().map_or(usize::MAX, |retries| usize::try_from(retries).unwrap_or(usize::MAX));
        let strategy = strategy.max_delay(setting.ceiling());
        Self { waits: strategy.clone().take(retries), strategy, retries, jitter: setting.has_jitter() }
    }
}

impl CallWaits for TokioRetry {
    fn begin(&mut self, _: Instant, _: u64) {
        self.waits = self.strategy.clone().take(self.retries);
    }

    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        let wait = self.waits.next().ok_or(GiveUp::Attempts)?;
        Ok(if self.jitter { jitter(wait) } else { wait })
    }
}

impl Library for TokioRetry {
    const NAME: &'static str = "tokio-retry";
    const VERSION: &'static str = "0.3.2";
    const DRAWS: Randomness = Randomness::Own;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        let strategy = || {
            setting.no_elapsed(NO_ELAPSED)?;
            let (millis, factor) = (setting.whole_millis()?, u64::from(setting.whole_factor()?));
            if millis % factor != 0 {
                return Err(format!(
                    "a base of {:?} with a factor of {factor}: its waits are a whole number of milliseconds times powers of the factor",
                    setting.base()
                ));
            }
            Ok(ExponentialBackoff::from_millis(factor).factor(millis / factor))
        };
        Ok(Self::with_strategy(strategy().map_err(NotExpressible::by::<Self>)?, setting))
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}

/// tokio-retry used as its constructor's name suggests: `from_millis(base)` for a wait that starts at the base. It does
/// start there, and continues with the base's square and cube, whatever the factor of the setting.
#[derive(Clone, Debug)]
pub struct FromMillis(TokioRetry);

impl CallWaits for FromMillis {
    fn begin(&mut self, now: Instant, draw: u64) {
        self.0.begin(now, draw);
    }

    fn next_wait(&mut self, retry_after: Option<Duration>, now: Instant) -> Result<Duration, GiveUp> {
        self.0.next_wait(retry_after, now)
    }
}

impl Library for FromMillis {
    const NAME: &'static str = "tokio-retry-from-millis";
    const PACKAGE: &'static str = TokioRetry::PACKAGE;
    const VERSION: &'static str = TokioRetry::VERSION;
    const DRAWS: Randomness = TokioRetry::DRAWS;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        let millis = setting.no_elapsed(NO_ELAPSED).and_then(|()| setting.whole_millis());
        let strategy = ExponentialBackoff::from_millis(millis.map_err(NotExpressible::by::<Self>)?);
        Ok(Self(TokioRetry::with_strategy(strategy, setting)))
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}

const NO_ELAPSED: &str = "it limits attempts alone";
