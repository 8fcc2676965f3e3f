//! The waits of a described policy, as far as they can be known without a draw.

use core::time::Duration;

use retrylab_core::{Jitter, Ladder, nanos};

use crate::policy::CallSpec;

/// More attempts than this are not followed one by one.
const FOLLOWED: u32 = 100_000;

/// The ladder of a call, and how far its draws can move a wait.
pub(super) struct Waits {
    ladder: Ladder,
    jitter: Jitter,
}

impl Waits {
    /// `None` for a ladder that cannot be built.
    pub(super) fn of(call: &CallSpec) -> Option<Self> {
        Some(Self { ladder: call.ladder.ladder().ok()?, jitter: call.jitter })
    }

    /// The first wait at draw 0, which is the longest it can be.
    pub(super) fn longest_first(&self) -> Duration {
        let base = self.ladder.wait(self.ladder.first());
        self.jitter.wait(base, base, base, self.ladder.ceiling(), 0)
    }

    /// What the first wait cannot be below.
    pub(super) fn shortest_first(&self) -> Duration {
        self.least(self.ladder.wait(self.ladder.first()))
    }

    /// How many attempts can start within `limit` when every wait is as short as it can be, and what the waits before
    /// the next one add up to; `None` if all of `attempts` can.
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
