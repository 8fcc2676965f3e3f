//! Ladders as values: the wait before jitter, rung after rung.

use core::fmt;
use core::time::Duration;

use crate::time::nanos;

/// The maximum number of rungs that [`Ladder::list`] holds by value; [`Ladder::static_list`] has no maximum.
pub const MAX_LIST_RUNGS: usize = 16;

/// How the wait grows from rung to rung, up to a ceiling. Rung 1 follows the first failure.
///
/// | shape | rung n | source |
/// |---|---|---|
/// | exponential | r(1) = base, r(n+1) = ceil(r(n)·num/den) | truncated binary exponential backoff with any ratio; rounding up, because rounding down sticks below the ceiling |
/// | constant | base | fixed interval |
/// | linear | base + (n - 1)·step | arithmetic |
/// | Fibonacci | base × 1, 1, 2, 3, 5, … | Fibonacci numbers |
/// | list | the n-th entry, then the last | as written |
///
/// Each is cut at the ceiling. The arithmetic is exact in integers and saturates.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::Ladder;
///
/// let s = Duration::from_secs;
/// let ladder = Ladder::exponential(s(1), 2, 1, s(30))?;
/// let rungs: [Duration; 6] = core::array::from_fn(|i| ladder.rung(i as u32 + 1));
/// assert_eq!(rungs, [s(1), s(2), s(4), s(8), s(16), s(30)]);
/// # Ok::<(), retrylab_core::LadderError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ladder {
    base_ns: u64,
    ceiling_ns: u64,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// With an integer ratio, the common case.
    Multiplied {
        by: u64,
    },
    Exponential {
        numerator: u32,
        denominator: u32,
    },
    Linear {
        step: u64,
    },
    Fibonacci,
    List {
        rungs: [u64; MAX_LIST_RUNGS],
        last: u8,
    },
    StaticList(&'static [Duration]),
}

/// A position on a ladder, from which the next rung is computed without starting over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The number of rungs below this one; 64 bits, so that it never overflows.
    below: u64,
    rung_ns: u64,
    /// The previous rung, for Fibonacci.
    before_ns: u64,
}

impl Step {
    /// The number of the rung, from 1, saturating.
    #[must_use]
    pub const fn number(self) -> u32 {
        saturated(self.below).saturating_add(1)
    }

    /// The number of rungs below this one: the failures before the one that reached it.
    #[inline]
    pub(crate) const fn below(self) -> u64 {
        self.below
    }

    /// The rung before any ceiling.
    #[inline]
    pub(crate) const fn rung_ns(self) -> u64 {
        self.rung_ns
    }

    /// The next step, with this rung in place of the ladder's.
    #[inline]
    pub(crate) const fn replaced(self, rung_ns: u64) -> Self {
        Self { below: self.below + 1, rung_ns, before_ns: 0 }
    }
}

impl Ladder {
    /// A ladder on which each rung is `numerator / denominator` times the one before, rounded up to a nanosecond.
    ///
    /// # Errors
    ///
    /// If the ratio is below 1 or its denominator is 0.
    pub const fn exponential(
        base: Duration,
        numerator: u32,
        denominator: u32,
        ceiling: Duration,
    ) -> Result<Self, LadderError> {
        if denominator == 0 || numerator < denominator {
            return Err(LadderError::Ratio { numerator, denominator });
        }
        let shape = if numerator.is_multiple_of(denominator) {
            Shape::Multiplied { by: (numerator / denominator) as u64 }
        } else {
            Shape::Exponential { numerator, denominator }
        };
        Ok(Self::new(base, shape, ceiling))
    }

    /// A ladder on which each rung is twice the one before.
    #[must_use]
    pub const fn doubling(base: Duration, ceiling: Duration) -> Self {
        Self::new(base, Shape::Multiplied { by: 2 }, ceiling)
    }

    /// A ladder with the same wait at every rung.
    #[must_use]
    pub const fn constant(delay: Duration) -> Self {
        Self::new(delay, Shape::Multiplied { by: 1 }, delay)
    }

