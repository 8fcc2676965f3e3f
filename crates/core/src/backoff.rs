//! A ladder and a jitter kind put together, with the little state they need.

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

/// Where one client stands on a [`Backoff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BackoffState {
    next: Step,
    previous_ns: u64,
}

impl Backoff {
    /// This ladder with this jitter.
    #[must_use]
    pub const fn new(ladder: Ladder, jitter: Jitter) -> Self {
        Self { ladder, jitter }
    }

    /// A client before its first failure.
    #[inline]
    #[must_use]
    pub const fn start(&self) -> BackoffState {
        let first = self.ladder.first();
        BackoffState { next: first, previous_ns: self.ladder.wait_ns(first) }
    }

    /// The wait after one more failure, given its one draw, uniform over all of `u64`; 0 is the longest wait.
    #[inline]
    pub fn next_wait(&self, state: &mut BackoffState, draw: u64) -> Duration {
        Duration::from_nanos(self.next_drawn(state, draw).wait)
    }

    #[inline]
    pub(crate) fn next_drawn(&self, state: &mut BackoffState, draw: u64) -> Drawn {
        // Behind this test the compiler leaves out every other shape and kind, so that what is common, and the default
        // of a call, stays small where it is inlined. What goes elsewhere is a copy, so that the state itself can stay in
        // registers.
        if self.jitter.is_of_the_rung() && self.ladder.is_multiplied() {
            self.step(state, draw)
        } else {
            let mut copy = *state;
            let drawn = self.step_apart(&mut copy, draw);
            *state = copy;
            drawn
        }
    }

    #[inline(never)]
    fn step_apart(&self, state: &mut BackoffState, draw: u64) -> Drawn {
        self.step(state, draw)
    }

    #[inline(always)]
    fn step(&self, state: &mut BackoffState, draw: u64) -> Drawn {
        let rung = self.ladder.wait_ns(state.next);
        let drawn = self.jitter.drawn(rung, self.ladder.base_ns(), state.previous_ns, self.ladder.ceiling_ns(), draw);
        *state = BackoffState { next: self.ladder.next(state.next), previous_ns: drawn.wait };
        drawn
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
    /// How many failures there were.
    #[inline]
    pub(crate) const fn failures(&self) -> u64 {
        self.next.below()
    }
}
