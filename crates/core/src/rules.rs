//! The immutable half of the state machine: bounds of both regimes, the cadence and the reset rule.

use core::time::Duration;

use crate::FailureKind;
use crate::reset::{BuiltInReset, HealthyFor, ResetRule, Successes};
use crate::state::{Regime, RetryState};
use crate::time::{Instant, nanos};

/// The parameters of a client's waits. They are immutable, so a fleet can share one value.
///
/// Two constructors give the shipped rules, [`RetryRules::streaming`] and [`RetryRules::polling`];
/// [`RetryRules::builder`] takes any bounds. No invalid value exists: each ceiling is at least its initial.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{HealthyFor, Regime, RetryRules};
///
/// let s = Duration::from_secs;
/// let rules = RetryRules::builder(HealthyFor::new(s(10))).normal(s(3), s(9)).build();
/// assert_eq!(rules.bounds(Regime::Normal).ceiling, s(9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetryRules<R = BuiltInReset> {
    normal: BoundsNs,
    extended: BoundsNs,
    cadence_ns: u64,
    reset: R,
}

/// The first wait and the ceiling of a regime's ladder.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Bounds, Regime, RetryRules};
///
/// let s = Duration::from_secs;
/// let extended = RetryRules::streaming(s(1)).bounds(Regime::Extended);
/// assert_eq!(extended, Bounds { initial: s(300), ceiling: s(3600) });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The wait at the first failure, before jitter and cadence.
    pub initial: Duration,
    /// The longest wait before jitter and cadence; never below `initial`.
    pub ceiling: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct BoundsNs {
    initial: u64,
    ceiling: u64,
}

impl BoundsNs {
    const fn new(initial: Duration, ceiling: Duration) -> Self {
        let (initial, ceiling) = (nanos(initial), nanos(ceiling));
        Self { initial, ceiling: if ceiling < initial { initial } else { ceiling } }
    }

    /// `initial` doubled `attempts - 1` times, at most the ceiling, which is the only limit of the exponent.
    #[inline]
    fn rung(self, attempts: u32) -> u64 {
        let doublings = attempts.wrapping_sub(1);
        if doublings < u64::BITS && self.initial <= self.ceiling >> doublings {
            self.initial << doublings
        } else if self.initial == 0 {
            0
        } else {
            self.ceiling
        }
    }
}

impl<R: ResetRule> RetryRules<R> {
    /// Rules with this reset rule. The defaults are the bounds 1 s to 30 s and 5 min to 1 h, and no cadence.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::{HealthyFor, RetryRules};
    ///
    /// let rules = RetryRules::builder(HealthyFor::new(Duration::from_secs(60)))
    ///     .normal(Duration::from_millis(200), Duration::from_secs(10))
    ///     .build();
    /// assert_eq!(rules.start().next_delay(), Duration::ZERO);
    /// ```
    pub const fn builder(reset: R) -> RulesBuilder<R> {
        RulesBuilder {
            normal: (Duration::from_secs(1), Duration::from_secs(30)),
            extended: (Duration::from_secs(300), Duration::from_secs(3600)),
            cadence: Duration::ZERO,
            reset,
        }
    }

    /// The state of a client without an outcome: its next delay is the cadence.
    #[inline]
    #[must_use]
    pub fn start(&self) -> RetryState<R> {
        RetryState { next_delay_ns: self.cadence_ns, reset: R::State::default(), attempts: 0, extended: false }
    }

    /// The state of a client that continues from a saved place, for instance after its process restarted. Its health
    /// starts anew and its next delay is the cadence. A client in the extended regime has had at least one failure
    /// there, so 0 attempts count as 1.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::{FailureKind, Instant, Regime, RetryRules};
    ///
    /// let rules = RetryRules::streaming(Duration::from_secs(1));
    /// let mut state = rules.resume(Regime::Extended, 2);
    /// rules.record_failure(&mut state, FailureKind::Normal, Instant::ZERO, 0);
    /// assert_eq!(state.next_delay(), Duration::from_secs(1200)); // after 300 s and 600 s
    /// ```
    #[must_use]
    pub fn resume(&self, regime: Regime, attempts: u32) -> RetryState<R> {
        match regime {
            Regime::Normal => RetryState { attempts, ..self.start() },
            Regime::Extended => RetryState { attempts: attempts.max(1), extended: true, ..self.start() },
        }
    }

