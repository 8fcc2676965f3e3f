//! Ladders of another shape, and numbers that are too large for their type.

use super::machine::{Machine, RIGHT, Steps};
use super::{Mistake, STREAMING, machine};

/// A streaming client with the right ladder but for this base.
const fn ladder(name: &'static str, statement: &'static str, base: fn(&Machine) -> u64) -> Mistake {
    machine(name, statement, STREAMING, Steps { base, ..RIGHT })
}

pub(super) const EXPONENT_WRAPS_AT_31_BITS: Mistake = ladder(
    "exponent-wraps-at-31-bits",
    "The factor is a signed number of 32 bits: the 32nd failure makes it negative, which is no wait.",
    |machine| scaled(machine, i64::from(1_i32.wrapping_shl(below(machine)))),
);

pub(super) const EXPONENT_WRAPS_AT_32_BITS: Mistake = ladder(
    "exponent-wraps-at-32-bits",
    "The factor is a shift of 32 bits: with the 33rd failure the ladder starts over.",
    |machine| scaled(machine, i64::from(1_u32.wrapping_shl(below(machine)))),
);

pub(super) const EXPONENT_WRAPS_AT_63_BITS: Mistake = ladder(
    "exponent-wraps-at-63-bits",
    "The factor is a signed number of 64 bits: the 64th failure makes it negative, which is no wait.",
    |machine| scaled(machine, 1_i64.wrapping_shl(below(machine))),
);

pub(super) const EXPONENT_WRAPS_AT_64_BITS: Mistake = ladder(
    "exponent-wraps-at-64-bits",
    "The factor is a shift of 64 bits: with the 65th failure the ladder starts over.",
    |machine| {
        let factor = 1_u64.wrapping_shl(below(machine));
        machine.bounds.0.saturating_mul(factor).min(machine.bounds.1)
    },
);

pub(super) const PRODUCT_WRAPS: Mistake = ladder(
    "product-wraps",
    "The doubled wait wraps before it is cut: a few dozen failures are followed by no wait at all.",
    |machine| machine.bounds.0.wrapping_mul(1_u64.checked_shl(below(machine)).unwrap_or(0)).min(machine.bounds.1),
);

pub(super) const COUNT_IN_A_BYTE: Mistake = ladder(
    "count-in-a-byte",
    "The count of failures has eight bits: with the 257th the ladder starts over.",
    |machine| machine.doubled(below(machine) % 256),
);

pub(super) const CEILING_A_RUNG_LATE: Mistake = ladder(
    "ceiling-a-rung-late",
    "The wait is cut where it was above the ceiling before it was doubled, one rung too late.",
    |machine| match machine.doubled(below(machine).saturating_sub(1)) {
        ceiling if ceiling == machine.bounds.1 => ceiling,
        _ => machine.bounds.0.saturating_mul(1_u64.checked_shl(below(machine)).unwrap_or(u64::MAX)),
    },
);

pub(super) const STOPS_BELOW_THE_CEILING: Mistake = ladder(
    "stops-below-the-ceiling",
    "A rung above the ceiling is not taken, so that the last one below is kept and the ceiling never reached.",
    |machine| {
        let (first, ceiling) = machine.bounds;
        let rungs =
            (0..=below(machine)).map(|times| first.saturating_mul(1_u64.checked_shl(times).unwrap_or(u64::MAX)));
        rungs.take_while(|rung| *rung <= ceiling).last().unwrap_or(first)
    },
);

pub(super) const STARTS_OVER_AT_THE_CEILING: Mistake =
    ladder("starts-over-at-the-ceiling", "After the ceiling the ladder starts over, to try again sooner.", |machine| {
        machine.doubled(below(machine) % 8)
    });

pub(super) const DOUBLED_BEFORE_THE_FIRST_WAIT: Mistake = ladder(
    "doubled-before-the-first-wait",
    "The exponent is the number of failures, so that the first wait is doubled already.",
    |machine| machine.doubled(machine.attempts),
);

pub(super) const TRIPLES: Mistake = ladder("triples", "The wait is tripled, not doubled.", |machine| {
    machine.bounds.0.saturating_mul(3_u64.saturating_pow(below(machine))).min(machine.bounds.1)
});

pub(super) const GROWS_LINEARLY: Mistake =
    ladder("grows-linearly", "Each rung adds the first wait in place of doubling the last.", |machine| {
        machine.bounds.0.saturating_mul(u64::from(machine.attempts)).min(machine.bounds.1)
    });

pub(super) const BASE_OF_THE_TIME_IN_OUTAGE: Mistake = machine(
    "base-of-the-time-in-outage",
    "The wait is as long as the outage, and not what the count says: a machine that slept through it waits for long.",
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

/// How many doublings there are.
fn below(machine: &Machine) -> u32 {
    machine.attempts.saturating_sub(1)
}

fn scaled(machine: &Machine, factor: i64) -> u64 {
    let factor = u64::try_from(factor).unwrap_or(0);
    machine.bounds.0.saturating_mul(factor).min(machine.bounds.1)
}
