//! The asynchronous driver.

use crate::clock::Clock;
use crate::driver;
use crate::entropy::{Entropy, SystemEntropy};
use crate::error::RetryError;
use crate::hook::{OnRetry, Silent};
use retrylab_core::{AllTransient, Classify, Policy};
use tokio_util::sync::CancellationToken;

use super::time::{AsyncSleeper, TokioClock, TokioSleeper};

/// Calls `operation` until it succeeds or `policy` gives up, on tokio's time. Every error counts as transient;
/// [`Driver::classify`] sets a classifier.
///
/// # Errors
///
/// [`RetryError::Exhausted`] if the policy gives up.
///
/// # Panics
///
/// Outside of a runtime, or in one without time, like `tokio::time::sleep`.
///
/// ```
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver::tokio::retry;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let call = Call::new(CallRules::builder().attempts(4).build()?);
/// assert_eq!(retry(call, || async { "42".parse::<u32>() }).await?, 42);
/// # Ok(())
/// # }
/// ```
pub async fn retry<P, T, E, A>(policy: P, operation: impl FnMut() -> A) -> Result<T, RetryError<E>>
where
    P: Policy,
    A: Future<Output = Result<T, E>>,
{
    Driver::new().retry(policy, operation).await
}

/// Runs asynchronous operations under policies. Its methods are those of the blocking
/// [`Driver`](crate::blocking::Driver), except that [`retry`](Self::retry) is async. To abort a running attempt too,
/// drop the future.
pub type Driver<C = TokioClock, S = TokioSleeper, N = SystemEntropy, K = AllTransient, H = Silent> =
    driver::Driver<C, S, N, K, H, CancellationToken>;

impl Driver {
    /// Tokio's clock and timer, the system's entropy; every failure is transient.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<C, S, N, K, H> Driver<C, S, N, K, H> {
    /// Sets the sleeper, which waits.
    pub fn sleeper<T: AsyncSleeper>(self, sleeper: T) -> Driver<C, T, N, K, H> {
        self.with_sleeper(sleeper)
    }

    /// Calls `operation` until it succeeds or `policy` gives up. The first attempt begins when the future is first polled.
    ///
    /// A policy passed by value ends with the call; one passed as `&mut` keeps its state for the next. A policy that
    /// never gives up continues, whatever the kind of a failure. A wait is at most [`LONGEST_WAIT`](crate::LONGEST_WAIT).
    ///
    /// If the operation is cancelled or panics, or the future is dropped, a borrowed policy receives
    /// [`Policy::record_abandoned`], so that the next operation begins a new call.
    ///
    /// # Errors
    ///
    /// [`RetryError::Exhausted`] if the policy gives up, [`RetryError::Terminal`] if the failure is terminal,
    /// [`RetryError::Cancelled`] if the token was cancelled.
    ///
    /// # Panics
    ///
    /// With [`TokioSleeper`], outside of a runtime, or in one without time, like `tokio::time::sleep`.
    // Not `AsyncFnMut`: a future that holds one and borrows from it cannot be spawned, because the compiler cannot yet
    // see that it is `Send`.
    pub async fn retry<P, T, E, A>(&self, policy: P, operation: impl FnMut() -> A) -> Result<T, RetryError<E>>
    where
        P: Policy,
        A: Future<Output = Result<T, E>>,
        C: Clock,
        S: AsyncSleeper,
        N: Entropy,
        K: Classify<E>,
        H: OnRetry<E>,
    {
        let wait = |delay| self.cancel.run_until_cancelled(self.sleeper.sleep(delay));
        self.run(policy, operation, || self.cancel.is_cancelled(), wait).await
    }
}