    /// A ladder on which each rung is `step` longer than the one before.
    #[must_use]
    pub const fn linear(base: Duration, step: Duration, ceiling: Duration) -> Self {
        Self::new(base, Shape::Linear { step: nanos(step) }, ceiling)
    }

    /// A ladder of the base times 1, 1, 2, 3, 5, …: each rung is the sum of the two before.
    #[must_use]
    pub const fn fibonacci(base: Duration, ceiling: Duration) -> Self {
        Self::new(base, Shape::Fibonacci, ceiling)
    }

    /// A ladder of these waits in this order; the last one repeats. The longest is the ceiling.
    ///
    /// # Errors
    ///
    /// If the list is empty, or longer than [`MAX_LIST_RUNGS`].
    pub const fn list(rungs: &[Duration]) -> Result<Self, LadderError> {
        if rungs.is_empty() {
            return Err(LadderError::EmptyList);
        }
        if rungs.len() > MAX_LIST_RUNGS {
            return Err(LadderError::LongList { given: rungs.len() });
        }
        let mut copied = [0; MAX_LIST_RUNGS];
        let mut i = 0;
        while i < rungs.len() {
            copied[i] = nanos(rungs[i]);
            i += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 15")]
        let last = (rungs.len() - 1) as u8;
        Ok(Self::new(rungs[0], Shape::List { rungs: copied, last }, longest(rungs)))
    }

    /// Like [`Ladder::list`], without a copy and of any length.
    ///
    /// # Errors
    ///
    /// If the list is empty.
    pub const fn static_list(rungs: &'static [Duration]) -> Result<Self, LadderError> {
        if rungs.is_empty() {
            return Err(LadderError::EmptyList);
        }
        Ok(Self::new(rungs[0], Shape::StaticList(rungs), longest(rungs)))
    }

    /// The ladder's first rung.
    #[inline]
    #[must_use]
    pub const fn first(&self) -> Step {
        Step { below: 0, rung_ns: self.base_ns, before_ns: 0 }
    }

    /// The rung after `step`.
    #[inline]
    #[must_use]
    pub fn next(&self, step: Step) -> Step {
        let Step { below, rung_ns, before_ns } = step;
        let next_ns = match self.shape {
            Shape::Multiplied { by } => rung_ns.saturating_mul(by),
            // The sequence starts 1, 1: the second rung has only one before it.
            Shape::Fibonacci => rung_ns.saturating_add(before_ns),
            _ => self.rung_after(below, rung_ns),
        };
        Step { below: below + 1, rung_ns: next_ns, before_ns: rung_ns }
    }

    /// The shapes that [`Ladder::next`] does not handle inline, which keeps the inlined part small. It takes and
    /// returns only the numbers that these shapes need, so that the [`Step`] stays in registers.
    #[inline(never)]
    fn rung_after(&self, below: u64, rung_ns: u64) -> u64 {
        match &self.shape {
            Shape::Multiplied { .. } | Shape::Fibonacci => rung_ns,
            Shape::Exponential { numerator, denominator } => grow(rung_ns, *numerator, *denominator),
            Shape::Linear { step } => rung_ns.saturating_add(*step),
            Shape::List { rungs, last } => rungs[index_after(below).min(usize::from(*last))],
            Shape::StaticList(rungs) => nanos(rungs[index_after(below).min(rungs.len() - 1)]),
        }
    }

    /// The wait at `step`, at most the ceiling.
    #[inline]
    #[must_use]
    pub const fn wait(&self, step: Step) -> Duration {
        Duration::from_nanos(self.wait_ns(step))
    }

    #[inline]
    pub(crate) const fn wait_ns(&self, step: Step) -> u64 {
        if step.rung_ns < self.ceiling_ns { step.rung_ns } else { self.ceiling_ns }
    }

    /// The wait at rung `number`, counted from 1 (0 counts as 1). For exponential and Fibonacci ladders it climbs to
    /// that rung, or to where the rungs stop changing; a running policy keeps its [`Step`] instead.
    #[must_use]
    pub fn rung(&self, number: u32) -> Duration {
        let before = u64::from(number.saturating_sub(1));
        let index = usize::try_from(before).unwrap_or(usize::MAX);
        let rung_ns = match self.shape {
            Shape::Linear { step } => self.base_ns.saturating_add(step.saturating_mul(before)),
            Shape::List { rungs, last } => rungs[index.min(usize::from(last))],
            Shape::StaticList(rungs) => nanos(rungs[index.min(rungs.len() - 1)]),
            Shape::Multiplied { .. } | Shape::Exponential { .. } | Shape::Fibonacci => self.grown(number),
        };
        Duration::from_nanos(if rung_ns < self.ceiling_ns { rung_ns } else { self.ceiling_ns })
    }

    /// The longest wait.
    #[must_use]
    pub const fn ceiling(&self) -> Duration {
        Duration::from_nanos(self.ceiling_ns)
    }

    #[inline]
    pub(crate) const fn ceiling_ns(&self) -> u64 {
        self.ceiling_ns
    }

    const fn new(base: Duration, shape: Shape, ceiling: Duration) -> Self {
        Self { base_ns: nanos(base), ceiling_ns: nanos(ceiling), shape }
    }

    /// The rung `number` of a ladder that computes each rung from those before; at least the ceiling where it would be
    /// above.
    fn grown(&self, number: u32) -> u64 {
        let mut step = self.first();
        while step.number() < number && step.rung_ns < self.ceiling_ns {
            let next = self.next(step);
            // Zero, or a ratio of 1; Fibonacci starts with the same rung twice.
            if next.rung_ns == step.rung_ns && step.number() > 1 {
                break;
            }
            step = next;
        }
        step.rung_ns
    }
}

/// The list index, from 0, of the rung after the one with `below` rungs below it.
fn index_after(below: u64) -> usize {
    usize::try_from(below).unwrap_or(usize::MAX).saturating_add(1)
}

/// A count, narrowed for the public signatures.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "cast only where it fits")]
pub(crate) const fn saturated(count: u64) -> u32 {
    if count > u32::MAX as u64 { u32::MAX } else { count as u32 }
}

/// The reason why a ladder cannot be built.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Ladder, LadderError};
///
/// let s = Duration::from_secs;
/// let shrinking = Ladder::exponential(s(1), 1, 2, s(30));
/// assert_eq!(shrinking.err(), Some(LadderError::Ratio { numerator: 1, denominator: 2 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LadderError {
    /// The ratio is below 1, or has denominator 0.
    Ratio {
        /// The numerator given.
        numerator: u32,
        /// The denominator given.
        denominator: u32,
    },
    /// A list without a rung.
    EmptyList,
    /// A list longer than [`MAX_LIST_RUNGS`].
    LongList {
        /// The number of rungs given.
        given: usize,
    },
}

