//! tower: a maker, from which each call gets a backoff that returns timers.

use core::hash::{BuildHasher, Hasher};
use core::time::Duration;
use std::io;
use std::sync::LazyLock;

use retrylab_core::{Exponential, GiveUp, Instant};
use tokio::runtime::{Builder, Runtime};
use tower::retry::backoff::{Backoff as _, ExponentialBackoff, ExponentialBackoffMaker, MakeBackoff as _};
use tower::util::rng::HasherRng;

use crate::setting::Setting;
use crate::{CallWaits, Library, NotExpressible, Randomness};

/// tower's exponential backoff, which always doubles. Its jitter adds up to 99 % of the rung (the library's default),
/// cut at the ceiling after it is drawn, so there is none at the ceiling.
///
/// The maker clones its generator for each call, and a clone of the maker, for another client or request, clones the
/// generator too. Nothing advances it, so all of them draw the same jitter. The policy around the backoff counts
/// attempts, as in the library's examples.
#[derive(Clone, Debug)]
pub struct Tower {
    maker: ExponentialBackoffMaker<HasherRng<Seed>>,
    backoff: ExponentialBackoff<HasherRng<Seed>>,
    retries: Option<u32>,
    taken: u32,
    runtime: &'static Runtime,
}

impl CallWaits for Tower {
    fn begin(&mut self, _: Instant, _: u64) {
        self.backoff = self.maker.make_backoff();
        self.taken = 0;
    }

    #[expect(clippy::disallowed_methods, reason = "the runtime's clock is paused, and a deadline is read against it")]
    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        if self.retries.is_some_and(|retries| self.taken >= retries) {
            return Err(GiveUp::Attempts);
        }
        self.taken = self.taken.saturating_add(1);
        let _inside = self.runtime.enter();
        let now = tokio::time::Instant::now();
        Ok(self.backoff.next_backoff().deadline() - now)
    }
}

impl Library for Tower {
    const NAME: &'static str = "tower";
    const VERSION: &'static str = "0.5.3";
    const DRAWS: Randomness = Randomness::Seeded;

    fn new(setting: &Exponential, seed: u64) -> Result<Self, NotExpressible> {
        let not = NotExpressible::by::<Self>;
        setting.no_elapsed("it limits attempts alone").map_err(not)?;
        if setting.whole_factor() != Ok(2) {
            return Err(not(format!("a factor of {}: it doubles", setting.factor())));
        }
        let jitter = if setting.has_jitter() { 0.99 } else { 0.0 };
        let rng = HasherRng::with_hasher(Seed(seed));
        let maker = ExponentialBackoffMaker::new(setting.base(), setting.ceiling(), jitter, rng);
        let mut maker = maker.map_err(|refused| not(refused.to_string()))?;
        let runtime = STANDSTILL.as_ref().map_err(|error| not(format!("a timer: {error}")))?;
        Ok(Self { backoff: maker.make_backoff(), maker, retries: setting.retries(), taken: 0, runtime })
    }

    fn sibling(&self) -> Self {
        self.clone()
    }
}

/// Timers need a runtime. In this one the clock is paused, so a timer's deadline gives its exact length. Nothing ever
/// runs in it.
static STANDSTILL: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().start_paused(true).build());

/// Replaces the standard library's `RandomState` in tower's generator, which hashes a counter.
#[derive(Clone, Copy, Debug)]
struct Seed(u64);

impl BuildHasher for Seed {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer(mix(self.0))
    }
}

/// Hashes by SplitMix64's finaliser.
#[derive(Clone, Copy, Debug)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// One step of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
