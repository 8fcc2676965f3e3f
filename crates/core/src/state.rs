//! The mutable half of the state machine: plain data, copied and compared freely.

use core::fmt;
use core::time::Duration;

use crate::reset::{BuiltInReset, HealthyFor, ResetRule, Successes};

/// What one client remembers between two outcomes. Made by [`RetryRules::start`](crate::RetryRules::start), changed by
/// [`record_failure`](crate::RetryRules::record_failure) and [`record_success`](crate::RetryRules::record_success).
///
/// Reading it draws nothing and changes nothing, and neither does time: the next delay is a stored value.
pub struct RetryState<R: ResetRule = BuiltInReset> {
    pub(crate) next_delay_ns: u64,
    pub(crate) reset: R::State,
    pub(crate) attempts: u32,
    pub(crate) extended: bool,
}

const _: () = assert!(size_of::<RetryState<HealthyFor>>() <= 24);
const _: () = assert!(size_of::<RetryState<Successes>>() <= 24);
const _: () = assert!(size_of::<RetryState<BuiltInReset>>() <= 24);

/// Which ladder a client is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Regime {
    /// Failures that are expected to pass.
    Normal,
    /// After an unexpected failure, until a reset.
    Extended,
}

impl Regime {
    /// The lower-case name that files and traces use: `normal` or `extended`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Extended => "extended",
        }
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<R: ResetRule> RetryState<R> {
    /// How long to wait before the next operation.
    #[inline]
    #[must_use]
    pub const fn next_delay(&self) -> Duration {
        Duration::from_nanos(self.next_delay_ns)
    }

    /// The same in nanoseconds, for the hot path.
    #[inline]
    #[must_use]
    pub const fn next_delay_nanos(&self) -> u64 {
        self.next_delay_ns
    }

    /// Which ladder the client is on.
    #[inline]
    #[must_use]
    pub const fn regime(&self) -> Regime {
        if self.extended { Regime::Extended } else { Regime::Normal }
    }

    /// Failures counted on the present ladder, saturating; 0 after a reset, 1 at the ladder's first rung.
    #[inline]
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// What the reset rule remembers.
    #[must_use]
    pub const fn reset_state(&self) -> &R::State {
        &self.reset
    }

    /// What the reset rule remembers, for a rule of your own that takes more than outcomes into account.
    pub const fn reset_state_mut(&mut self) -> &mut R::State {
        &mut self.reset
    }

    #[inline]
    pub(crate) const fn clear(&mut self) {
        self.attempts = 0;
        self.extended = false;
    }
}

// Written out because a derive would ask the same of the rule as of its state.
impl<R: ResetRule> Clone for RetryState<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ResetRule> Copy for RetryState<R> {}

impl<R: ResetRule> PartialEq for RetryState<R> {
    fn eq(&self, other: &Self) -> bool {
        self.next_delay_ns == other.next_delay_ns
            && self.reset == other.reset
            && self.attempts == other.attempts
            && self.extended == other.extended
    }
}

impl<R: ResetRule> fmt::Debug for RetryState<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryState")
            .field("regime", &self.regime())
            .field("attempts", &self.attempts)
            .field("next_delay", &self.next_delay())
            .field("reset", &self.reset)
            .finish()
    }
}
