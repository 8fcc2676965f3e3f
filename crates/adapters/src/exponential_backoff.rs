//! exponential-backoff: an iterator of attempts, of which each call gets a new one.

use core::time::Duration;

use exponential_backoff::{Backoff, IntoIter};
use retrylab_core::{GiveUp, Instant};

use crate::{Draws, Library, NotExpressible, Session, Setting};

/// exponential-backoff's policy. Jitter is up to 29 % of the rung less or 15 to 29 % more, in whole percents, and cut at
/// base and ceiling after it is drawn, so that it is gone at the ceiling. It always has a limit on attempts; none is
/// 2^32 - 1 of them.
///
/// The iterator forks its generator from fastrand's of the thread, which can be seeded; afterwards that one goes on
/// where it was.
#[derive(Clone, Debug)]
pub struct ExponentialBackoff {
    policy: Backoff,
    waits: IntoIter,
}

impl Session for ExponentialBackoff {
    fn begin(&mut self, _: Instant, draw: u64) {
        self.waits = seeded(&self.policy, draw);
    }

    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        // One item an attempt; the last attempt has no wait after it.
        self.waits.next().flatten().ok_or(GiveUp::Attempts)
    }
}

impl Library for ExponentialBackoff {
    const NAME: &'static str = "exponential-backoff";
    const VERSION: &'static str = "2.1.1";
    const DRAWS: Draws = Draws::Seeded;

    fn new(setting: &Setting, _: u64) -> Result<Self, NotExpressible> {
        let factor = setting.no_elapsed("it limits attempts alone").and_then(|()| setting.whole_factor());
        let attempts = setting.attempts().unwrap_or(u32::MAX);
        let mut policy = Backoff::new(attempts, setting.base(), setting.ceiling());
        policy.set_factor(factor.map_err(NotExpressible::by::<Self>)?);
        if !setting.jitter() {
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
