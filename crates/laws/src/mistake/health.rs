//! Health that is measured wrongly, and resets that come at the wrong time.

use retrylab_core::{BuiltInReset, nanos};

use super::machine::{Machine, RIGHT, Steps};
use super::{Mistake, POLLING, STREAMING, machine};

pub(super) const FAILURE_HEARD_BEFORE_THE_RESET: Mistake = machine(
    "failure-heard-before-the-reset",
    "A failure ends the health before it is asked whether that was enough, so that no stream is ever healthy for long.",
    STREAMING,
    Steps {
        notice: |machine| {
            machine.hear_failure();
            machine.clear_if_due();
        },
        ..RIGHT
    },
);

pub(super) const WINDOW_IS_EXCLUSIVE: Mistake = machine(
    "window-is-exclusive",
    "Health of exactly the window is not enough.",
    STREAMING,
    Steps { is_due: |machine| machine.health().is_some_and(|health| health > window(machine)), ..RIGHT },
);

pub(super) const HALF_A_WINDOW_IS_ENOUGH: Mistake = machine(
    "half-a-window-is-enough",
    "Health is due after half of the window.",
    STREAMING,
    Steps { is_due: |machine| machine.health().is_some_and(|health| health >= window(machine) / 2), ..RIGHT },
);

pub(super) const ANCHORED_AT_THE_LAST_SUCCESS: Mistake = machine(
    "anchored-at-the-last-success",
    "Each success begins the health anew.",
    STREAMING,
    Steps { hear_success: |machine| machine.since = Some(machine.now), ..RIGHT },
);

pub(super) const ANCHORED_AT_THE_CONNECTION: Mistake = machine(
    "anchored-at-the-connection",
    "A connection is health, before it has brought anything.",
    STREAMING,
    Steps { connected: |machine| machine.hear_success(), ..RIGHT },
);

pub(super) const RESET_AT_THE_CONNECTION: Mistake = machine(
    "reset-at-the-connection",
    "A connection clears the state, before it has brought anything.",
    STREAMING,
    Steps { connected: RIGHT.clear, ..RIGHT },
);

pub(super) const CLOCK_ZERO_IS_UNSET: Mistake = machine(
    "clock-zero-is-unset",
    "The clock's zero stands for no health at all, so that health which begins there is lost.",
    STREAMING,
    Steps {
        hear_success: |machine| machine.since = machine.since.or(Some(machine.now).filter(|now| *now > 0)),
        ..RIGHT
    },
);

pub(super) const HEALTH_SURVIVES_A_FAILURE: Mistake = machine(
    "health-survives-a-failure",
    "A failure does not end the health, so that an outage longer than the window counts as health.",
    STREAMING,
    Steps { hear_failure: |_| {}, ..RIGHT },
);

pub(super) const ANY_HEALTH_RESETS: Mistake = machine(
    "any-health-resets",
    "The first message clears the state, however short the stream.",
    STREAMING,
    Steps { is_due: |machine| machine.since.is_some(), ..RIGHT },
);

pub(super) const NEVER_RESETS: Mistake =
    machine("never-resets", "No health clears the state.", STREAMING, Steps { is_due: |_| false, ..RIGHT });

pub(super) const ONE_SUCCESS_RESETS: Mistake = machine(
    "one-success-resets",
    "A single good poll clears the state.",
    POLLING,
    Steps { is_due: |machine| machine.successes >= 1, ..RIGHT },
);

pub(super) const A_SUCCESS_TOO_MANY_IS_ASKED_FOR: Mistake = machine(
    "a-success-too-many-is-asked-for",
    "More successes than the number are needed, and not as many.",
    POLLING,
    Steps { is_due: |machine| machine.successes > 2, ..RIGHT },
);

pub(super) const FAILURE_KEEPS_THE_SUCCESSES: Mistake = machine(
    "failure-keeps-the-successes",
    "A failure does not zero the count of successes, which need not be in a row.",
    POLLING,
    Steps {
        hear_failure: |machine| machine.since = None,
        succeed: |machine| {
            (RIGHT.succeed)(machine);
            machine.successes %= 2;
        },
        ..RIGHT
    },
);

pub(super) const RESET_WAITS_FOR_THE_FAILURE: Mistake = machine(
    "reset-waits-for-the-failure",
    "A success never clears the state: only the next failure does, so that a recovered client still says it is in trouble.",
    POLLING,
    Steps {
        succeed: |machine| {
            machine.hear_success();
            machine.delay = machine.cadence;
        },
        ..RIGHT
    },
);

pub(super) const ATTEMPTS_NOT_RESET: Mistake = machine(
    "attempts-not-reset",
    "A reset leaves the count, so that the next outage begins where the last one ended.",
    STREAMING,
    Steps { clear: |machine| (machine.is_extended, machine.bounds) = (false, machine.normal), ..RIGHT },
);

pub(super) const BOUNDS_NOT_RESET: Mistake = machine(
    "bounds-not-reset",
    "A reset leaves the bounds, so that a normal failure after it waits on the extended ladder.",
    STREAMING,
    Steps { clear: |machine| (machine.is_extended, machine.attempts) = (false, 0), ..RIGHT },
);

pub(super) const EXTENDED_NOT_RESET: Mistake = machine(
    "extended-not-reset",
    "A reset leaves the extended regime, so that the next rejection does not begin it anew.",
    STREAMING,
    Steps { clear: |machine| (machine.attempts, machine.bounds) = (0, machine.normal), ..RIGHT },
);

fn window(machine: &Machine) -> u64 {
    match machine.reset {
        BuiltInReset::HealthyFor(rule) => nanos(rule.window()),
        BuiltInReset::Successes(_) => 0,
    }
}
