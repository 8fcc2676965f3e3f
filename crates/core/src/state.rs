//! The mutable half of the state machine: plain data, copied and compared freely.

use core::fmt;
use core::time::Duration;

use crate::reset::{BuiltInReset, HealthyFor, ResetRule, Successes};

/// The memory of one client between two outcomes. [`RetryRules::start`](crate::RetryRules::start) makes it;
/// [`record_failure`](crate::RetryRules::record_failure) and [`record_success`](crate::RetryRules::record_success)
/// change it.
///
/// Reading it takes no draw and changes nothing. Time alone changes nothing either: the next delay is a stored value.
pub struct RetryState<R: ResetRule = BuiltInReset> {
    pub(crate) next_delay_ns: u64,
    pub(crate) reset: R::State,
    pub(crate) attempts: u32,
    pub(crate) extended: bool,
}

const _: () = assert!(size_of::<RetryState<HealthyFor>>() <= 24);
const _: () = assert!(size_of::<RetryState<Successes>>() <= 24);
const _: () = assert!(size_of::<RetryState<BuiltInReset>>() <= 24);

/// The ladder that a client is on.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{FailureKind, Instant, Policy, Regime, Retry, RetryRules};
///
/// let mut stream = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
/// stream.record_failure(FailureKind::Unexpected.into(), Instant::ZERO, 0);
/// assert_eq!(stream.explain(0).map(|rung| rung.regime), Some(Regime::Extended));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Regime {
    /// After failures that are expected to pass.
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
    /// The wait before the next operation.
    #[inline]
    #[must_use]
    pub const fn next_delay(&self) -> Duration {
        Duration::from_nanos(self.next_delay_ns)
    }

    /// The wait in nanoseconds, for the hot path.
    #[inline]
    #[must_use]
    pub const fn next_delay_nanos(&self) -> u64 {
        self.next_delay_ns
    }

    /// The ladder that the client is on.
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

    /// The memory of the reset rule.
    #[must_use]
    pub const fn reset_state(&self) -> &R::State {
        &self.reset
    }

    /// The memory of the reset rule, for a rule with inputs other than outcomes.
    pub const fn reset_state_mut(&mut self) -> &mut R::State {
        &mut self.reset
    }

    #[inline]
    pub(crate) const fn clear(&mut self) {
        self.attempts = 0;
        self.extended = false;
    }
}

// Written out, because a derive would require `PartialEq` of the rule, not only of its state.
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
