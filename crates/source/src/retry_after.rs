//! The header `Retry-After` (RFC 9110 section 10.2.3).

use std::time::{Duration, SystemTime};

/// The value of a `Retry-After` header: a delay, or a date.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use retrylab_source::{PastDate, RetryAfter};
///
/// // Sun, 06 Nov 1994 08:49:00 GMT, 37 s before the date below.
/// let now = UNIX_EPOCH + Duration::from_secs(784_111_740);
/// let delay = |value| RetryAfter::parse(value)?.delay(now, PastDate::UseLadder);
/// assert_eq!(delay("120"), Some(Duration::from_secs(120)));
/// assert_eq!(delay("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(37)));
/// assert_eq!(delay("soon"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// This long after the response arrived.
    Delay(Duration),
    /// Not before this date.
    Date(SystemTime),
}

/// The meaning of a date in the past. Both are right: the server may mean "now", or its clock may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PastDate {
    /// No wait: the server is ready.
    RetryNow,
    /// As without the header.
    UseLadder,
}

impl RetryAfter {
    /// Parses the value of the header, exactly by the grammar: one digit or more, for seconds, or one of the three
    /// forms of an HTTP date (RFC 9110 section 5.6.7). `None` for any other value, which counts as no header.
    ///
    /// More seconds than 64 bits hold saturate. A year of two digits is one of 1970 to 2069. A date must exist, weekday
    /// included, and be of 1970 or later; a leap second (`:60`) does not exist.
    ///
    /// ```
    /// use retrylab_source::RetryAfter;
    ///
    /// for none in ["", "-3", "+3", "1.5", " 3x", "Mon, 06 Nov 1994 08:49:37 GMT"] {
    ///     assert_eq!(RetryAfter::parse(none), None, "{none:?}");
    /// }
    /// ```
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() {
            // The only possible error of digits is overflow.
            return Some(Self::Delay(Duration::from_secs(value.parse().unwrap_or(u64::MAX))));
        }
        // The date parser would skip blanks around it, which are no part of a header's value.
        if value.trim() != value {
            return None;
        }
        // The parser also ignores the character before the time of the second form.
        let hour = value.find(':')?.checked_sub(2)?;
        if !value.as_bytes()[..hour].ends_with(b" ") {
            return None;
        }
        httpdate::parse_http_date(value).ok().map(Self::Date)
    }

    /// The wait from `now`, which the caller reads from its wall clock when the response arrives; `None`: the ladder
    /// decides. A date equal to `now` is not in the past: its wait is zero.
    #[must_use]
    pub fn delay(self, now: SystemTime, past: PastDate) -> Option<Duration> {
        match self {
            Self::Delay(delay) => Some(delay),
            Self::Date(date) => match date.duration_since(now) {
                Ok(delay) => Some(delay),
                Err(_) => match past {
                    PastDate::RetryNow => Some(Duration::ZERO),
                    PastDate::UseLadder => None,
                },
            },
        }
    }
}
