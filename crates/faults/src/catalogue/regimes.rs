//! Regimes that are entered, or kept, wrongly.

use retrylab_core::FailureKind;

use super::clients::STREAMING;
use super::machine::{RIGHT, Steps};
use super::{Category, KnownFault, machine};

/// A streaming client that is correct except for this step.
const fn regime(name: &'static str, law: &'static str, statement: &'static str, steps: Steps) -> KnownFault {
    machine(Category::Regime, name, law, statement, STREAMING, steps)
}

pub(super) const RE_ENTERING_PINS_AT_THE_FIRST_RUNG: KnownFault = regime(
    "re-entering-pins-at-the-first-rung",
    "unexpected-begins-the-extended-ladder",
    "Each unexpected failure begins the extended ladder anew, so that a rejected key is tried every five minutes for ever.",
    Steps {
        count: |machine, kind| match kind {
            FailureKind::Unexpected => machine.enter(),
            FailureKind::Normal => machine.attempts = machine.attempts.saturating_add(1),
        },
        ..RIGHT
    },
);

pub(super) const ATTEMPTS_ZERO_ON_ENTERING: KnownFault = regime(
    "attempts-zero-on-entering",
    "unexpected-begins-the-extended-ladder",
    "The failure that begins the extended regime is not counted in it, so that its first rung is waited twice.",
    Steps {
        enter: |machine| {
            (RIGHT.enter)(machine);
            machine.attempts = 0;
        },
        ..RIGHT
    },
);

pub(super) const ATTEMPTS_CARRIED_ON_ENTERING: KnownFault = regime(
    "attempts-carried-on-entering",
    "unexpected-begins-the-extended-ladder",
    "The extended regime takes over the count of the normal one, and so begins high up its ladder.",
    Steps {
        enter: |machine| {
            let attempts = machine.attempts.saturating_add(1);
            (RIGHT.enter)(machine);
            machine.attempts = attempts;
        },
        ..RIGHT
    },
);

pub(super) const NORMAL_LOWERS_THE_BOUNDS: KnownFault = regime(
    "normal-lowers-the-bounds",
    "base-never-decreases",
    "A normal failure in the extended regime waits on the normal ladder.",
    Steps {
        count: |machine, kind| {
            (RIGHT.count)(machine, kind);
            machine.bounds = if kind == FailureKind::Normal { machine.normal } else { machine.extended };
        },
        ..RIGHT
    },
);

pub(super) const NORMAL_ENDS_THE_EXTENDED_REGIME: KnownFault = regime(
    "normal-ends-the-extended-regime",
    "extended-lasts-until-due",
    "A normal failure is taken for recovery: it leaves the extended regime.",
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

pub(super) const NEVER_EXTENDED: KnownFault = regime(
    "never-extended",
    "unexpected-begins-the-extended-ladder",
    "An unexpected failure counts as any other.",
    Steps { count: |machine, _| machine.attempts = machine.attempts.saturating_add(1), ..RIGHT },
);

pub(super) const ANY_FAILURE_EXTENDS: KnownFault = regime(
    "any-failure-extends",
    "reset-exactly-when-due",
    "A normal failure counts as an unexpected one.",
    Steps { count: |machine, _| (RIGHT.count)(machine, FailureKind::Unexpected), ..RIGHT },
);

pub(super) const UNEXPECTED_COUNTS_TWICE: KnownFault = regime(
    "unexpected-counts-twice",
    "unexpected-begins-the-extended-ladder",
    "An unexpected failure in the extended regime skips a rung.",
    Steps {
        count: |machine, kind| {
            let again = machine.is_extended && kind == FailureKind::Unexpected;
            (RIGHT.count)(machine, kind);
            machine.attempts = machine.attempts.saturating_add(u32::from(again));
        },
        ..RIGHT
    },
);

pub(super) const SUCCESS_COUNTS_AS_AN_ATTEMPT: KnownFault = regime(
    "success-counts-as-an-attempt",
    "reset-exactly-when-due",
    "A success that is not enough health climbs the ladder.",
    Steps {
        succeed: |machine| {
            (RIGHT.succeed)(machine);
            machine.attempts += u32::from(machine.attempts > 0);
        },
        ..RIGHT
    },
);
