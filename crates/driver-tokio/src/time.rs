//! Tokio's time.

use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver_std::{Clock, Monotonic};

/// The clock of the runtime, which stands still or jumps where tokio's does (`tokio::time::pause`, `advance`), on the scale
/// of [`Monotonic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokioClock;

impl Clock for TokioClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the runtime's clock is read")]
    fn now(&self) -> Instant {
        Monotonic.reading_at(tokio::time::Instant::now().into_std())
    }
}

/// Waits without blocking the thread. A closure from the delay to a future is a sleeper; one that gives
/// [`std::future::ready`] records waits without waiting.
///
/// A wait has to end when its future is dropped.
pub trait Sleeper {
    /// Waits for `delay`.
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send;
}

impl<F, W> Sleeper for F
where
    F: Fn(Duration) -> W,
    W: Future<Output = ()> + Send,
{
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send {
        self(delay)
    }
}

/// The timer of the runtime. It is exact to the millisecond and never early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokioSleeper;

impl Sleeper for TokioSleeper {
    #[expect(clippy::disallowed_methods, reason = "the one place where the runtime's timer is set")]
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(delay)
    }
}
