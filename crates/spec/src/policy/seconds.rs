//! Configured seconds.

use core::fmt;
use core::time::Duration;

use crate::duration::Text;

/// A configured number of seconds, as written. Numbers are equal if a constructor treats them alike: every NaN is equal
/// to every other, and `0.0` is not `-0.0`.
#[derive(Clone, Copy, Debug)]
pub enum Seconds {
    /// Text such as `"1m 30s"`.
    Text(Duration),
    /// A TOML number, `nan` and `inf` included.
    Number(f64),
}

impl Seconds {
    /// The value for the constructors.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        match self {
            Self::Text(span) => span.as_secs_f64(),
            Self::Number(seconds) => seconds,
        }
    }

    /// The effective duration: the nearest nanosecond, at least one. `None` if it is not positive and finite.
    #[must_use]
    pub fn usable(self) -> Option<Duration> {
        let seconds = self.as_f64();
        (seconds > 0.0 && seconds.is_finite()).then(|| Duration::from_nanos(nearest_nanos(seconds).max(1)))
    }
}

/// Saturates at `u64::MAX`, as the constructors of rules do.
#[expect(
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a configured value, once; of a positive number `as` saturates"
)]
fn nearest_nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// As a file writes it, without quotes.
impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(span) => Text(*span).fmt(f),
            Self::Number(number) if number.is_nan() => f.write_str("nan"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl PartialEq for Seconds {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            _ => false,
        }
    }
}
