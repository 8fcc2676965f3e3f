//! exponential-backoff: an iterator of attempts, a new one for each call.

use core::time::Duration;

use exponential_backoff::{Backoff, IntoIter};
use retrylab_core::{Exponential, GiveUp, Instant};

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// exponential-backoff's policy. Its jitter takes up to 29 % off the rung or adds 15 to 29 %, in whole percents, and is
/// cut at base and ceiling after it is drawn, so there is none at the ceiling. It always has a limit on attempts;
/// without one it is 2^32 - 1.
///
/// The iterator forks its generator from fastrand's thread-local one, which is seeded for this and restored afterwards.
#[derive(Clone, Debug)]
pub struct ExponentialBackoff {
    policy: Backoff,
    waits: IntoIter,
}

impl CallWaits for ExponentialBackoff {
    fn begin(&mut self, _: Instant, draw: u64) {
        self.waits = seeded(&self.policy, draw);
    }

    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        // One item per attempt; the last attempt has no wait after it.
        self.waits.next().flatten().ok_or(GiveUp::Attempts)
    }
}

impl Library for ExponentialBackoff {
    const NAME: &'static str = "exponential-backoff";
    const VERSION: &'static str = "2.1.1";
    const DRAWS: Randomness = Randomness::Seeded;

    fn new(setting: &Exponential, _: u64) -> Result<Self, NotExpressible> {
        let factor = setting.no_elapsed("it limits attempts alone").and_then(|()| setting.whole_factor());
        let attempts = setting.most_attempts().unwrap_or(u32::MAX);
        let mut policy = Backoff::new(attempts, setting.base(), setting.ceiling());
        policy.set_factor(factor.map_err(NotExpressible::by::<Self>)?);
        if !setting.has_jitter() {
            policy.set_jitter(0.0);
        }
        Ok(Self { waits: seeded(&policy, 0), policy })
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}

fn seeded(policy: &Backoff, seed: u64) -> IntoIter {
    let before = fastrand::get_seed();
    fastrand::seed(seed);
    let waits = policy.iter();
    fastrand::seed(before);
    waits
}
