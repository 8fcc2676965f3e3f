//! Any iterator of waits.

use core::time::Duration;

use retrylab_core::{GiveUp, Instant};

use crate::CallWaits;

/// A session with the waits of an iterator, made anew for each call. The end of the iterator is a limit on attempts.
/// Randomness and `retry_after` are ignored.
#[derive(Clone, Debug)]
pub struct Waits<F, I> {
    make: F,
    waits: Option<I>,
}

impl<F, I> Waits<F, I>
where
    F: FnMut() -> I,
    I: Iterator<Item = Duration>,
{
    /// A session with the iterators of `make`, which is called once per call.
    #[must_use]
    pub const fn new(make: F) -> Self {
        Self { make, waits: None }
    }
}

impl<F, I> CallWaits for Waits<F, I>
where
    F: FnMut() -> I,
    I: Iterator<Item = Duration>,
{
    fn begin(&mut self, _: Instant, _: u64) {
        self.waits = Some((self.make)());
    }

    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        self.waits.as_mut().and_then(Iterator::next).ok_or(GiveUp::Attempts)
    }
}
