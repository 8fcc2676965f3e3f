//! Waits that are not the cadence where they should be, that a reading changes, or that never come.

use core::time::Duration;

use retrylab_core::{Decision, GiveUp};

use super::machine::{RIGHT, Steps, half};
use super::{Mistake, POLLING, STREAMING, machine};

pub(super) const SUCCESS_KEEPS_THE_WAIT: Mistake = machine(
    "success-keeps-the-wait",
    "A success that does not reset leaves the last failure's wait.",
    POLLING,
    Steps {
        succeed: |machine| {
            machine.hear_success();
            machine.clear_if_due();
            machine.delay = if machine.attempts == 0 { machine.cadence } else { machine.delay };
        },
        ..RIGHT
    },
);

pub(super) const RESET_CLEARS_THE_DELAY: Mistake = machine(
    "reset-clears-the-delay",
    "A reset zeroes the delay after the success has set it, so that the next poll follows at once.",
    POLLING,
    Steps {
        succeed: |machine| {
            (RIGHT.succeed)(machine);
            machine.delay = if machine.successes >= 2 { 0 } else { machine.delay };
        },
        ..RIGHT
    },
);

pub(super) const SUCCESS_WAITS_THE_FIRST_RUNG: Mistake = machine(
    "success-waits-the-first-rung",
    "After a success the wait is the first rung of the ladder, where a stream has none.",
    STREAMING,
    Steps {
        succeed: |machine| {
            (RIGHT.succeed)(machine);
            machine.delay = machine.normal.0;
        },
        ..RIGHT
    },
);

pub(super) const CADENCE_IGNORED_AFTER_A_FAILURE: Mistake = machine(
    "cadence-ignored-after-a-failure",
    "After a failure nothing keeps the wait from going below the cadence.",
    POLLING,
    Steps { floor: |_, wait| wait, ..RIGHT },
);

pub(super) const FLOOR_AT_THE_INITIAL: Mistake = machine(
    "floor-at-the-initial",
    "The wait is floored at the first delay and not at the cadence, which takes the jitter from the first rung.",
    STREAMING,
    Steps { floor: |machine, wait| wait.max(machine.bounds.0), ..RIGHT },
);

pub(super) const CADENCE_ADDED: Mistake = machine(
    "cadence-added",
    "The wait of the ladder comes on top of the cadence.",
    POLLING,
    Steps { floor: |machine, wait| wait.saturating_add(machine.cadence), ..RIGHT },
);

pub(super) const READING_TAKES_THE_WAIT: Mistake = machine(
    "reading-takes-the-wait",
    "The delay can be read once, and is the cadence from then on.",
    STREAMING,
    Steps {
        keep: |machine, _| machine.reads.set(0),
        read: |machine| {
            let reads = machine.reads.replace(machine.reads.get().saturating_add(1));
            if reads == 0 { machine.delay } else { machine.cadence }
        },
        ..RIGHT
    },
);

pub(super) const JITTER_DRAWN_AT_EACH_READING: Mistake = machine(
    "jitter-drawn-at-each-reading",
    "The jitter is drawn when the delay is read, so that the wait that is logged is not the one that is waited.",
    STREAMING,
    Steps {
        read: |machine| {
            let reads = machine.reads.replace(machine.reads.get().wrapping_add(1));
            machine.delay - half(machine.delay, u64::from(reads).wrapping_mul(0x9E37_79B9_7F4A_7C15)) / 2
        },
        ..RIGHT
    },
);

pub(super) const GIVES_UP_AFTER_TEN: Mistake = machine(
    "gives-up-after-ten",
    "The tenth failure in a row is the last: nothing connects until somebody restarts the process.",
    STREAMING,
    Steps {
        decide: |machine| match machine.attempts {
            ..10 => Decision::RetryAfter(Duration::from_nanos(machine.delay)),
            _ => Decision::GiveUp(GiveUp::Attempts),
        },
        ..RIGHT
    },
);

pub(super) const ANSWERS_ANOTHER_WAIT: Mistake = machine(
    "answers-another-wait",
    "The answer to a failure is the base, and the delay that is read the jittered one.",
    STREAMING,
    Steps { decide: |machine| Decision::RetryAfter(Duration::from_nanos((RIGHT.base)(machine))), ..RIGHT },
);
