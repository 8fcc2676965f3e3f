//! Numbers that are too large for their type. No formula with a fault works in floating point here: what matters is
//! what becomes of the value that does not fit.

use core::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Policy, Rung};
use retrylab_sim::{BuiltIn, build};

use super::wait::Place;
use super::{Fault, Specimen, server};

const NANOS_A_MILLI: u64 = 1_000_000;

pub(super) const FLOAT_TO_INTEGER_GIVES_ZERO: Specimen = Specimen {
    name: "float-to-integer-gives-zero",
    statement: "The growing wait is converted to 63 bits of nanoseconds before the ceiling applies, and what does not \
                fit becomes zero.",
    cite: "kubernetes/kubernetes PR #31396",
    fault: Fault::Rung(|place| {
        let grown = uncapped(place).and_then(|grown| i64::try_from(grown).ok()).unwrap_or(0);
        Some(grown.unsigned_abs().min(place.ceiling))
    }),
};

pub(super) const OVERFLOW_FORGETS_THE_CAP: Specimen = Specimen {
    name: "overflow-forgets-the-cap",
    statement: "Where the growing wait overflows, the longest wait of the type is returned in place of the ceiling.",
    cite: "App-vNext/Polly #1866",
    fault: Fault::Rung(|place| Some(uncapped(place).map_or(u64::MAX, |grown| grown.min(place.ceiling)))),
};

pub(super) const OVERFLOW_ENDS_THE_LOOP: Specimen = Specimen {
    name: "overflow-ends-the-loop",
    statement: "The unclamped product panics when it overflows 64 bits of milliseconds, and with it ends whoever \
                retried.",
    cite: "infinitefield/hypersdk PR #65; EmbarkStudios/tryhard #24",
    fault: Fault::Rung(|place| {
        let factor = 2_u64.checked_pow(place.number - 1)?;
        let millis = (place.base / NANOS_A_MILLI).checked_mul(factor)?;
        Some(millis.saturating_mul(NANOS_A_MILLI).min(place.ceiling))
    }),
};

pub(super) const POWER_WRAPS_IN_32_BITS: Specimen = Specimen {
    name: "power-wraps-in-32-bits",
    statement: "The power is taken in 32 bits and wraps, down to a factor of zero.",
    cite: "kezhuw/zookeeper-client-rust #77",
    fault: Fault::Rung(|place| {
        let factor = 2_u32.wrapping_pow(place.number - 1);
        Some(place.base.saturating_mul(factor.into()).min(place.ceiling))
    }),
};

pub(super) const SHIFT_WRAPS_TO_ZERO: Specimen = Specimen {
    name: "shift-wraps-to-zero",
    statement: "The doubling is a shift that wraps: from the 65th failure on the wait is zero.",
    cite: "tidewave-ai/mcp_proxy_rust PR #9",
    fault: Fault::Rung(|place| {
        let factor = 2_u64.wrapping_pow(place.number - 1);
        Some(place.base.saturating_mul(factor).min(place.ceiling))
    }),
};

pub(super) const TIMER_OF_32_BITS: Specimen = Specimen {
    name: "timer-of-32-bits",
    statement: "The server's wait is taken as it is, and one beyond 2^31 - 1 ms fires at once.",
    cite: "vellum-ai/vellum-assistant PR #3227",
    fault: Fault::Policy(|client| {
        let uncapped = server::uncapped(client)?;
        Some(Box::new(ShortTimer { policy: build(&uncapped).ok()?.0 }))
    }),
};

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
