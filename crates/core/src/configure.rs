//! The two shipped sets of rules, from durations and from the seconds of a configuration.

#![expect(
    clippy::float_arithmetic,
    reason = "the one place where seconds arrive as f64; what leaves is integer nanoseconds"
)]

use core::fmt;
use core::time::Duration;

use crate::reset::{HealthyFor, Successes};
use crate::rules::RetryRules;

const EXTENDED_INITIAL: Duration = Duration::from_secs(300);
const EXTENDED_CEILING: Duration = Duration::from_secs(3600);

impl RetryRules<HealthyFor> {
    /// Rules for a stream that reconnects: `initial_reconnect_delay` seconds doubling to 30 s, extended 5 min to 1 h,
    /// reset by 60 s of unbroken health, no cadence.
    ///
    /// A delay above a bound raises that bound. Zero counts as the default of 1 s.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::{Regime, RetryRules};
    ///
    /// let bounds = RetryRules::streaming(Duration::from_secs(45)).bounds(Regime::Normal);
    /// assert_eq!((bounds.initial, bounds.ceiling), (Duration::from_secs(45), Duration::from_secs(45)));
    /// ```
    #[must_use]
    pub const fn streaming(initial_reconnect_delay: Duration) -> Self {
        let initial = or_default(ConfigOption::InitialReconnectDelay, initial_reconnect_delay);
        Self::builder(HealthyFor::new(Duration::from_secs(60)))
            .normal(initial, Duration::from_secs(30))
            .extended(longer(EXTENDED_INITIAL, initial), EXTENDED_CEILING)
            .build()
    }

    /// [`RetryRules::streaming`] from the seconds of a configuration.
    ///
    /// A value that is not positive and finite is replaced by 1 s, with a warning. Positive values below 1 ns count as
    /// 1 ns; values above 584 years count as 584 years.
    ///
    /// ```
    /// use retrylab_core::RetryRules;
    ///
    /// let (_, warning) = RetryRules::streaming_from_secs_f64(f64::NAN);
    /// assert_eq!(
    ///     warning.map(|w| w.to_string()).as_deref(),
    ///     Some("initial_reconnect_delay must be a positive finite number of seconds, not NaN; using the default of 1s"),
    /// );
    /// ```
    #[must_use]
    pub const fn streaming_from_secs_f64(initial_reconnect_delay: f64) -> (Self, Option<ConfigWarning>) {
        let (initial, warning) = usable(ConfigOption::InitialReconnectDelay, initial_reconnect_delay);
        (Self::streaming(initial), warning)
    }
}

impl RetryRules<Successes> {
    /// Rules for a poller: `poll_interval` between polls and after normal failures, extended 5 min to 1 h, reset by two
    /// successes in a row.
    ///
    /// An interval above a bound raises that bound. Zero counts as the default of 30 s.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::RetryRules;
    ///
    /// assert_eq!(RetryRules::polling(Duration::from_secs(10)).cadence(), Duration::from_secs(10));
    /// assert_eq!(RetryRules::polling(Duration::ZERO).cadence(), Duration::from_secs(30));
    /// ```
    #[must_use]
    pub const fn polling(poll_interval: Duration) -> Self {
        let interval = or_default(ConfigOption::PollInterval, poll_interval);
        Self::builder(Successes::new(2))
            .normal(interval, interval)
            .extended(longer(EXTENDED_INITIAL, interval), EXTENDED_CEILING)
            .cadence(interval)
            .build()
    }

    /// [`RetryRules::polling`] from the seconds of a configuration.
    ///
    /// A value that is not positive and finite is replaced by 30 s, with a warning. Positive values below 1 ns count as
    /// 1 ns; values above 584 years count as 584 years.
    ///
    /// ```
    /// use retrylab_core::RetryRules;
    ///
    /// let (rules, warning) = RetryRules::polling_from_secs_f64(0.5);
    /// assert_eq!((rules.cadence().as_millis(), warning), (500, None));
    /// ```
    #[must_use]
    pub const fn polling_from_secs_f64(poll_interval: f64) -> (Self, Option<ConfigWarning>) {
        let (interval, warning) = usable(ConfigOption::PollInterval, poll_interval);
        (Self::polling(interval), warning)
    }
}

/// A configured value that was replaced by its default.
///
/// ```
/// use retrylab_core::{ConfigOption, RetryRules};
///
/// let (_, warning) = RetryRules::polling_from_secs_f64(-1.0);
/// assert_eq!(warning.map(|warning| warning.option), Some(ConfigOption::PollInterval));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfigWarning {
    /// The option.
    pub option: ConfigOption,
    /// The value that was given, in seconds.
    pub given: f64,
    /// The default in use, in seconds.
    pub default: Duration,
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} must be a positive finite number of seconds, not {}; using the default of {}s",
            self.option,
            self.given,
            self.default.as_secs()
        )
    }
}

/// An option that a constructor checks.
///
/// ```
/// use retrylab_core::ConfigOption;
///
/// assert_eq!(ConfigOption::PollInterval.to_string(), "poll_interval");
/// assert_eq!(ConfigOption::PollInterval.default().as_secs(), 30);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigOption {
    /// Of [`RetryRules::streaming_from_secs_f64`].
    InitialReconnectDelay,
    /// Of [`RetryRules::polling_from_secs_f64`].
    PollInterval,
}

impl ConfigOption {
    /// The option's name in a configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InitialReconnectDelay => "initial_reconnect_delay",
            Self::PollInterval => "poll_interval",
        }
    }

    /// The default in place of an unusable value.
    #[must_use]
    pub const fn default(self) -> Duration {
        match self {
            Self::InitialReconnectDelay => Duration::from_secs(1),
            Self::PollInterval => Duration::from_secs(30),
        }
    }
}

impl fmt::Display for ConfigOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

const fn usable(option: ConfigOption, given: f64) -> (Duration, Option<ConfigWarning>) {
    // NaN fails every comparison, so the condition states the valid range.
    if given > 0.0 && given.is_finite() {
        (from_seconds(given), None)
    } else {
        let default = option.default();
        (default, Some(ConfigWarning { option, given, default }))
    }
}

/// The nearest whole nanosecond, at least one; `as` saturates at `u64::MAX`. `seconds` is positive and finite.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "see above")]
const fn from_seconds(seconds: f64) -> Duration {
    let exact = seconds * 1e9;
    let whole = exact as u64;
    let rounded = if exact - whole as f64 >= 0.5 { whole.saturating_add(1) } else { whole };
    Duration::from_nanos(if rounded == 0 { 1 } else { rounded })
}

const fn or_default(option: ConfigOption, given: Duration) -> Duration {
    if given.is_zero() { option.default() } else { given }
}

const fn longer(a: Duration, b: Duration) -> Duration {
    if a.as_nanos() < b.as_nanos() { b } else { a }
}
