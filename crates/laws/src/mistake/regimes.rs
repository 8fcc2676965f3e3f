//! Regimes that are entered, or kept, wrongly.

use retrylab_core::FailureKind;

use super::machine::{RIGHT, Steps};
use super::{Mistake, STREAMING, machine};

pub(super) const RE_ENTERING_PINS_AT_THE_FIRST_RUNG: Mistake = machine(
    "re-entering-pins-at-the-first-rung",
    "Each unexpected failure begins the extended ladder anew, so that a rejected key is tried every five minutes for ever.",
    STREAMING,
    Steps {
        count: |machine, kind| match kind {
            FailureKind::Unexpected => machine.enter(),
            FailureKind::Normal => machine.attempts = machine.attempts.saturating_add(1),
        },
        ..RIGHT
    },
);

pub(super) const ATTEMPTS_ZERO_ON_ENTERING: Mistake = machine(
    "attempts-zero-on-entering",
    "The failure that begins the extended regime is not counted in it, so that its first rung is waited twice.",
    STREAMING,
    Steps {
        enter: |machine| {
            (RIGHT.enter)(machine);
            machine.attempts = 0;
        },
        ..RIGHT
    },
);

pub(super) const ATTEMPTS_CARRIED_ON_ENTERING: Mistake = machine(
    "attempts-carried-on-entering",
    "The extended regime takes over the count of the normal one, and so begins high up its ladder.",
    STREAMING,
    Steps {
        enter: |machine| {
            let attempts = machine.attempts.saturating_add(1);
            (RIGHT.enter)(machine);
            machine.attempts = attempts;
        },
        ..RIGHT
    },
);

pub(super) const NORMAL_LOWERS_THE_BOUNDS: Mistake = machine(
    "normal-lowers-the-bounds",
    "A normal failure in the extended regime waits on the normal ladder.",
    STREAMING,
    Steps {
        count: |machine, kind| {
            (RIGHT.count)(machine, kind);
            machine.bounds = if kind == FailureKind::Normal { machine.normal } else { machine.extended };
        },
        ..RIGHT
    },
);

pub(super) const NORMAL_ENDS_THE_EXTENDED_REGIME: Mistake = machine(
    "normal-ends-the-extended-regime",
    "A normal failure is taken for recovery: it leaves the extended regime.",
    STREAMING,
    Steps {
        count: |machine, kind| {
            if kind == FailureKind::Normal && machine.is_extended {
                (RIGHT.clear)(machine);
            }
            (RIGHT.count)(machine, kind);
        },
        ..RIGHT
    },
);

pub(super) const NEVER_EXTENDED: Mistake = machine(
    "never-extended",
    "An unexpected failure counts as any other.",
    STREAMING,
    Steps { count: |machine, _| machine.attempts = machine.attempts.saturating_add(1), ..RIGHT },
);

pub(super) const ANY_FAILURE_EXTENDS: Mistake = machine(
    "any-failure-extends",
    "A normal failure counts as an unexpected one.",
    STREAMING,
    Steps { count: |machine, _| (RIGHT.count)(machine, FailureKind::Unexpected), ..RIGHT },
);

pub(super) const UNEXPECTED_COUNTS_TWICE: Mistake = machine(
    "unexpected-counts-twice",
    "An unexpected failure in the extended regime skips a rung.",
    STREAMING,
    Steps {
        count: |machine, kind| {
            let again = machine.is_extended && kind == FailureKind::Unexpected;
            (RIGHT.count)(machine, kind);
            machine.attempts = machine.attempts.saturating_add(u32::from(again));
        },
        ..RIGHT
    },
);

pub(super) const SUCCESS_COUNTS_AS_AN_ATTEMPT: Mistake = machine(
    "success-counts-as-an-attempt",
    "A success that is not enough health climbs the ladder.",
    STREAMING,
    Steps {
        succeed: |machine| {
            (RIGHT.succeed)(machine);
            machine.attempts += u32::from(machine.attempts > 0);
        },
        ..RIGHT
    },
);
