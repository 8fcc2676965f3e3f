//! A ladder combined with a jitter kind, and the little state they need.

use core::time::Duration;

use crate::jitter::{Drawn, Jitter};
use crate::ladder::{Ladder, Step};

/// A ladder with jitter: immutable, shared by many clients. The bounded call is built from it.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Backoff, Jitter, Ladder};
///
/// let s = Duration::from_secs;
/// let backoff = Backoff::new(Ladder::exponential(s(1), 2, 1, s(30))?, Jitter::Full);
/// let mut state = backoff.start();
/// assert_eq!(backoff.next_wait(&mut state, 0), s(1));
/// assert_eq!(backoff.next_wait(&mut state, 1 << 63), s(1)); // half of the second rung
/// # Ok::<(), retrylab_core::LadderError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backoff {
    ladder: Ladder,
    jitter: Jitter,
}

/// A client's place on a [`Backoff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BackoffState {
    /// The rung of the next failure; for a jitter kind based on the previous wait, that wait in place of the rung.
    next: Step,
}

impl Backoff {
    /// Combines a ladder with a jitter kind.
    #[must_use]
    pub const fn new(ladder: Ladder, jitter: Jitter) -> Self {
        Self { ladder, jitter }
    }

    /// The state of a client before its first failure.
    #[inline]
    #[must_use]
    pub const fn start(&self) -> BackoffState {
        BackoffState { next: self.ladder.first() }
    }

    /// The wait after one more failure. `draw` is uniform over all of `u64`; 0 gives the longest wait.
    #[inline]
    pub fn next_wait(&self, state: &mut BackoffState, draw: u64) -> Duration {
        Duration::from_nanos(self.next_drawn(state, draw).wait)
    }

    #[inline]
    pub(crate) fn next_drawn(&self, state: &mut BackoffState, draw: u64) -> Drawn {
        let step = state.next;
        if self.jitter.is_of_the_previous() {
            let drawn = self.jitter.of_the_previous(self.first_ns(), step.rung_ns(), self.ladder.ceiling_ns(), draw);
            state.next = step.replaced(drawn.wait);
            drawn
        } else {
            let drawn = self.jitter.of_the_rung(self.ladder.wait_ns(step), draw);
            state.next = self.ladder.next(step);
            drawn
        }
    }

    /// The wait of the first rung at draw 0.
    #[inline]
    const fn first_ns(&self) -> u64 {
        self.ladder.wait_ns(self.ladder.first())
    }

    /// The ladder.
    #[must_use]
    pub const fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// The jitter kind.
    #[must_use]
    pub const fn jitter(&self) -> Jitter {
        self.jitter
    }
}

impl BackoffState {
    /// The number of failures so far.
    #[inline]
    pub(crate) const fn failures(&self) -> u64 {
        self.next.below()
    }
}
