//! The bounds of a described policy's waits over all draws.

use core::time::Duration;

use retrylab_core::{Jitter, Ladder, nanos};

use crate::policy::CallSpec;

/// The maximum number of attempts that are followed.
const FOLLOWED: u32 = 100_000;

/// The ladder of a call, and the range of its jitter.
pub(super) struct Waits {
    ladder: Ladder,
    jitter: Jitter,
}

impl Waits {
    /// `None` for an invalid ladder.
    pub(super) fn of(call: &CallSpec) -> Option<Self> {
        Some(Self { ladder: call.ladder.ladder().ok()?, jitter: call.jitter })
    }

    /// The first wait at draw 0, its longest.
    pub(super) fn longest_first(&self) -> Duration {
        let base = self.ladder.wait(self.ladder.first());
        self.jitter.wait(base, base, base, self.ladder.ceiling(), 0)
    }

    /// The lower bound of the first wait.
    pub(super) fn shortest_first(&self) -> Duration {
        self.least(self.ladder.wait(self.ladder.first()))
    }

    /// The number of attempts that start within `limit` with the shortest waits, and the sum of the waits before the
    /// next one; `None` if all of `attempts` fit.
    pub(super) fn attempts_within(&self, limit: Duration, attempts: u32) -> Option<(u32, Duration)> {
        let mut step = self.ladder.first();
        let mut total = Duration::ZERO;
        for started in 1..attempts.min(FOLLOWED) {
            total = total.saturating_add(self.least(self.ladder.wait(step)));
            if total > limit {
                return Some((started, total));
            }
            step = self.ladder.next(step);
        }
        None
    }

    /// The greatest lower bound of the wait on a rung.
    fn least(&self, rung: Duration) -> Duration {
        match self.jitter {
            Jitter::None => rung,
            Jitter::SubtractHalf => Duration::from_nanos(nanos(rung).div_ceil(2)),
            Jitter::Full => Duration::ZERO,
            Jitter::Decorrelated | Jitter::DecorrelatedPublished => self.ladder.wait(self.ladder.first()),
        }
    }
}
