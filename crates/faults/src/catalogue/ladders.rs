//! Ladders of another shape, and numbers too large for their type.

use retrylab_spec::{Dialect, PolicySpec, Seconds};

use super::clients::STREAMING;
use super::machine::{Machine, RIGHT, Steps};
use super::{Category, KnownFault, machine};

/// A streaming client that is correct except for this base.
const fn ladder(
    name: &'static str,
    law: &'static str,
    statement: &'static str,
    base: fn(&Machine) -> u64,
) -> KnownFault {
    machine(Category::Ladder, name, law, statement, STREAMING, Steps { base, ..RIGHT })
}

pub(super) const EXPONENT_WRAPS_AT_31_BITS: KnownFault = ladder(
    "exponent-wraps-at-31-bits",
    "base-never-decreases",
    "The factor is a signed 32-bit number: the 32nd failure makes it negative, and the wait zero.",
    |machine| scaled(machine, i64::from(1_i32.wrapping_shl(below(machine)))),
);

pub(super) const EXPONENT_WRAPS_AT_32_BITS: KnownFault = ladder(
    "exponent-wraps-at-32-bits",
    "base-never-decreases",
    "The factor is a 32-bit shift: the 33rd failure restarts the ladder.",
    |machine| scaled(machine, i64::from(1_u32.wrapping_shl(below(machine)))),
);

pub(super) const EXPONENT_WRAPS_AT_63_BITS: KnownFault = ladder(
    "exponent-wraps-at-63-bits",
    "base-never-decreases",
    "The factor is a signed 64-bit number: the 64th failure makes it negative, and the wait zero.",
    |machine| scaled(machine, 1_i64.wrapping_shl(below(machine))),
);

pub(super) const EXPONENT_WRAPS_AT_64_BITS: KnownFault = ladder(
    "exponent-wraps-at-64-bits",
    "base-never-decreases",
    "The factor is a 64-bit shift: the 65th failure restarts the ladder.",
    |machine| {
        let factor = 1_u64.wrapping_shl(below(machine));
        machine.bounds.0.saturating_mul(factor).min(machine.bounds.1)
    },
);

pub(super) const EXPONENT_CAPPED: KnownFault = machine(
    Category::Overflow,
    "exponent-capped",
    "ceiling-reached-and-kept",
    "The exponent stops at 30, whatever the ceiling is.",
    || PolicySpec::Streaming { initial_reconnect_delay: Some(Seconds::Number(1e-9)) },
    Steps { base: |machine| machine.doubled(below(machine).min(30)), ..RIGHT },
)
.spoken(Dialect::ExponentCapped);

pub(super) const PRODUCT_WRAPS: KnownFault = ladder(
    "product-wraps",
    "base-never-decreases",
    "The doubled wait wraps before it is cut: after a few dozen failures the wait is zero.",
    |machine| machine.bounds.0.wrapping_mul(1_u64.checked_shl(below(machine)).unwrap_or(0)).min(machine.bounds.1),
)
.spoken(Dialect::ExponentWraps);

pub(super) const COUNT_IN_A_BYTE: KnownFault = ladder(
    "count-in-a-byte",
    "huge-inputs-survive",
    "The count of failures has eight bits: the 257th restarts the ladder.",
    |machine| machine.doubled(below(machine) % 256),
);

pub(super) const CEILING_A_RUNG_LATE: KnownFault = ladder(
    "ceiling-a-rung-late",
    "wait-within-bounds",
    "The wait is compared with the ceiling before it is doubled, and so cut one rung too late.",
    |machine| match machine.doubled(below(machine).saturating_sub(1)) {
        ceiling if ceiling == machine.bounds.1 => ceiling,
        _ => machine.bounds.0.saturating_mul(1_u64.checked_shl(below(machine)).unwrap_or(u64::MAX)),
    },
);

pub(super) const STOPS_BELOW_THE_CEILING: KnownFault = ladder(
    "stops-below-the-ceiling",
    "ceiling-reached-and-kept",
    "A rung above the ceiling is dropped instead of cut, so that the ceiling is never reached.",
    |machine| {
        let (first, ceiling) = machine.bounds;
        let rungs =
            (0..=below(machine)).map(|times| first.saturating_mul(1_u64.checked_shl(times).unwrap_or(u64::MAX)));
        rungs.take_while(|rung| *rung <= ceiling).last().unwrap_or(first)
    },
);

pub(super) const STARTS_OVER_AT_THE_CEILING: KnownFault = ladder(
    "starts-over-at-the-ceiling",
    "base-never-decreases",
    "After the ceiling the ladder restarts, to retry sooner.",
    |machine| machine.doubled(below(machine) % 8),
);

pub(super) const DOUBLED_BEFORE_THE_FIRST_WAIT: KnownFault = ladder(
    "doubled-before-the-first-wait",
    "base-is-that-of-the-rung",
    "The exponent is the number of failures, so that the first wait is already doubled.",
    |machine| machine.doubled(machine.attempts),
);

pub(super) const TRIPLES: KnownFault =
    ladder("triples", "base-is-that-of-the-rung", "The wait is tripled instead of doubled.", |machine| {
        machine.bounds.0.saturating_mul(3_u64.saturating_pow(below(machine))).min(machine.bounds.1)
    });

pub(super) const GROWS_LINEARLY: KnownFault = ladder(
    "grows-linearly",
    "base-is-that-of-the-rung",
    "Each rung adds the first wait instead of doubling the last.",
    |machine| machine.bounds.0.saturating_mul(u64::from(machine.attempts)).min(machine.bounds.1),
);

pub(super) const BASE_OF_THE_TIME_IN_OUTAGE: KnownFault = machine(
    Category::Ladder,
    "base-of-the-time-in-outage",
    "a-clock-step-in-an-outage-changes-nothing",
    "The wait follows the length of the outage instead of the count, so that a machine which slept through it waits for long.",
    STREAMING,
    Steps {
        notice: |machine| {
            (RIGHT.notice)(machine);
            machine.kept = if machine.attempts == 0 { machine.now } else { machine.kept };
        },
        base: |machine| (machine.now - machine.kept).clamp(machine.bounds.0, machine.bounds.1),
        ..RIGHT
    },
);

/// The number of doublings.
fn below(machine: &Machine) -> u32 {
    machine.attempts.saturating_sub(1)
}

fn scaled(machine: &Machine, factor: i64) -> u64 {
    let factor = u64::try_from(factor).unwrap_or(0);
    machine.bounds.0.saturating_mul(factor).min(machine.bounds.1)
}
