//! Tokio's time.

use std::time::Duration;

use crate::{Clock, Monotonic};
use retrylab_core::Instant;

/// The clock of the runtime, which pauses and jumps with tokio's (`tokio::time::pause`, `advance`), on the scale of
/// [`Monotonic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokioClock;

impl Clock for TokioClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the runtime's clock is read")]
    fn now(&self) -> Instant {
        Monotonic.reading_at(tokio::time::Instant::now().into_std())
    }
}

/// Waits without blocking the thread. A closure from the delay to a future is a sleeper; one that returns
/// [`std::future::ready`] records waits without waiting.
///
/// A wait ends when its future is dropped.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Constant;
/// use retrylab_driver::tokio::Retryable;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let fetch = || async { Err::<(), _>("refused") };
/// let policy = Constant::new(Duration::from_secs(3600)).attempts(2);
/// assert!(fetch.retry(policy).async_sleeper(|_| std::future::ready(())).await.is_err());
/// # }
/// ```
pub trait AsyncSleeper {
    /// Waits for `delay`.
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send;
}

impl<F, W> AsyncSleeper for F
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

impl AsyncSleeper for TokioSleeper {
    #[expect(clippy::disallowed_methods, reason = "the one place where the runtime's timer is set")]
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(delay)
    }
}
