//! Jitter that is too much, too little, at the wrong time, or of the wrong draw.

use core::cell::Cell;

use super::machine::{Machine, RIGHT, Steps, half, share};
use super::{Mistake, POLLING, STREAMING, machine};

/// A streaming client with the right jitter but for this spread.
const fn jitter(name: &'static str, statement: &'static str, spread: fn(&Machine, u64, u64) -> u64) -> Mistake {
    machine(name, statement, STREAMING, Steps { spread, ..RIGHT })
}

pub(super) const JITTER_ADDED: Mistake =
    jitter("jitter-added", "The jitter is added to the base, and so goes above the ceiling.", |_, base, draw| {
        base.saturating_add(half(base, draw))
    });

pub(super) const FULL_JITTER: Mistake =
    jitter("full-jitter", "The whole base may be subtracted, and not half of it at most.", |_, base, draw| {
        base - share(base, draw)
    });

pub(super) const JITTER_AROUND_THE_BASE: Mistake = jitter(
    "jitter-around-the-base",
    "The wait is drawn between three quarters of the base and five.",
    |_, base, draw| (base - base / 4).saturating_add(half(base, draw)),
);

pub(super) const JITTER_LOST: Mistake =
    jitter("jitter-lost", "The jitter is configured and never applied.", |_, base, _| base);

pub(super) const JITTER_LOST_AT_THE_CEILING: Mistake = jitter(
    "jitter-lost-at-the-ceiling",
    "At the ceiling there is no jitter, so that all who are long away come back together.",
    |machine, base, draw| if base == machine.bounds.1 { base } else { base - half(base, draw) },
);

pub(super) const JITTER_OF_THE_FIRST_RUNG: Mistake = jitter(
    "jitter-of-the-first-rung",
    "However long the base, half of the first one is subtracted at most.",
    |machine, base, draw| base - half(machine.bounds.0, draw),
);

pub(super) const JITTER_IN_WHOLE_SECONDS: Mistake = jitter(
    "jitter-in-whole-seconds",
    "The jitter is truncated to whole seconds: of one second, nothing.",
    |_, base, draw| base - half(base, draw) / 1_000_000_000 * 1_000_000_000,
);

pub(super) const JITTER_AFTER_THE_FLOOR: Mistake = machine(
    "jitter-after-the-floor",
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

pub(super) const TWO_DRAWS: Mistake = machine(
    "two-draws",
    "The jitter is made of two draws, that of this failure and that of the last one.",
    STREAMING,
    Steps {
        spread: |machine, base, draw| base - half(base, draw.wrapping_add(machine.kept)),
        keep: |machine, draw| machine.kept = draw,
        ..RIGHT
    },
);

pub(super) const DRAW_OF_THE_LAST_FAILURE: Mistake = machine(
    "draw-of-the-last-failure",
    "The jitter is drawn for the next failure, and not for this one.",
    STREAMING,
    Steps {
        spread: |machine, base, _| base - half(base, machine.kept),
        keep: |machine, draw| machine.kept = draw,
        ..RIGHT
    },
);

pub(super) const ONE_DRAW_AN_OUTAGE: Mistake = machine(
    "one-draw-an-outage",
    "The first failure of an outage draws for all that follow.",
    STREAMING,
    Steps {
        spread: |machine, base, draw| base - half(base, if machine.attempts > 1 { machine.kept } else { draw }),
        keep: |machine, draw| machine.kept = if machine.attempts > 1 { machine.kept } else { draw },
        ..RIGHT
    },
);

pub(super) const SAME_DRAW_FOR_ALL: Mistake = jitter(
    "same-draw-for-all",
    "The generator is built with a constant seed, so that all clients draw the same.",
    |machine, base, _| base - half(base, u64::from(machine.attempts).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
);

pub(super) const GENERATOR_SHARED_BY_CLIENTS: Mistake = jitter(
    "generator-shared-by-clients",
    "All clients take turns at one generator, so that what a client waits depends on the others.",
    |_, base, draw| {
        // Of each thread, so that what comes of it does not depend on what else is played at the same time.
        thread_local!(static TURNS: Cell<u64> = const { Cell::new(0) });
        // The golden ratio: successive turns differ whatever the draw.
        let turn = TURNS.replace(TURNS.get() + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        base - half(base, draw ^ turn)
    },
);
