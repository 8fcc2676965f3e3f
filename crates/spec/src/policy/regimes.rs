//! Two regimes, whose presets are streams and pollers.

use core::fmt;
use core::time::Duration;

use retrylab_core::{BuiltInReset, RetryRules};

use crate::duration::Text;

use super::{LadderSpec, ResetSpec, Shape};

const NORMAL_CEILING: Duration = Duration::from_secs(30);
const EXTENDED_INITIAL: Duration = Duration::from_secs(300);
const EXTENDED_CEILING: Duration = Duration::from_secs(3600);

/// A data source whose waits double on one of two ladders: the normal one until a failure is unexpected, then the extended
/// one until health resets it. Bounds are as given; a ceiling below its initial is raised to it where it is used.
///
/// ```
/// use core::time::Duration;
/// use retrylab_spec::{ResetSpec, TwoRegimes};
///
/// let patient = TwoRegimes { reset: ResetSpec::Successes(3), ..TwoRegimes::polling(Duration::from_secs(60)) };
/// assert_eq!(patient.extended, (Duration::from_secs(300), Duration::from_secs(3600)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoRegimes {
    /// A stream or a poller.
    pub shape: Shape,
    /// First wait and ceiling of the normal regime.
    pub normal: (Duration, Duration),
    /// First wait and ceiling of the extended regime.
    pub extended: (Duration, Duration),
    /// The health that clears the state.
    pub reset: ResetSpec,
    /// The wait between healthy operations, and the minimum wait.
    pub cadence: Duration,
}

impl TwoRegimes {
    /// A stream with `initial` as its first wait: doubling to 30 s, extended 5 min to 1 h, reset by 60 s of unbroken
    /// health.
    #[must_use]
    pub fn streaming(initial: Duration) -> Self {
        Self {
            shape: Shape::Streaming,
            normal: (initial, initial.max(NORMAL_CEILING)),
            reset: ResetSpec::HealthyFor(Duration::from_secs(60)),
            cadence: Duration::ZERO,
            extended: extended(initial),
        }
    }

    /// A poller that waits `interval`, also after normal failures: extended 5 min to 1 h, reset by two successes in a row.
    #[must_use]
    pub fn polling(interval: Duration) -> Self {
        Self {
            shape: Shape::Polling,
            normal: (interval, interval),
            reset: ResetSpec::Successes(2),
            cadence: interval,
            extended: extended(interval),
        }
    }

    /// A stream or a poller that waits `first` first, as the presets have it.
    #[must_use]
    pub fn preset(shape: Shape, first: Duration) -> Self {
        match shape {
            Shape::Polling => Self::polling(first),
            Shape::Streaming | Shape::Call => Self::streaming(first),
        }
    }

    /// The rules themselves.
    #[must_use]
    pub const fn rules(&self) -> RetryRules<BuiltInReset> {
        RetryRules::builder(self.reset.rule())
            .normal(self.normal.0, self.normal.1)
            .extended(self.extended.0, self.extended.1)
            .cadence(self.cadence)
            .build()
    }

    /// The normal ladder, its ceiling not below its initial.
    #[must_use]
    pub fn normal_ladder(&self) -> LadderSpec {
        doubling(self.normal)
    }

    /// The extended ladder, its ceiling not below its initial.
    #[must_use]
    pub fn extended_ladder(&self) -> LadderSpec {
        doubling(self.extended)
    }
}

/// In a few words.
impl fmt::Display for TwoRegimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds =
            |(initial, ceiling): (Duration, Duration)| format!("{} to {}", Text(initial), Text(ceiling.max(initial)));
        write!(f, "normal {}, extended {}", bounds(self.normal), bounds(self.extended))?;
        if !self.cadence.is_zero() {
            write!(f, ", cadence {}", Text(self.cadence))?;
        }
        match self.reset {
            ResetSpec::HealthyFor(window) => write!(f, ", reset after {} of health", Text(window)),
            ResetSpec::Successes(count) => write!(f, ", reset after {count} successes in a row"),
        }
    }
}

/// No bound is below the first wait of the normal regime.
fn extended(first: Duration) -> (Duration, Duration) {
    (first.max(EXTENDED_INITIAL), first.max(EXTENDED_CEILING))
}

fn doubling((initial, ceiling): (Duration, Duration)) -> LadderSpec {
    LadderSpec::doubling(initial, ceiling.max(initial))
}
