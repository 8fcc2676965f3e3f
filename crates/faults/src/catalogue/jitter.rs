//! Jitter that is too much, too little, at the wrong time, or from the wrong draw.

use core::cell::Cell;

use super::clients::{POLLING, STREAMING};
use super::machine::{Machine, RIGHT, Steps, half, share};
use super::{Category, KnownFault, machine};

/// A streaming client that is correct except for this jitter.
const fn jitter(
    name: &'static str,
    law: &'static str,
    statement: &'static str,
    spread: fn(&Machine, u64, u64) -> u64,
) -> KnownFault {
    machine(Category::Jitter, name, law, statement, STREAMING, Steps { spread, ..RIGHT })
}

pub(super) const JITTER_ADDED: KnownFault = jitter(
    "jitter-added-to-the-cap",
    "wait-within-bounds",
    "The jitter is added to the base, and so goes above the ceiling.",
    |_, base, draw| base.saturating_add(half(base, draw)),
);

pub(super) const FULL_JITTER: KnownFault = jitter(
    "full-jitter",
    "wait-within-bounds",
    "Up to the whole base is subtracted instead of up to half.",
    |_, base, draw| base - share(base, draw),
);

pub(super) const JITTER_AROUND_THE_BASE: KnownFault = jitter(
    "jitter-around-the-base",
    "wait-within-bounds",
    "The wait is drawn between three and five quarters of the base.",
    |_, base, draw| (base - base / 4).saturating_add(half(base, draw)),
);

pub(super) const JITTER_LOST: KnownFault =
    jitter("jitter-lost", "jitter-spreads", "The jitter is configured and never applied.", |_, base, _| base);

pub(super) const JITTER_LOST_AT_THE_CEILING: KnownFault = jitter(
    "jitter-lost-at-the-ceiling",
    "jitter-spreads",
    "At the ceiling there is no jitter, so that all clients return together after a long outage.",
    |machine, base, draw| if base == machine.bounds.1 { base } else { base - half(base, draw) },
);

pub(super) const JITTER_OF_THE_FIRST_RUNG: KnownFault = jitter(
    "jitter-of-the-first-rung",
    "wait-is-jittered-base-or-cadence",
    "At most half of the first base is subtracted, however long the present one is.",
    |machine, base, draw| base - half(machine.bounds.0, draw),
);

pub(super) const JITTER_IN_WHOLE_SECONDS: KnownFault = jitter(
    "jitter-in-whole-seconds",
    "jitter-spreads",
    "The jitter is truncated to whole seconds, which leaves none for one second.",
    |_, base, draw| base - half(base, draw) / 1_000_000_000 * 1_000_000_000,
);

pub(super) const JITTER_AFTER_THE_FLOOR: KnownFault = machine(
    Category::Jitter,
    "jitter-after-the-floor",
    "wait-within-bounds",
    "The cadence is applied before the jitter, which then goes below it.",
    POLLING,
    Steps {
        spread: |machine, base, draw| {
            let base = base.max(machine.cadence);
            base - half(base, draw)
        },
        floor: |_, wait| wait,
        ..RIGHT
    },
);

pub(super) const TWO_DRAWS: KnownFault = machine(
    Category::Jitter,
    "two-draws",
    "one-draw-a-failure",
    "The jitter uses two draws, that of this failure and that of the last one.",
    STREAMING,
    Steps {
        spread: |machine, base, draw| base - half(base, draw.wrapping_add(machine.kept)),
        keep: |machine, draw| machine.kept = draw,
        ..RIGHT
    },
);

pub(super) const DRAW_OF_THE_LAST_FAILURE: KnownFault = machine(
    Category::Jitter,
    "draw-of-the-last-failure",
    "one-draw-a-failure",
    "The jitter is drawn for the next failure instead of this one.",
    STREAMING,
    Steps {
        spread: |machine, base, _| base - half(base, machine.kept),
        keep: |machine, draw| machine.kept = draw,
        ..RIGHT
    },
);

pub(super) const ONE_DRAW_AN_OUTAGE: KnownFault = machine(
    Category::Jitter,
    "one-draw-an-outage",
    "one-draw-a-failure",
    "The draw of an outage's first failure is used for all that follow.",
    STREAMING,
    Steps {
        spread: |machine, base, draw| base - half(base, if machine.attempts > 1 { machine.kept } else { draw }),
        keep: |machine, draw| machine.kept = if machine.attempts > 1 { machine.kept } else { draw },
        ..RIGHT
    },
);

pub(super) const SAME_DRAW_FOR_ALL: KnownFault = jitter(
    "one-seed-for-all",
    "clients-differ",
    "The generator has a constant seed, so that all clients draw the same.",
    |machine, base, _| base - half(base, u64::from(machine.attempts).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
);

pub(super) const GENERATOR_SHARED_BY_CLIENTS: KnownFault = jitter(
    "generator-shared-by-clients",
    "same-inputs-same-outputs",
    "All clients share one generator, so that a client's waits depend on the others.",
    |_, base, draw| {
        // One per thread, so that the result does not depend on other plays at the same time.
        thread_local!(static TURNS: Cell<u64> = const { Cell::new(0) });
        // The golden ratio: successive turns differ whatever the draw.
        let turn = TURNS.replace(TURNS.get() + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        base - half(base, draw ^ turn)
    },
);