    /// Records a failure at `now` and sets the next delay. `draw` is the one random draw of this failure, uniform over
    /// all of `u64`; 0 gives the longest wait. The order is exact:
    ///
    /// 1. a due reset happens, before the reset rule records the failure;
    /// 2. the reset rule records the failure;
    /// 3. the first unexpected failure enters the extended regime at its first rung, every other climbs one rung;
    /// 4. the rung is the initial, doubled for each rung climbed and cut at the ceiling;
    /// 5. up to half of it is subtracted (`rung * draw / 2^65`);
    /// 6. the wait is at least the cadence.
    #[inline]
    pub fn record_failure(&self, state: &mut RetryState<R>, kind: FailureKind, now: Instant, draw: u64) {
        if self.reset.is_due(&state.reset, now) {
            state.clear();
        }
        self.reset.record_failure(&mut state.reset, now);
        if kind == FailureKind::Unexpected && !state.extended {
            state.extended = true;
            state.attempts = 1;
        } else {
            state.attempts = state.attempts.saturating_add(1);
        }
        let rung = self.bounds_ns(state.extended).rung(state.attempts);
        state.next_delay_ns = (rung - jitter_ns(rung, draw)).max(self.cadence_ns);
    }

    /// Records a success at `now`: the reset rule records it, a due reset happens, and the next delay is the cadence,
    /// with or without a reset.
    #[inline]
    pub fn record_success(&self, state: &mut RetryState<R>, now: Instant) {
        self.reset.record_success(&mut state.reset, now);
        if self.reset.is_due(&state.reset, now) {
            state.clear();
        }
        state.next_delay_ns = self.cadence_ns;
    }

    /// The rung of `state`, before jitter and cadence; zero before its first failure.
    #[inline]
    #[must_use]
    pub fn rung(&self, state: &RetryState<R>) -> Duration {
        Duration::from_nanos(self.rung_ns(state))
    }

    #[inline]
    pub(crate) fn rung_ns(&self, state: &RetryState<R>) -> u64 {
        if state.attempts == 0 { 0 } else { self.bounds_ns(state.extended).rung(state.attempts) }
    }

    /// The jitter that this draw subtracts from the rung of `state`, even where the cadence hides it.
    #[inline]
    #[must_use]
    pub fn jitter(&self, state: &RetryState<R>, draw: u64) -> Duration {
        Duration::from_nanos(jitter_ns(self.rung_ns(state), draw))
    }

    /// The bounds of a regime.
    #[must_use]
    pub const fn bounds(&self, regime: Regime) -> Bounds {
        let bounds = match regime {
            Regime::Normal => self.normal,
            Regime::Extended => self.extended,
        };
        Bounds { initial: Duration::from_nanos(bounds.initial), ceiling: Duration::from_nanos(bounds.ceiling) }
    }

    /// The wait between healthy operations, and the minimum wait after a failure.
    #[must_use]
    pub const fn cadence(&self) -> Duration {
        Duration::from_nanos(self.cadence_ns)
    }

    /// The reset rule.
    #[must_use]
    pub const fn reset_rule(&self) -> &R {
        &self.reset
    }

    #[inline]
    const fn bounds_ns(&self, extended: bool) -> BoundsNs {
        if extended { self.extended } else { self.normal }
    }
}

/// Half of `rung` times the draw as a fraction of 2^64. At most half, so the subtraction from `rung` cannot wrap.
#[inline]
pub(crate) const fn jitter_ns(rung: u64, draw: u64) -> u64 {
    ((rung as u128 * draw as u128) >> 65) as u64
}

impl From<RetryRules<HealthyFor>> for RetryRules<BuiltInReset> {
    fn from(rules: RetryRules<HealthyFor>) -> Self {
        rules.with_reset(rules.reset.into())
    }
}

impl From<RetryRules<Successes>> for RetryRules<BuiltInReset> {
    fn from(rules: RetryRules<Successes>) -> Self {
        rules.with_reset(rules.reset.into())
    }
}

impl<R> RetryRules<R> {
    const fn with_reset<S: Copy>(&self, reset: S) -> RetryRules<S> {
        RetryRules { normal: self.normal, extended: self.extended, cadence_ns: self.cadence_ns, reset }
    }
}

/// Custom bounds for [`RetryRules`]. Any duration is allowed; above 584 years it counts as 584 years.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct RulesBuilder<R> {
    normal: (Duration, Duration),
    extended: (Duration, Duration),
    cadence: Duration,
    reset: R,
}

impl<R: ResetRule> RulesBuilder<R> {
    /// First wait and ceiling of the normal regime. A ceiling below the initial is raised to it.
    pub const fn normal(mut self, initial: Duration, ceiling: Duration) -> Self {
        self.normal = (initial, ceiling);
        self
    }

    /// First wait and ceiling of the extended regime. A ceiling below the initial is raised to it.
    pub const fn extended(mut self, initial: Duration, ceiling: Duration) -> Self {
        self.extended = (initial, ceiling);
        self
    }

    /// The wait between healthy operations, also the minimum wait after a failure.
    pub const fn cadence(mut self, cadence: Duration) -> Self {
        self.cadence = cadence;
        self
    }

    /// Builds the rules.
    #[must_use]
    pub const fn build(self) -> RetryRules<R> {
        RetryRules {
            normal: BoundsNs::new(self.normal.0, self.normal.1),
            extended: BoundsNs::new(self.extended.0, self.extended.1),
            cadence_ns: nanos(self.cadence),
            reset: self.reset,
        }
    }
}
