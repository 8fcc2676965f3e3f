//! Waits other than the cadence where it applies, waits changed by a read, and waits that never come.

use core::time::Duration;

use retrylab_core::{Decision, GiveUp};
use retrylab_spec::{Dialect, PolicySpec};

use super::clients::{POLLING, STREAMING};
use super::machine::{RIGHT, Steps, half};
use super::{Category, KnownFault, machine};

/// A client that is correct except for this step, which changes its wait.
const fn wait(
    name: &'static str,
    law: &'static str,
    statement: &'static str,
    client: fn() -> PolicySpec,
    steps: Steps,
) -> KnownFault {
    machine(Category::Wait, name, law, statement, client, steps)
}

pub(super) const CADENCE_NOT_RESTORED: KnownFault = wait(
    "cadence-not-restored",
    "success-restores-the-cadence",
    "A success without a reset keeps the last failure's wait.",
    POLLING,
    Steps {
        succeed: |machine| {
            machine.hear_success();
            machine.clear_if_due();
            machine.delay = if machine.attempts == 0 { machine.cadence } else { machine.delay };
        },
        ..RIGHT
    },
)
.spoken(Dialect::CadenceNotRestored);

pub(super) const RESET_CLEARS_THE_DELAY: KnownFault = wait(
    "reset-clears-the-delay",
    "success-restores-the-cadence",
    "A reset clears the delay after the success has set it, so that the next poll follows at once.",
    POLLING,
    Steps {
        succeed: |machine| {
            (RIGHT.succeed)(machine);
            machine.delay = if machine.successes >= 2 { 0 } else { machine.delay };
        },
        ..RIGHT
    },
);

pub(super) const SUCCESS_WAITS_THE_FIRST_RUNG: KnownFault = wait(
    "success-waits-the-first-rung",
    "success-restores-the-cadence",
    "After a success the wait is the first rung of the ladder, instead of none for a stream.",
    STREAMING,
    Steps {
        succeed: |machine| {
            (RIGHT.succeed)(machine);
            machine.delay = machine.normal.0;
        },
        ..RIGHT
    },
);

pub(super) const CADENCE_IGNORED_AFTER_A_FAILURE: KnownFault = wait(
    "cadence-ignored-after-a-failure",
    "wait-within-bounds",
    "After a failure the wait may go below the cadence.",
    POLLING,
    Steps { floor: |_, wait| wait, ..RIGHT },
);

pub(super) const FLOOR_AT_THE_INITIAL: KnownFault = wait(
    "floor-at-the-initial",
    "wait-is-jittered-base-or-cadence",
    "The minimum wait is the first delay instead of the cadence, which removes the jitter of the first rung.",
    STREAMING,
    Steps { floor: |machine, wait| wait.max(machine.bounds.0), ..RIGHT },
);

pub(super) const CADENCE_ADDED: KnownFault = wait(
    "cadence-added",
    "wait-within-bounds",
    "The wait of the ladder is added to the cadence.",
    POLLING,
    Steps { floor: |machine, wait| wait.saturating_add(machine.cadence), ..RIGHT },
);

pub(super) const READING_TAKES_THE_WAIT: KnownFault = wait(
    "reading-takes-the-wait",
    "reading-changes-nothing",
    "The delay can be read once, and is the cadence afterwards.",
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

pub(super) const JITTER_DRAWN_AT_EACH_READING: KnownFault = wait(
    "jitter-drawn-at-each-reading",
    "reading-changes-nothing",
    "The jitter is drawn when the delay is read, so that the logged wait is not the actual one.",
    STREAMING,
    Steps {
        read: |machine| {
            let reads = machine.reads.replace(machine.reads.get().wrapping_add(1));
            machine.delay - half(machine.delay, u64::from(reads).wrapping_mul(0x9E37_79B9_7F4A_7C15)) / 2
        },
        ..RIGHT
    },
);

pub(super) const GIVES_UP_AFTER_TEN: KnownFault = machine(
    Category::Limit,
    "gives-up-after-ten",
    "always-a-next-attempt",
    "The tenth failure in a row is the last: nothing connects until the process is restarted.",
    STREAMING,
    Steps {
        decide: |machine| match machine.attempts {
            ..10 => Decision::RetryAfter(Duration::from_nanos(machine.delay)),
            _ => Decision::GiveUp(GiveUp::Attempts),
        },
        ..RIGHT
    },
);

pub(super) const ANSWERS_ANOTHER_WAIT: KnownFault = wait(
    "answers-another-wait",
    "reading-changes-nothing",
    "The decision after a failure is the base, and the stored delay the jittered wait.",
    STREAMING,
    Steps { decide: |machine| Decision::RetryAfter(Duration::from_nanos((RIGHT.base)(machine))), ..RIGHT },
);
