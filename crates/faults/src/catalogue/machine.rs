//! The two-regime state machine in plain steps, each of which a fault can replace.

use core::cell::Cell;
use core::time::Duration;

use retrylab_core::{BuiltInReset, Decision, Failure, FailureKind, Instant, Policy, Regime, RetryRules, Rung, nanos};

/// The memory of one client. Times are in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    steps: Steps,
    /// First wait and ceiling.
    pub(crate) normal: (u64, u64),
    pub(crate) extended: (u64, u64),
    pub(crate) cadence: u64,
    pub(crate) reset: BuiltInReset,
    /// The bounds of the present regime.
    pub(crate) bounds: (u64, u64),
    pub(crate) is_extended: bool,
    pub(crate) attempts: u32,
    /// The clock at the first success since the last failure.
    pub(crate) since: Option<u64>,
    pub(crate) successes: u32,
    pub(crate) delay: u64,
    /// The jitter of the last draw.
    subtracted: u64,
    /// The clock at the present input.
    pub(crate) now: u64,
    /// Further memory, for faults.
    pub(crate) kept: u64,
    pub(crate) reads: Cell<u32>,
}

/// The steps, in order. Each fault replaces one of [`RIGHT`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    pub(crate) connected: fn(&mut Machine),
    /// The effect of a success on the health, the state and the delay.
    pub(crate) succeed: fn(&mut Machine),
    pub(crate) hear_success: fn(&mut Machine),
    /// The effect of a failure on the health and the state before it counts.
    pub(crate) notice: fn(&mut Machine),
    pub(crate) hear_failure: fn(&mut Machine),
    pub(crate) is_due: fn(&Machine) -> bool,
    pub(crate) clear: fn(&mut Machine),
    pub(crate) count: fn(&mut Machine, FailureKind),
    pub(crate) enter: fn(&mut Machine),
    pub(crate) base: fn(&Machine) -> u64,
    /// The wait for this draw and base.
    pub(crate) spread: fn(&Machine, u64, u64) -> u64,
    /// The delay for this wait.
    pub(crate) floor: fn(&Machine, u64) -> u64,
    /// The memory of the draw.
    pub(crate) keep: fn(&mut Machine, u64),
    pub(crate) decide: fn(&Machine) -> Decision,
    pub(crate) read: fn(&Machine) -> u64,
}

/// The correct steps.
pub(crate) const RIGHT: Steps = Steps {
    connected: |_| {},
    succeed: |machine| {
        machine.hear_success();
        machine.clear_if_due();
        machine.delay = machine.cadence;
    },
    hear_success: |machine| {
        machine.since = machine.since.or(Some(machine.now));
        machine.successes = machine.successes.saturating_add(1);
    },
    notice: |machine| {
        machine.clear_if_due();
        machine.hear_failure();
    },
    hear_failure: |machine| (machine.since, machine.successes) = (None, 0),
    is_due: |machine| match machine.reset {
        BuiltInReset::HealthyFor(rule) => machine.health().is_some_and(|health| health >= nanos(rule.window())),
        BuiltInReset::Successes(rule) => machine.successes >= rule.count(),
    },
    clear: |machine| {
        machine.attempts = 0;
        (machine.is_extended, machine.bounds) = (false, machine.normal);
    },
    count: |machine, kind| {
        if kind == FailureKind::Unexpected && !machine.is_extended {
            machine.enter();
        } else {
            machine.attempts = machine.attempts.saturating_add(1);
        }
    },
    enter: |machine| {
        machine.attempts = 1;
        (machine.is_extended, machine.bounds) = (true, machine.extended);
    },
    base: |machine| machine.doubled(machine.attempts.saturating_sub(1)),
    spread: |_, base, draw| base - half(base, draw),
    floor: |machine, wait| wait.max(machine.cadence),
    keep: |_, _| {},
    decide: |machine| Decision::RetryAfter(Duration::from_nanos(machine.delay)),
    read: |machine| machine.delay,
};

impl Machine {
    /// A client of these rules with these steps.
    pub(crate) fn new(rules: &RetryRules, steps: Steps) -> Self {
        let bounds = |regime| {
            let bounds = rules.bounds(regime);
            (nanos(bounds.initial), nanos(bounds.ceiling))
        };
        let (normal, cadence) = (bounds(Regime::Normal), nanos(rules.cadence()));
        Self {
            steps,
            normal,
            extended: bounds(Regime::Extended),
            cadence,
            reset: *rules.reset_rule(),
            bounds: normal,
            is_extended: false,
            attempts: 0,
            since: None,
            successes: 0,
            delay: cadence,
            subtracted: 0,
            now: 0,
            kept: 0,
            reads: Cell::new(0),
        }
    }

    /// The length of the present health, if there is any.
    pub(crate) fn health(&self) -> Option<u64> {
        self.since.map(|since| self.now.saturating_sub(since))
    }

    /// The first wait doubled this many times, at most the ceiling.
    pub(crate) fn doubled(&self, times: u32) -> u64 {
        let (first, ceiling) = self.bounds;
        let factor = 1_u64.checked_shl(times).unwrap_or(u64::MAX);
        first.saturating_mul(factor).min(ceiling)
    }

    pub(crate) fn hear_success(&mut self) {
        (self.steps.hear_success)(self);
    }

    pub(crate) fn hear_failure(&mut self) {
        (self.steps.hear_failure)(self);
    }

    pub(crate) fn clear_if_due(&mut self) {
        if (self.steps.is_due)(self) {
            (self.steps.clear)(self);
        }
    }

    pub(crate) fn enter(&mut self) {
        (self.steps.enter)(self);
    }

    fn base(&self) -> u64 {
        if self.attempts == 0 && !self.is_extended { 0 } else { (self.steps.base)(self) }
    }
}

impl Policy for Machine {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let steps = self.steps;
        self.now = now.as_nanos();
        (steps.notice)(self);
        (steps.count)(self, failure.kind);
        let base = (steps.base)(self);
        let wait = (steps.spread)(self, base, draw);
        self.subtracted = base.saturating_sub(wait);
        self.delay = (steps.floor)(self, wait);
        (steps.keep)(self, draw);
        (steps.decide)(self)
    }

    fn record_success(&mut self, now: Instant) {
        self.now = now.as_nanos();
        (self.steps.succeed)(self);
    }

    fn record_connected(&mut self, now: Instant) {
        self.now = now.as_nanos();
        (self.steps.connected)(self);
    }

    fn next_delay(&self) -> Duration {
        Duration::from_nanos((self.steps.read)(self))
    }

    fn explain(&self, _: u64) -> Option<Rung> {
        let regime = if self.is_extended { Regime::Extended } else { Regime::Normal };
        let base = self.base();
        Some(Rung {
            regime,
            number: self.attempts,
            base: Duration::from_nanos(base),
            jitter: Duration::from_nanos(self.subtracted.min(base)),
        })
    }
}

/// `span` times the draw as a fraction of 2^64, rounded down.
pub(crate) fn share(span: u64, draw: u64) -> u64 {
    u64::try_from((u128::from(span) * u128::from(draw)) >> 64).unwrap_or(u64::MAX)
}

/// Half of that.
pub(crate) fn half(span: u64, draw: u64) -> u64 {
    u64::try_from((u128::from(span) * u128::from(draw)) >> 65).unwrap_or(u64::MAX)
}
