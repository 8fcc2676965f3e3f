//! Any iterator of waits.

use core::time::Duration;

use retrylab_core::{GiveUp, Instant};

use crate::Session;

/// The session of a policy that is an iterator of waits, made anew for each call. When the iterator ends, all attempts
/// are used. Draws and waits that the server asks for are not heard.
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
    /// Waits as what `make` returns says; it is asked once a call.
    #[must_use]
    pub const fn new(make: F) -> Self {
        Self { make, waits: None }
    }
}

impl<F, I> Session for Waits<F, I>
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
