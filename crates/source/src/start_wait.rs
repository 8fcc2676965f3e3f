//! The wait for a source's first data.

use core::time::Duration;

/// The wait for a source's first data, in seconds as configured.
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
    /// This many seconds. Zero, a negative value or NaN is no wait.
    #[must_use]
    pub const fn seconds(seconds: f64) -> Self {
        Self { seconds }
    }

    /// The configured value.
    #[must_use]
    pub const fn as_seconds(self) -> f64 {
        self.seconds
    }

    /// The wait; `None`: no wait. Saturates at the longest `Duration`.
    #[must_use]
    pub fn duration(self) -> Option<Duration> {
        (self.seconds > 0.0).then(|| Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX))
    }

    /// Whether to warn: above 60 s.
    #[must_use]
    pub const fn is_long(self) -> bool {
        self.seconds > 60.0
    }
}
