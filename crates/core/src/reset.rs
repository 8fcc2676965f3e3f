//! Reset rules: how much health clears the state. Two are built in; any [`ResetRule`] will do.

use core::fmt;
use core::time::Duration;

use crate::time::{Instant, nanos};

/// Decides when health has lasted long enough to restart the ladder.
///
/// A rule is an immutable value that all clients share; its memory of one client is its [`State`](Self::State). The
/// state machine calls [`is_due`](Self::is_due) before it records a failure in the rule, and after it records a
/// success. A rule that is due must stay due until the next failure, so that a second call changes nothing.
///
/// ```
/// use retrylab_core::{Instant, ResetRule, RetryRules};
///
/// /// Resets after a success that came with progress: the caller marks it in the state.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct AfterProgress;
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// struct Progress(bool);
///
/// impl ResetRule for AfterProgress {
///     type State = Progress;
///     fn record_success(&self, _: &mut Progress, _: Instant) {}
///     fn record_failure(&self, progress: &mut Progress, _: Instant) {
///         progress.0 = false;
///     }
///     fn is_due(&self, progress: &Progress, _: Instant) -> bool {
///         progress.0
///     }
/// }
///
/// let rules = RetryRules::builder(AfterProgress).build();
/// let mut state = rules.start();
/// state.reset_state_mut().0 = true;
/// rules.record_success(&mut state, Instant::ZERO);
/// assert_eq!(state.attempts(), 0);
/// ```
pub trait ResetRule: Copy {
    /// The rule's memory of one client. The default is that of a client without an outcome.
    type State: Copy + Default + PartialEq + fmt::Debug;

    /// Records a success at `now`.
    fn record_success(&self, state: &mut Self::State, now: Instant);

    /// Records a failure at `now`, which ends any health.
    fn record_failure(&self, state: &mut Self::State, now: Instant);

    /// Whether to reset the state at `now`.
    fn is_due(&self, state: &Self::State, now: Instant) -> bool;
}

/// Due once health has lasted for a duration, inclusive: exactly the window is enough.
///
/// Health starts at the first success after a failure; later successes do not move it.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{HealthyFor, Instant, ResetRule};
///
/// let (rule, mut memory) = (HealthyFor::new(Duration::from_secs(60)), Default::default());
/// rule.record_success(&mut memory, Instant::from_secs(5));
/// assert!(!rule.is_due(&memory, Instant::from_secs(64)));
/// assert!(rule.is_due(&memory, Instant::from_secs(65)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HealthyFor {
    window_ns: u64,
}

impl HealthyFor {
    /// The rule with this window. A window above 584 years counts as 584 years.
    #[must_use]
    pub const fn new(window: Duration) -> Self {
        Self { window_ns: nanos(window) }
    }

    /// The duration that health must last.
    #[must_use]
    pub const fn window(&self) -> Duration {
        Duration::from_nanos(self.window_ns)
    }
}

/// The start of a client's health, if it is healthy. The clock's origin is a valid start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HealthySince(Option<Instant>);

impl HealthySince {
    /// The time of the first success since the last failure, if there was one.
    #[must_use]
    pub const fn instant(self) -> Option<Instant> {
        self.0
    }
}

impl ResetRule for HealthyFor {
    type State = HealthySince;

    #[inline]
    fn record_success(&self, state: &mut HealthySince, now: Instant) {
        state.0.get_or_insert(now);
    }

    #[inline]
    fn record_failure(&self, state: &mut HealthySince, _now: Instant) {
        state.0 = None;
    }

    #[inline]
    fn is_due(&self, state: &HealthySince, now: Instant) -> bool {
        state.0.is_some_and(|since| now.nanos_since(since) >= self.window_ns)
    }
}

/// Due after this many successes in a row, at any time. Zero is always due.
///
/// ```
/// use retrylab_core::{Instant, ResetRule, Successes};
///
/// let (rule, mut memory) = (Successes::new(2), Default::default());
/// rule.record_success(&mut memory, Instant::ZERO);
/// assert!(!rule.is_due(&memory, Instant::ZERO));
/// rule.record_success(&mut memory, Instant::ZERO);
/// assert!(rule.is_due(&memory, Instant::ZERO));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Successes(u32);

impl Successes {
    /// The rule for `count` successes in a row.
    #[must_use]
    pub const fn new(count: u32) -> Self {
        Self(count)
    }

    /// The number of successes in a row that make the rule due.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// The number of successes in a row of one client, saturating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SuccessCount(u32);

impl SuccessCount {
    /// The number of successes since the last failure.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

impl ResetRule for Successes {
    type State = SuccessCount;

    #[inline]
    fn record_success(&self, state: &mut SuccessCount, _now: Instant) {
        state.0 = state.0.saturating_add(1);
    }

    #[inline]
    fn record_failure(&self, state: &mut SuccessCount, _now: Instant) {
        state.0 = 0;
    }

    #[inline]
    fn is_due(&self, state: &SuccessCount, _now: Instant) -> bool {
        state.0 >= self.0
    }
}

/// Either built-in rule, chosen at run time.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{BuiltInReset, HealthyFor, RetryRules};
///
/// let rule = BuiltInReset::HealthyFor(HealthyFor::new(Duration::from_secs(10)));
/// assert_eq!(RetryRules::builder(rule).build().cadence(), Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltInReset {
    /// Health for a duration.
    HealthyFor(HealthyFor),
    /// A number of successes in a row.
    Successes(Successes),
}

/// The memory of a [`BuiltInReset`], in 8 bytes. Only the rule that wrote it can read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BuiltInResetState(u64);

/// One more than the nanoseconds at which health began; zero is "unset".
impl From<HealthySince> for BuiltInResetState {
    #[inline]
    fn from(state: HealthySince) -> Self {
        Self(state.0.map_or(0, |since| since.as_nanos() + 1))
    }
}

impl From<SuccessCount> for BuiltInResetState {
    #[inline]
    fn from(state: SuccessCount) -> Self {
        Self(u64::from(state.0))
    }
}

impl BuiltInResetState {
    #[inline]
    fn as_healthy_since(self) -> HealthySince {
        HealthySince(self.0.checked_sub(1).map(Instant::from_nanos))
    }

    #[inline]
    fn as_success_count(self) -> SuccessCount {
        SuccessCount(u32::try_from(self.0).unwrap_or(u32::MAX))
    }
}

impl From<HealthyFor> for BuiltInReset {
    fn from(rule: HealthyFor) -> Self {
        Self::HealthyFor(rule)
    }
}

impl From<Successes> for BuiltInReset {
    fn from(rule: Successes) -> Self {
        Self::Successes(rule)
    }
}

impl ResetRule for BuiltInReset {
    type State = BuiltInResetState;

    #[inline]
    fn record_success(&self, state: &mut BuiltInResetState, now: Instant) {
        match self {
            Self::HealthyFor(rule) => {
                let mut since = state.as_healthy_since();
                rule.record_success(&mut since, now);
                *state = since.into();
            }
            Self::Successes(rule) => {
                let mut count = state.as_success_count();
                rule.record_success(&mut count, now);
                *state = count.into();
            }
        }
    }

    #[inline]
    fn record_failure(&self, state: &mut BuiltInResetState, _now: Instant) {
        *state = BuiltInResetState::default();
    }

    #[inline]
    fn is_due(&self, state: &BuiltInResetState, now: Instant) -> bool {
        match self {
            Self::HealthyFor(rule) => rule.is_due(&state.as_healthy_since(), now),
            Self::Successes(rule) => rule.is_due(&state.as_success_count(), now),
        }
    }
}
