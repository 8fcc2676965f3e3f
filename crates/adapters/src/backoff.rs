//! backoff: a policy that is reset at the start of each call, on a clock of the caller.

use core::time::Duration;
use std::time::Instant as SystemInstant;

use backoff::Clock;
use backoff::backoff::Backoff as _;
use retrylab_core::{Exponential, GiveUp, Instant};

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// backoff's exponential backoff. Its jitter is plus or minus half of the rung, also at the ceiling.
///
/// A server's `retry_after` is the `retry_after` of a transient error: the library's loop waits for it without asking
/// the policy, so no limit applies.
#[derive(Clone, Debug)]
pub struct Backoff(backoff::exponential::ExponentialBackoff<VirtualClock>);

/// A point of virtual time. The library accepts only the system's type, so points are counted from a single reading.
#[derive(Clone, Copy, Debug)]
struct VirtualClock {
    origin: SystemInstant,
    now: Instant,
}

impl Clock for VirtualClock {
    fn now(&self) -> SystemInstant {
        // Only differences matter. No platform's clock ends within the 584 years of virtual time.
        self.origin.checked_add(self.now.since_origin()).unwrap_or(self.origin)
    }
}

impl CallWaits for Backoff {
    fn begin(&mut self, now: Instant, _: u64) {
        self.0.clock.now = now;
        self.0.reset();
    }

    fn next_wait(&mut self, retry_after: Option<Duration>, now: Instant) -> Result<Duration, GiveUp> {
        self.0.clock.now = now;
        retry_after.or_else(|| self.0.next_backoff()).ok_or(GiveUp::Elapsed)
    }
}

impl Library for Backoff {
    const NAME: &'static str = "backoff";
    const VERSION: &'static str = "0.4.0";
    const DRAWS: Randomness = Randomness::Own;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        if let Some(attempts) = setting.most_attempts() {
            return Err(NotExpressible::by::<Self>(format!("a limit of {attempts} attempts: it limits time alone")));
        }
        let origin = backoff::SystemClock::default().now();
        Ok(Self(backoff::exponential::ExponentialBackoff {
            current_interval: setting.base(),
            initial_interval: setting.base(),
            randomization_factor: if setting.has_jitter() { backoff::default::RANDOMIZATION_FACTOR } else { 0.0 },
            multiplier: setting.factor(),
            max_interval: setting.ceiling(),
            max_elapsed_time: setting.options().elapsed,
            start_time: origin,
            clock: VirtualClock { origin, now: Instant::ZERO },
        }))
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}
