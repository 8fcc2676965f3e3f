//! The two constructors that are shipped, which take seconds as people configure them.

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
    /// A value above a bound raises that bound. A value that is not positive and finite is replaced by 1 s, and the
    /// warning says so. Positive values below 1 ns count as 1 ns, values beyond 584 years as that.
    ///
    /// ```
    /// use retrylab_core::RetryRules;
    ///
    /// let (_, warning) = RetryRules::streaming(f64::NAN);
    /// assert_eq!(
    ///     warning.map(|w| w.to_string()).as_deref(),
    ///     Some("initial_reconnect_delay has to be a positive finite number of seconds, not NaN; using the default of 1s"),
    /// );
    /// ```
    #[must_use]
    pub const fn streaming(initial_reconnect_delay: f64) -> (Self, Option<ConfigWarning>) {
        let (initial, warning) = usable(ConfigOption::InitialReconnectDelay, initial_reconnect_delay);
        let rules = Self::builder(HealthyFor::new(Duration::from_secs(60)))
            .normal(initial, Duration::from_secs(30))
            .extended(longer(EXTENDED_INITIAL, initial), EXTENDED_CEILING)
            .build();
        (rules, warning)
    }
}

impl RetryRules<Successes> {
    /// Rules for a poller: `poll_interval` seconds between polls and after normal failures, extended 5 min to 1 h,
    /// reset by two successes in a row.
    ///
    /// A value above a bound raises that bound. A value that is not positive and finite is replaced by 30 s, and the
    /// warning says so. Positive values below 1 ns count as 1 ns, values beyond 584 years as that.
    #[must_use]
    pub const fn polling(poll_interval: f64) -> (Self, Option<ConfigWarning>) {
        let (interval, warning) = usable(ConfigOption::PollInterval, poll_interval);
        let rules = Self::builder(Successes::new(2))
            .normal(interval, interval)
            .extended(longer(EXTENDED_INITIAL, interval), EXTENDED_CEILING)
            .cadence(interval)
            .build();
        (rules, warning)
    }
}

/// A configured value that could not be used, and what was used instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfigWarning {
    /// Which option.
    pub option: ConfigOption,
    /// The value that was given, in seconds.
    pub given: f64,
    /// The default that was used.
    pub default: Duration,
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} has to be a positive finite number of seconds, not {}; using the default of {}s",
            self.option,
            self.given,
            self.default.as_secs()
        )
    }
}

/// The options that the constructors check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigOption {
    /// Of [`RetryRules::streaming`].
    InitialReconnectDelay,
    /// Of [`RetryRules::polling`].
    PollInterval,
}

impl ConfigOption {
    /// The option's name as people configure it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InitialReconnectDelay => "initial_reconnect_delay",
            Self::PollInterval => "poll_interval",
        }
    }

    /// What is used when the configured value is unusable.
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
    // NaN fails every comparison, so the test is for what is wanted, not for what is not.
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

const fn longer(a: Duration, b: Duration) -> Duration {
    if a.as_nanos() < b.as_nanos() { b } else { a }
}
