//! backon: an iterator of waits, built for each call.

use core::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use retrylab_core::{Exponential, GiveUp, Instant};

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// backon's exponential backoff. Its jitter adds up to the rung itself, also at the ceiling. Its time limit applies to
/// the sum of the waits.
///
/// A server's `retry_after` is handled as in the example of `Retry::adjust`: it replaces the iterator's item, the end
/// included.
#[derive(Debug)]
pub struct Backon {
    builder: ExponentialBuilder,
    waits: <ExponentialBuilder as BackoffBuilder>::Backoff,
    retries: Option<u32>,
    taken: u32,
}

impl CallWaits for Backon {
    fn begin(&mut self, _: Instant, draw: u64) {
        self.waits = self.builder.with_jitter_seed(draw).build();
        self.taken = 0;
    }

    fn next_wait(&mut self, retry_after: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        let wait = self.waits.next();
        let spent = self.retries.is_some_and(|retries| self.taken >= retries);
        self.taken = self.taken.saturating_add(1);
        let limit = if spent { GiveUp::Attempts } else { GiveUp::Elapsed };
        retry_after.or(wait).ok_or(limit)
    }
}

impl Library for Backon {
    const NAME: &'static str = "backon";
    const VERSION: &'static str = "1.6.0";
    const DRAWS: Randomness = Randomness::Seeded;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        #[expect(clippy::cast_possible_truncation, reason = "the library has no more precision")]
        let factor = setting.factor() as f32;
        let mut builder = ExponentialBuilder::new()
            .with_min_delay(setting.base())
            .with_factor(factor)
            .with_max_delay(setting.ceiling())
            .with_total_delay(setting.options().elapsed);
        builder = match setting.retries() {
            Some(retries) => builder.with_max_times(usize::try_from(retries).unwrap_or(usize::MAX)),
            None => builder.without_max_times(),
        };
        if setting.has_jitter() {
            builder = builder.with_jitter();
        }
        Ok(Self { builder, waits: builder.build(), retries: setting.retries(), taken: 0 })
    }

    fn sibling(&self) -> Self {
        Self { builder: self.builder, waits: self.builder.build(), retries: self.retries, taken: 0 }
    }
}
