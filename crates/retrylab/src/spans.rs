//! Short names for spans of time, which every policy is full of.

use core::time::Duration;

/// So many seconds.
///
/// ```
/// assert_eq!(retrylab::secs(2), std::time::Duration::from_secs(2));
/// ```
#[must_use]
pub const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// So many milliseconds.
///
/// ```
/// assert_eq!(retrylab::millis(200), std::time::Duration::from_millis(200));
/// ```
#[must_use]
pub const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
