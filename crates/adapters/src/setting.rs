//! What is asked of every library.

use core::fmt;
use core::time::Duration;

/// The longest wait or limit that a setting can name: 100 years, where the arithmetic of every library still holds.
pub const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A policy in the terms that all libraries share: the wait starts at a base, grows by a factor, stops at a ceiling.
///
/// ```
/// use core::time::Duration;
/// use retrylab_adapters::Setting;
///
/// let setting = Setting::new(Duration::from_millis(500), 2.0, Duration::from_secs(30))?.with_attempts(4)?;
/// assert_eq!(setting.attempts(), Some(4));
/// assert!(setting.jitter());
/// # Ok::<(), retrylab_adapters::SettingError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    base: Duration,
    factor: f64,
    ceiling: Duration,
    attempts: Option<u32>,
    elapsed: Option<Duration>,
    jitter: bool,
}

impl Setting {
    /// Waits from `base`, times `factor` at each retry, to `ceiling`, with the library's own jitter and no limit.
    ///
    /// # Errors
    ///
    /// If the base is zero, the factor is no number or below 1, or the ceiling is below the base or above [`LONGEST`].
    pub fn new(base: Duration, factor: f64, ceiling: Duration) -> Result<Self, SettingError> {
        if base.is_zero() {
            return Err(SettingError::ZeroBase);
        }
        if !factor.is_finite() || factor < 1.0 {
            return Err(SettingError::Factor { given: factor });
        }
        if ceiling < base {
            return Err(SettingError::LowCeiling { given: ceiling, base });
        }
        if ceiling > LONGEST {
            return Err(SettingError::TooLong { field: "ceiling", given: ceiling });
        }
        Ok(Self { base, factor, ceiling, attempts: None, elapsed: None, jitter: true })
    }

    /// At most this many attempts, the first one included.
    ///
    /// # Errors
    ///
    /// If it is 0.
    pub const fn with_attempts(mut self, attempts: u32) -> Result<Self, SettingError> {
        if attempts == 0 {
            return Err(SettingError::NoAttempt);
        }
        self.attempts = Some(attempts);
        Ok(self)
    }

    /// At most this much time for a call, counted as the library counts it.
    ///
    /// # Errors
    ///
    /// If it is above [`LONGEST`].
    pub fn with_elapsed(mut self, elapsed: Duration) -> Result<Self, SettingError> {
        if elapsed > LONGEST {
            return Err(SettingError::TooLong { field: "elapsed", given: elapsed });
        }
        self.elapsed = Some(elapsed);
        Ok(self)
    }

    /// Every wait exact.
    #[must_use]
    pub const fn without_jitter(mut self) -> Self {
        self.jitter = false;
        self
    }

    /// The wait after the first failure, before jitter.
    #[must_use]
    pub const fn base(&self) -> Duration {
        self.base
    }

    /// What a wait is multiplied by to get the next; at least 1.
    #[must_use]
    pub const fn factor(&self) -> f64 {
        self.factor
    }

    /// The longest wait, before jitter.
    #[must_use]
    pub const fn ceiling(&self) -> Duration {
        self.ceiling
    }

    /// The most attempts of a call, the first one included.
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {
        self.attempts
    }

    /// The most time for a call.
    #[must_use]
    pub const fn elapsed(&self) -> Option<Duration> {
        self.elapsed
    }

    /// Whether waits are spread, by the jitter that the library itself starts from.
    #[must_use]
    pub const fn jitter(&self) -> bool {
        self.jitter
    }
}

/// What more than one library needs to know of a setting, and some libraries need none of.
#[allow(dead_code, reason = "which of these are used depends on the features")]
impl Setting {
    /// The most retries of a call: the attempts after the first.
    pub(crate) fn retries(&self) -> Option<u32> {
        self.attempts.map(|attempts| attempts - 1)
    }

    /// The factor for a library that multiplies by whole numbers.
    pub(crate) fn whole_factor(&self) -> Result<u32, String> {
        if self.factor.fract() != 0.0 || self.factor > f64::from(u32::MAX) {
            return Err(format!("a factor of {}: it takes whole numbers up to {}", self.factor, u32::MAX));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and from 1 to u32::MAX")]
        Ok(self.factor as u32)
    }

    /// The base for a library that takes it in milliseconds.
    pub(crate) fn whole_millis(&self) -> Result<u64, String> {
        let millis = u64::try_from(self.base.as_millis()).unwrap_or(u64::MAX);
        if Duration::from_millis(millis) != self.base {
            return Err(format!("a base of {:?}: it takes whole milliseconds", self.base));
        }
        Ok(millis)
    }

    /// Refuses a limit on time, for a library that has none, or counts it by a clock that cannot be replaced.
    pub(crate) fn no_elapsed(&self, why: &str) -> Result<(), String> {
        match self.elapsed {
            None => Ok(()),
            Some(elapsed) => Err(format!("a limit of {elapsed:?} on the time of a call: {why}")),
        }
    }
}

/// A setting that no policy should have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingError {
    /// A base that never grows.
    ZeroBase,
    /// A factor that is no number, or would shrink the wait.
    Factor {
        /// As given.
        given: f64,
    },
    /// A ceiling that not even the first wait keeps.
    LowCeiling {
        /// As given.
        given: Duration,
        /// The base that it is below.
        base: Duration,
    },
    /// More than [`LONGEST`].
    TooLong {
        /// Which of the durations.
        field: &'static str,
        /// As given.
        given: Duration,
    },
    /// A call without an attempt.
    NoAttempt,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroBase => write!(f, "base is 0s; it has to be longer"),
            Self::Factor { given } => write!(f, "factor is {given}; it has to be a number from 1"),
            Self::LowCeiling { given, base } => {
                write!(f, "ceiling is {given:?}; it has to be at least the base, {base:?}")
            }
            Self::TooLong { field, given } => {
                write!(f, "{field} is {given:?}; at most {LONGEST:?} (100 years) is allowed")
            }
            Self::NoAttempt => write!(f, "attempts is 0; at least 1 is allowed"),
        }
    }
}

impl core::error::Error for SettingError {}
