//! The two-regime state machine step by step, plainly, with each step to be replaced by one that is wrong.

use core::cell::Cell;
use core::time::Duration;

use retrylab_core::{BuiltInReset, Decision, Failure, FailureKind, Instant, Policy, Regime, RetryRules, Rung, nanos};

/// What one client remembers. Times are in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    steps: Steps,
    /// First wait and ceiling.
    pub(super) normal: (u64, u64),
    pub(super) extended: (u64, u64),
    pub(super) cadence: u64,
    pub(super) reset: BuiltInReset,
    /// The bounds of the present regime.
    pub(super) bounds: (u64, u64),
    pub(super) is_extended: bool,
    pub(super) attempts: u32,
    /// The clock at the first success since the last failure.
    pub(super) since: Option<u64>,
    pub(super) successes: u32,
    pub(super) delay: u64,
    /// What the last draw took off.
    subtracted: u64,
    /// The clock at what is told now.
    pub(super) now: u64,
    /// For mistakes that remember something else.
    pub(super) kept: u64,
    pub(super) reads: Cell<u32>,
}

/// What is done, and in which order. Each mistake replaces a step of [`RIGHT`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) connected: fn(&mut Machine),
    /// What a success does to health, to the state and to the delay.
    pub(super) succeed: fn(&mut Machine),
    pub(super) hear_success: fn(&mut Machine),
    /// What a failure does to health and to the state before it counts.
    pub(super) notice: fn(&mut Machine),
    pub(super) hear_failure: fn(&mut Machine),
    pub(super) is_due: fn(&Machine) -> bool,
    pub(super) clear: fn(&mut Machine),
    pub(super) count: fn(&mut Machine, FailureKind),
    pub(super) enter: fn(&mut Machine),
    pub(super) base: fn(&Machine) -> u64,
    /// The wait that this draw makes of this base.
    pub(super) spread: fn(&Machine, u64, u64) -> u64,
    /// The delay that this wait becomes.
    pub(super) floor: fn(&Machine, u64) -> u64,
    /// What is remembered of the draw.
    pub(super) keep: fn(&mut Machine, u64),
    pub(super) decide: fn(&Machine) -> Decision,
    pub(super) read: fn(&Machine) -> u64,
}

/// Every step as it should be.
pub(super) const RIGHT: Steps = Steps {
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
    /// A client of these rules that takes these steps.
    pub(super) fn new(rules: &RetryRules, steps: Steps) -> Self {
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

    /// How long health lasts, if there is any.
    pub(super) fn health(&self) -> Option<u64> {
        self.since.map(|since| self.now.saturating_sub(since))
    }

    /// The first wait doubled so many times, at most the ceiling.
    pub(super) fn doubled(&self, times: u32) -> u64 {
        let (first, ceiling) = self.bounds;
        let factor = 1_u64.checked_shl(times).unwrap_or(u64::MAX);
        first.saturating_mul(factor).min(ceiling)
    }

    pub(super) fn hear_success(&mut self) {
        (self.steps.hear_success)(self);
    }

    pub(super) fn hear_failure(&mut self) {
        (self.steps.hear_failure)(self);
    }

    pub(super) fn clear_if_due(&mut self) {
        if (self.steps.is_due)(self) {
            (self.steps.clear)(self);
        }
    }

    pub(super) fn enter(&mut self) {
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

/// The share of this span that the draw is of 2^64, rounded down.
pub(super) fn share(span: u64, draw: u64) -> u64 {
    u64::try_from((u128::from(span) * u128::from(draw)) >> 64).unwrap_or(u64::MAX)
}

/// The same of half of it.
pub(super) fn half(span: u64, draw: u64) -> u64 {
    u64::try_from((u128::from(span) * u128::from(draw)) >> 65).unwrap_or(u64::MAX)
}
