//! The monotonic clock of a policy.

use std::sync::OnceLock;
use std::time::Duration;

use retrylab_core::Instant;

/// A monotonic clock. A policy that lives longer than one operation needs the same clock for all of them. A closure
/// without arguments is a clock.
///
/// ```
/// use retrylab_core::Instant;
/// use retrylab_driver::Clock;
///
/// let stopped = || Instant::from_secs(7);
/// assert_eq!(stopped.now(), Instant::from_secs(7));
/// ```
pub trait Clock {
    /// The time since an origin of the clock's choice.
    fn now(&self) -> Instant;
}

impl<F: Fn() -> Instant> Clock for F {
    fn now(&self) -> Instant {
        self()
    }
}

/// The monotonic clock of the system, with one origin for the whole process.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::CallRules;
/// use retrylab_driver::{Clock, Monotonic};
///
/// // A call whose last attempt must begin within five seconds from here.
/// let rules = CallRules::builder().deadline(Monotonic.now() + Duration::from_secs(5)).build()?;
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Monotonic;

/// The reading of the clock at its first use; points that much earlier are distinguishable too.
const FIRST_READING: Duration = Duration::from_secs(365 * 86_400);

impl Monotonic {
    /// The reading of this clock at a point of the standard library's clock, past or future; exact to the nanosecond.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retrylab_driver::Monotonic;
    ///
    /// # #[expect(clippy::disallowed_methods)]
    /// let deadline = std::time::Instant::now() + Duration::from_secs(5);
    /// let shown = Monotonic.reading_at(deadline);
    /// assert_eq!(Monotonic.reading_at(deadline + Duration::from_secs(1)), shown + Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn reading_at(&self, instant: std::time::Instant) -> Instant {
        let origin = first_reading();
        match instant.checked_duration_since(origin) {
            Some(after) => Instant::ZERO + FIRST_READING + after,
            None => Instant::ZERO + FIRST_READING.saturating_sub(origin.duration_since(instant)),
        }
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Instant {
        self.reading_at(real_now())
    }
}

fn first_reading() -> std::time::Instant {
    static FIRST: OnceLock<std::time::Instant> = OnceLock::new();
    *FIRST.get_or_init(real_now)
}

#[expect(clippy::disallowed_methods, reason = "the one place where the real clock is read")]
fn real_now() -> std::time::Instant {
    std::time::Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_clock_never_goes_back_and_two_of_them_agree() {
        let before = Monotonic.now();
        let between = Monotonic.reading_at(real_now());
        assert!(before <= between && between <= Monotonic.now());
    }

    #[test]
    fn points_before_the_first_reading_keep_their_distance() {
        let first = first_reading();
        let shown = Monotonic.reading_at(first);
        assert_eq!(shown, Instant::from_secs(365 * 86_400));
        assert_eq!(Monotonic.reading_at(first + SECOND).since(shown), SECOND);
        if let Some(earlier) = first.checked_sub(SECOND) {
            assert_eq!(shown.since(Monotonic.reading_at(earlier)), SECOND);
        }
    }
}
