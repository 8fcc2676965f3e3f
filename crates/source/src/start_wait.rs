//! How long a user waits for the first data.

use core::time::Duration;

/// How long to wait for a source's first data, in seconds as people configure it.
///
/// ```
/// use std::time::Duration;
/// use retrylab_source::StartWait;
///
/// assert_eq!(StartWait::default().duration(), Some(Duration::from_secs(5)));
/// assert_eq!(StartWait::seconds(0.0).duration(), None);
/// assert!(StartWait::seconds(60.5).is_long());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartWait {
    seconds: f64,
}

impl Default for StartWait {
    fn default() -> Self {
        Self { seconds: 5.0 }
    }
}

impl StartWait {
    /// So many seconds. At or below zero, or not a number: no wait at all.
    #[must_use]
    pub const fn seconds(seconds: f64) -> Self {
        Self { seconds }
    }

    /// As it was configured.
    #[must_use]
    pub const fn as_seconds(self) -> f64 {
        self.seconds
    }

    /// How long; `None`: not at all. What no `Duration` can hold is the longest that one can.
    #[must_use]
    pub fn duration(self) -> Option<Duration> {
        (self.seconds > 0.0).then(|| Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX))
    }

    /// Whether it deserves a warning: above 60 s.
    #[must_use]
    pub const fn is_long(self) -> bool {
        self.seconds > 60.0
    }
}
