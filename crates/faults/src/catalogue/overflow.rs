//! Numbers too large for their type. No faulty formula here uses floating point: the point is the overflow.

use core::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Policy, Rung};
use retrylab_sim::{BuiltIn, build};

use super::formula::Place;
use super::{Category, KnownFault, Making, reported, server};

const NANOS_A_MILLI: u64 = 1_000_000;

pub(super) const FLOAT_TO_INTEGER_GIVES_ZERO: KnownFault = reported(
    Category::Overflow,
    "float-to-integer-gives-zero",
    "kubernetes/kubernetes PR #31396",
    "The growing wait is converted to 63 bits of nanoseconds before the ceiling applies, and what does not \
                fit becomes zero.",
    Making::Rung(|place| {
        let grown = uncapped(place).and_then(|grown| i64::try_from(grown).ok()).unwrap_or(0);
        Some(grown.unsigned_abs().min(place.ceiling))
    }),
);

pub(super) const OVERFLOW_FORGETS_THE_CAP: KnownFault = reported(
    Category::Overflow,
    "overflow-forgets-the-cap",
    "App-vNext/Polly #1866",
    "On overflow of the growing wait, the longest wait of the type is returned instead of the ceiling.",
    Making::Rung(|place| Some(uncapped(place).map_or(u64::MAX, |grown| grown.min(place.ceiling)))),
);

pub(super) const OVERFLOW_ENDS_THE_LOOP: KnownFault = reported(
    Category::Overflow,
    "overflow-ends-the-loop",
    "infinitefield/hypersdk PR #65; EmbarkStudios/tryhard #24",
    "The unclamped product overflows 64 bits of milliseconds and panics, which ends the retry loop.",
    Making::Rung(|place| {
        let factor = 2_u64.checked_pow(place.number - 1)?;
        let millis = (place.base / NANOS_A_MILLI).checked_mul(factor)?;
        Some(millis.saturating_mul(NANOS_A_MILLI).min(place.ceiling))
    }),
);

pub(super) const POWER_WRAPS_IN_32_BITS: KnownFault = reported(
    Category::Overflow,
    "power-wraps-in-32-bits",
    "kezhuw/zookeeper-client-rust #77",
    "The power is taken in 32 bits and wraps, down to a factor of zero.",
    Making::Rung(|place| {
        let factor = 2_u32.wrapping_pow(place.number - 1);
        Some(place.base.saturating_mul(factor.into()).min(place.ceiling))
    }),
);

pub(super) const SHIFT_WRAPS_TO_ZERO: KnownFault = reported(
    Category::Overflow,
    "shift-wraps-to-zero",
    "tidewave-ai/mcp_proxy_rust PR #9",
    "The doubling is a shift that wraps: from the 65th failure on the wait is zero.",
    Making::Rung(|place| {
        let factor = 2_u64.wrapping_pow(place.number - 1);
        Some(place.base.saturating_mul(factor).min(place.ceiling))
    }),
);

pub(super) const TIMER_OF_32_BITS: KnownFault = reported(
    Category::Overflow,
    "timer-of-32-bits",
    "vellum-ai/vellum-assistant PR #3227",
    "A retry_after is used unchecked, and one beyond 2^31 - 1 ms fires at once.",
    Making::Policy(|client| {
        let uncapped = server::uncapped(client)?;
        Some(Box::new(ShortTimer { policy: build(&uncapped).ok()?.0 }))
    }),
);

struct ShortTimer {
    policy: BuiltIn,
}

impl ShortTimer {
    fn fires_after(wait: Duration) -> Duration {
        if wait > Duration::from_millis(i32::MAX.unsigned_abs().into()) { Duration::ZERO } else { wait }
    }
}

impl Policy for ShortTimer {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        match self.policy.record_failure(failure, now, draw) {
            Decision::RetryAfter(wait) => Decision::RetryAfter(Self::fires_after(wait)),
            give_up @ Decision::GiveUp(_) => give_up,
        }
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
    }

    fn next_delay(&self) -> Duration {
        Self::fires_after(self.policy.next_delay())
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}

/// The rung as if there were no ceiling; `None` if it does not fit into 64 bits of nanoseconds.
pub(super) fn uncapped(place: &Place) -> Option<u64> {
    let mut rung = u128::from(place.base);
    for _ in 1..place.number {
        rung = rung * u128::from(place.ratio.numerator) / u128::from(place.ratio.denominator);
        if rung > u128::from(u64::MAX) {
            return None;
        }
    }
    u64::try_from(rung).ok()
}
