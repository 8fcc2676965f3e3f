//! Integer time: points on the caller's monotonic clock, and durations as saturating nanoseconds.

use core::fmt;
use core::num::NonZeroU64;
use core::time::Duration;

/// A point on the caller's monotonic clock, in nanoseconds since an origin that the caller chose.
///
/// Zero is a valid time. The range is 0 to [`Instant::MAX`] (`u64::MAX` - 1 ns, about 584 years); construction and
/// addition saturate there. The one unused value keeps `Option<Instant>` at 8 bytes.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::Instant;
///
/// let start = Instant::ZERO;
/// let later = start + Duration::from_secs(60);
/// assert_eq!(later.since(start), Duration::from_secs(60));
/// assert_eq!(start.since(later), Duration::ZERO);
/// assert_eq!(size_of::<Option<Instant>>(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(NonZeroU64);

impl Instant {
    /// The clock's origin.
    pub const ZERO: Self = Self(NonZeroU64::MIN);
    /// The last representable point, `u64::MAX` - 1 ns after the origin.
    pub const MAX: Self = Self(NonZeroU64::MAX);

    /// The point `nanos` nanoseconds after the origin, or [`Instant::MAX`] where that saturates.
    #[inline]
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        match NonZeroU64::new(nanos.saturating_add(1)) {
            Some(shifted) => Self(shifted),
            None => Self::MAX,
        }
    }

    /// The point `seconds` whole seconds after the origin, saturating.
    #[inline]
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self::from_nanos(seconds.saturating_mul(1_000_000_000))
    }

    /// Nanoseconds since the origin.
    #[inline]
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0.get() - 1
    }

    /// Time since the origin.
    #[inline]
    #[must_use]
    pub const fn since_origin(self) -> Duration {
        Duration::from_nanos(self.as_nanos())
    }

    /// Time from `earlier` to `self`; zero if `earlier` is later.
    #[inline]
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.nanos_since(earlier))
    }

    /// Nanoseconds from `earlier` to `self`; zero if `earlier` is later.
    #[inline]
    #[must_use]
    pub const fn nanos_since(self, earlier: Self) -> u64 {
        self.0.get().saturating_sub(earlier.0.get())
    }
}

/// Addition saturates at [`Instant::MAX`].
impl core::ops::Add<Duration> for Instant {
    type Output = Self;

    #[inline]
    fn add(self, span: Duration) -> Self {
        Self::from_nanos(self.as_nanos().saturating_add(nanos(span)))
    }
}

impl Default for Instant {
    fn default() -> Self {
        Self::ZERO
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instant({:?})", self.since_origin())
    }
}

/// A duration in whole nanoseconds, saturating at `u64::MAX` (about 584 years).
///
/// ```
/// use core::time::Duration;
///
/// assert_eq!(retrylab_core::nanos(Duration::from_secs(1)), 1_000_000_000);
/// assert_eq!(retrylab_core::nanos(Duration::MAX), u64::MAX);
/// ```
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "cast only where it fits")]
pub const fn nanos(span: Duration) -> u64 {
    let wide = span.as_nanos();
    if wide > u64::MAX as u128 { u64::MAX } else { wide as u64 }
}