impl fmt::Display for LadderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratio { numerator, denominator } => {
                write!(f, "the ratio of an exponential ladder is {numerator}/{denominator}; it must be at least 1")
            }
            Self::EmptyList => write!(f, "the list of rungs is empty; at least 1 is required"),
            Self::LongList { given } => {
                write!(
                    f,
                    "the list has {given} rungs; at most {MAX_LIST_RUNGS} are allowed, or any number as a static list"
                )
            }
        }
    }
}

impl core::error::Error for LadderError {}

/// `rung * numerator / denominator`, rounded up and saturating. The denominator is not 0.
fn grow(rung: u64, numerator: u32, denominator: u32) -> u64 {
    // Division of 128 bits is ten times slower, and few rungs need it.
    match rung.checked_mul(u64::from(numerator)) {
        Some(product) => product.div_ceil(u64::from(denominator)),
        None => {
            let product = u128::from(rung) * u128::from(numerator);
            u64::try_from(product.div_ceil(u128::from(denominator))).unwrap_or(u64::MAX)
        }
    }
}

const fn longest(rungs: &[Duration]) -> Duration {
    let mut longest = Duration::ZERO;
    let mut i = 0;
    while i < rungs.len() {
        if rungs[i].as_nanos() > longest.as_nanos() {
            longest = rungs[i];
        }
        i += 1;
    }
    longest
}
