//! Health that is measured wrongly, and resets at the wrong time.

use retrylab_core::{BuiltInReset, nanos};
use retrylab_spec::{Dialect, PolicySpec};

use super::clients::{POLLING, STREAMING};
use super::machine::{Machine, RIGHT, Steps};
use super::{Category, KnownFault, machine};

/// A client that is correct except for this step, which resets it at the wrong time.
const fn reset(name: &'static str, statement: &'static str, client: fn() -> PolicySpec, steps: Steps) -> KnownFault {
    machine(Category::Health, name, "reset-exactly-when-due", statement, client, steps)
}

pub(super) const FAILURE_HEARD_BEFORE_THE_RESET: KnownFault = reset(
    "failure-heard-before-the-reset",
    "A failure ends the health before the health is checked, so that no stream is ever healthy for long enough.",
    STREAMING,
    Steps {
        notice: |machine| {
            machine.hear_failure();
            machine.clear_if_due();
        },
        ..RIGHT
    },
);

pub(super) const WINDOW_IS_EXCLUSIVE: KnownFault = reset(
    "window-is-exclusive",
    "Health of exactly the window is not enough.",
    STREAMING,
    Steps { is_due: |machine| machine.health().is_some_and(|health| health > window(machine)), ..RIGHT },
);

pub(super) const HALF_A_WINDOW_IS_ENOUGH: KnownFault = reset(
    "half-a-window-is-enough",
    "Health is due after half of the window.",
    STREAMING,
    Steps { is_due: |machine| machine.health().is_some_and(|health| health >= window(machine) / 2), ..RIGHT },
);

pub(super) const ANCHORED_AT_THE_LAST_SUCCESS: KnownFault = machine(
    Category::Health,
    "anchored-at-the-last-success",
    "a-success-more-never-lengthens-a-wait",
    "Each success restarts the health.",
    STREAMING,
    Steps { hear_success: |machine| machine.since = Some(machine.now), ..RIGHT },
)
.spoken(Dialect::HealthFromLastMessage);

pub(super) const ANCHORED_AT_THE_CONNECTION: KnownFault = reset(
    "anchored-at-the-connection",
    "A connection counts as health before any data.",
    STREAMING,
    Steps { connected: |machine| machine.hear_success(), ..RIGHT },
)
.spoken(Dialect::HealthFromConnect);

pub(super) const RESET_AT_THE_CONNECTION: KnownFault = reset(
    "reset-on-connect",
    "A connection clears the state before any data.",
    STREAMING,
    Steps { connected: RIGHT.clear, ..RIGHT },
);

pub(super) const CLOCK_ZERO_IS_UNSET: KnownFault = machine(
    Category::Health,
    "clock-zero-is-unset",
    "the-clocks-origin-changes-nothing",
    "The clock's zero means unset, so that health which begins there is lost.",
    STREAMING,
    Steps {
        hear_success: |machine| machine.since = machine.since.or(Some(machine.now).filter(|now| *now > 0)),
        ..RIGHT
    },
)
.spoken(Dialect::ClockZeroUnset);

pub(super) const HEALTH_SURVIVES_A_FAILURE: KnownFault = reset(
    "health-survives-a-failure",
    "A failure does not end the health, so that an outage longer than the window counts as health.",
    STREAMING,
    Steps { hear_failure: |_| {}, ..RIGHT },
);

pub(super) const ANY_HEALTH_RESETS: KnownFault = reset(
    "reset-on-first-message",
    "The first message clears the state, however short the stream is.",
    STREAMING,
    Steps { is_due: |machine| machine.since.is_some(), ..RIGHT },
);

pub(super) const NEVER_RESETS: KnownFault =
    reset("never-reset", "No health clears the state.", STREAMING, Steps { is_due: |_| false, ..RIGHT });

pub(super) const ONE_SUCCESS_RESETS: KnownFault = reset(
    "one-success-resets",
    "A single good poll clears the state.",
    POLLING,
    Steps { is_due: |machine| machine.successes >= 1, ..RIGHT },
);

pub(super) const A_SUCCESS_TOO_MANY_IS_ASKED_FOR: KnownFault = reset(
    "a-success-too-many-is-asked-for",
    "One success more than the number is needed.",
    POLLING,
    Steps { is_due: |machine| machine.successes > 2, ..RIGHT },
);

pub(super) const FAILURE_KEEPS_THE_SUCCESSES: KnownFault = reset(
    "failure-keeps-the-successes",
    "A failure does not reset the count of successes, so they need not be in a row.",
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

pub(super) const RESET_WAITS_FOR_THE_FAILURE: KnownFault = reset(
    "reset-waits-for-the-failure",
    "A success never clears the state: only the next failure does, so that a recovered client still reports trouble.",
    POLLING,
    Steps {
        succeed: |machine| {
            machine.hear_success();
            machine.delay = machine.cadence;
        },
        ..RIGHT
    },
);

pub(super) const ATTEMPTS_NOT_RESET: KnownFault = reset(
    "attempts-not-reset",
    "A reset keeps the count, so that the next outage begins where the last one ended.",
    STREAMING,
    Steps { clear: |machine| (machine.is_extended, machine.bounds) = (false, machine.normal), ..RIGHT },
);

pub(super) const BOUNDS_NOT_RESET: KnownFault = machine(
    Category::Health,
    "bounds-not-reset",
    "ceiling-reached-and-kept",
    "A reset keeps the bounds, so that a normal failure after it waits on the extended ladder.",
    STREAMING,
    Steps { clear: |machine| (machine.is_extended, machine.attempts) = (false, 0), ..RIGHT },
);

pub(super) const EXTENDED_NOT_RESET: KnownFault = reset(
    "extended-not-reset",
    "A reset keeps the extended regime, so that the next rejection does not restart it.",
    STREAMING,
    Steps { clear: |machine| (machine.attempts, machine.bounds) = (0, machine.normal), ..RIGHT },
);

fn window(machine: &Machine) -> u64 {
    match machine.reset {
        BuiltInReset::HealthyFor(rule) => nanos(rule.window()),
        BuiltInReset::Successes(_) => 0,
    }
}
