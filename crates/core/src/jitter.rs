//! Jitter kinds: how one random draw shortens a wait. Every kind subtracts, so draw 0 gives the longest wait.

use core::fmt;
use core::time::Duration;

use crate::time::nanos;

/// A way to spread waits, so that clients which failed together do not return together.
///
/// Every kind stays at or below the ceiling, and every kind but [`Jitter::None`] spreads there. The formulas use
/// integer nanoseconds; `draw` is uniform over all of `u64`, `d` is the rung.
///
/// The two decorrelated kinds cannot spread where the base equals the ceiling, as on a constant ladder: every wait is
/// the ceiling. With a base of zero every wait is zero.
///
/// | kind | wait | bounds |
/// |---|---|---|
/// | `None` | d | d |
/// | `SubtractHalf` | d - (d·draw >> 65) | d/2 to d |
/// | `Full` | d - (d·draw >> 64) | above 0, to d |
/// | `Decorrelated` | hi - ((hi - lo)·draw >> 64), lo = base, hi = min(ceiling, 3·previous) | base to ceiling |
/// | `DecorrelatedPublished` | min(ceiling, as above with hi = 3·previous) | base to ceiling, many exactly at the ceiling |
///
/// Sources: Marc Brooker named full, equal and decorrelated jitter ("Exponential Backoff And Jitter", AWS Architecture
/// Blog, 2015). Subtract-half has the same distribution as his equal jitter, so one kind carries both names.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Constant, FailureKind, Instant, IntoPolicy, Jitter, Policy};
///
/// let half = 1 << 63;
/// let wait = |jitter| {
///     let mut call = Constant::new(Duration::from_secs(8)).jitter(jitter).into_policy()?;
///     Ok::<_, retrylab_core::CallRulesError>(call.record_failure(FailureKind::Normal.into(), Instant::ZERO, half).delay())
/// };
/// assert_eq!(wait(Jitter::Full)?, Some(Duration::from_secs(4)));
/// assert_eq!(wait(Jitter::SubtractHalf)?, Some(Duration::from_secs(6)));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Jitter {
    /// No jitter: exact waits, for tests.
    None,
    /// Between half of the rung and the rung. Also called equal jitter.
    SubtractHalf,
    /// Between nothing and the rung.
    Full,
    /// Between the base and three times the previous wait, drawn below the ceiling, so that waits still spread there.
    Decorrelated,
    /// The published form of [`Jitter::Decorrelated`], which cuts at the ceiling after the draw and so puts a large
    /// share of clients (38 % in the long run) exactly there. Kept for comparison.
    DecorrelatedPublished,
}

impl Jitter {
    /// The other name of [`Jitter::SubtractHalf`].
    pub const EQUAL: Self = Self::SubtractHalf;

    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 5] =
        [Self::None, Self::SubtractHalf, Self::Full, Self::Decorrelated, Self::DecorrelatedPublished];

    /// The name that files and commands use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SubtractHalf => "subtract-half",
            Self::Full => "full",
            Self::Decorrelated => "decorrelated",
            Self::DecorrelatedPublished => "decorrelated-published",
        }
    }

    /// The kind with this name; `equal` is another name of `subtract-half`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "equal" {
            return Some(Self::EQUAL);
        }
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The wait for `rung` with this draw. `base` is the ladder's first rung, `previous` the wait before this one (the
    /// base, if there was none) and `ceiling` the longest wait allowed. The two decorrelated kinds use these instead of
    /// `rung`. The wait is never above `ceiling`.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::Jitter;
    ///
    /// let s = Duration::from_secs;
    /// assert_eq!(Jitter::Full.wait(s(8), s(1), s(4), s(30), 0), s(8));
    /// assert_eq!(Jitter::SubtractHalf.wait(s(8), s(1), s(4), s(30), 1 << 63), s(6));
    /// assert_eq!(Jitter::Decorrelated.wait(s(8), s(1), s(4), s(30), 0), s(12));
    /// ```
    #[inline]
    #[must_use]
    pub const fn wait(
        self,
        rung: Duration,
        base: Duration,
        previous: Duration,
        ceiling: Duration,
        draw: u64,
    ) -> Duration {
        let drawn = self.drawn(nanos(rung), nanos(base), nanos(previous), nanos(ceiling), draw);
        Duration::from_nanos(drawn.wait)
    }

    /// Whether the kind uses the previous wait instead of the rung.
    #[inline]
    pub(crate) const fn is_of_the_previous(self) -> bool {
        matches!(self, Self::Decorrelated | Self::DecorrelatedPublished)
    }

    #[inline]
    const fn drawn(self, rung: u64, base: u64, previous: u64, ceiling: u64, draw: u64) -> Drawn {
        if self.is_of_the_previous() {
            let lo = min(base, ceiling);
            self.spread(lo, max(lo, thrice(previous)), ceiling, draw)
        } else {
            self.of_the_rung(min(rung, ceiling), draw)
        }
    }

    /// The wait of a kind [based on the previous wait](Self::is_of_the_previous). `previous` is at least `lo`, unless
    /// it is another client's; `lo` is at most the ceiling. Each wait depends on the one before, so the dependent path
    /// is kept short: lowering `lo` is off that path, raising three times the wait would be on it.
    #[inline]
    pub(crate) const fn of_the_previous(self, lo: u64, previous: u64, ceiling: u64, draw: u64) -> Drawn {
        self.spread(min(lo, previous), thrice(previous), ceiling, draw)
    }

    /// The wait between `lo`, at most the ceiling, and `hi`, at least `lo`; never above the ceiling.
    #[inline]
    const fn spread(self, lo: u64, hi: u64, ceiling: u64, draw: u64) -> Drawn {
        if matches!(self, Self::Decorrelated) {
            let hi = min(ceiling, hi);
            Drawn { longest: hi, wait: hi - fraction(hi - lo, draw) }
        } else {
            Drawn { longest: min(ceiling, hi), wait: min(ceiling, hi - fraction(hi - lo, draw)) }
        }
    }

    /// The wait of every other kind. `rung` is at most the ceiling.
    #[inline]
    pub(crate) const fn of_the_rung(self, rung: u64, draw: u64) -> Drawn {
        let wait = match self {
            Self::None => rung,
            // One product for both, without a branch.
            _ => rung - (fraction(rung, draw) >> matches!(self, Self::SubtractHalf) as u32),
        };
        Drawn { longest: rung, wait }
    }
}

/// A wait in nanoseconds: the longest, at draw 0, and the one for the draw given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub(crate) longest: u64,
    pub(crate) wait: u64,
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// `span` times the draw as a fraction of 2^64, rounded down: less than `span`, unless `span` is zero.
#[inline]
pub(crate) const fn fraction(span: u64, draw: u64) -> u64 {
    ((span as u128 * draw as u128) >> 64) as u64
}

/// Testing beside the multiplication is faster than testing its result, as a saturating one does.
const fn thrice(previous: u64) -> u64 {
    if previous > u64::MAX / 3 { u64::MAX } else { previous * 3 }
}

const fn min(a: u64, b: u64) -> u64 {
    if a < b { a } else { b }
}

const fn max(a: u64, b: u64) -> u64 {
    if a > b { a } else { b }
}
