//! The growth of waits.

use core::time::Duration;

use retrylab_core::{Ladder, LadderError};

use super::ratio::Ratio;

/// The growth of waits.
#[derive(Clone, Debug, PartialEq)]
pub enum LadderSpec {
    /// Each rung is the one before times the ratio.
    Exponential {
        /// The first rung.
        base: Duration,
        /// At least 1.
        ratio: Ratio,
        /// The longest wait.
        ceiling: Duration,
    },
    /// The same wait at every rung.
    Constant(Duration),
    /// Each rung is `step` longer.
    Linear {
        /// The first rung.
        base: Duration,
        /// The increment of each rung.
        step: Duration,
        /// The longest wait.
        ceiling: Duration,
    },
    /// The base times 1, 1, 2, 3, 5, ….
    Fibonacci {
        /// The first rung.
        base: Duration,
        /// The longest wait.
        ceiling: Duration,
    },
    /// These waits; the last one repeats.
    List(Vec<Duration>),
}

impl LadderSpec {
    /// A ladder that doubles from `base` up to `ceiling`.
    #[must_use]
    pub const fn doubling(base: Duration, ceiling: Duration) -> Self {
        Self::Exponential { base, ratio: Ratio { numerator: 2, denominator: 1 }, ceiling }
    }

    /// The same with another ceiling, if it has one.
    #[must_use]
    pub fn with_ceiling(mut self, longest: Duration) -> Self {
        match &mut self {
            Self::Exponential { ceiling, .. } | Self::Linear { ceiling, .. } | Self::Fibonacci { ceiling, .. } => {
                *ceiling = longest;
            }
            Self::Constant(_) | Self::List(_) => {}
        }
        self
    }

    /// The longest rung.
    #[must_use]
    pub fn longest(&self) -> Duration {
        match self {
            Self::Constant(delay) => *delay,
            Self::List(rungs) => rungs.iter().copied().max().unwrap_or_default(),
            Self::Exponential { ceiling, .. } | Self::Linear { ceiling, .. } | Self::Fibonacci { ceiling, .. } => {
                *ceiling
            }
        }
    }

    /// Builds the ladder.
    ///
    /// # Errors
    ///
    /// If the ratio is below 1, or a list is empty or too long.
    pub fn ladder(&self) -> Result<Ladder, LadderError> {
        match self {
            Self::Exponential { base, ratio, ceiling } => {
                Ladder::exponential(*base, ratio.numerator, ratio.denominator, *ceiling)
            }
            Self::Constant(delay) => Ok(Ladder::constant(*delay)),
            Self::Linear { base, step, ceiling } => Ok(Ladder::linear(*base, *step, *ceiling)),
            Self::Fibonacci { base, ceiling } => Ok(Ladder::fibonacci(*base, *ceiling)),
            Self::List(rungs) => Ladder::list(rungs),
        }
    }
}
