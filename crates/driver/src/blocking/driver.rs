//! The blocking driver.

use std::future::ready;

use retrylab_core::{AllTransient, Classify, Policy};

use crate::clock::{Clock, Monotonic};
use crate::driver;
use crate::entropy::{Entropy, SystemEntropy};
use crate::error::RetryError;
use crate::hook::{OnRetry, Silent};

use super::cancel::Cancel;
use super::future::blocking;
use super::sleeper::{Sleeper, ThreadSleeper};

/// Calls `operation` until it succeeds or `policy` gives up, on the real clock. Every error counts as transient;
/// [`Driver::classify`] sets a classifier.
///
/// # Errors
///
/// [`RetryError::Exhausted`] if the policy gives up.
///
/// ```
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver::blocking::retry;
///
/// let call = Call::new(CallRules::builder().attempts(4).build()?);
/// assert_eq!(retry(call, || "42".parse::<u32>())?, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn retry<P: Policy, T, E>(policy: P, operation: impl FnMut() -> Result<T, E>) -> Result<T, RetryError<E>> {
    Driver::new().retry(policy, operation)
}

/// Runs operations under policies. Shareable between threads if its parts are; the default parts are.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Backoff, Call, CallRules, Classified, Instant, Jitter, Ladder};
/// use retrylab_driver::blocking::Driver;
///
/// // In a test: no wait, no chance, and the clock stands still.
/// let driver = Driver::new().clock(|| Instant::ZERO).sleeper(|_| {}).entropy(|| 0);
/// let mut statuses = [503, 429, 200].into_iter();
/// let answer = driver
///     .classify(|status: &i64| Classified::for_call_status(*status))
///     .on_retry(|retrying| println!("attempt {} failed with {}", retrying.attempt, retrying.error))
///     .retry(Call::new(CallRules::builder().build()?), || match statuses.next() {
///         Some(200) => Ok("payload"),
///         status => Err(status.unwrap_or(404)),
///     });
/// assert_eq!(answer, Ok("payload"));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
pub type Driver<C = Monotonic, S = ThreadSleeper, N = SystemEntropy, K = AllTransient, H = Silent> =
    driver::Driver<C, S, N, K, H, Cancel>;

impl Driver {
    /// The real clock, sleeper and entropy; every failure is transient.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<C, S, N, K, H> Driver<C, S, N, K, H> {
    /// Sets the sleeper, which waits.
    pub fn sleeper<T: Sleeper>(self, sleeper: T) -> Driver<C, T, N, K, H> {
        self.with_sleeper(sleeper)
    }

    /// Calls `operation` until it succeeds or `policy` gives up. The first attempt begins at once.
    ///
    /// A policy passed by value ends with the call; one passed as `&mut` keeps its state for the next. A policy that
    /// never gives up continues, whatever the kind of a failure. A wait is at most [`LONGEST_WAIT`](crate::LONGEST_WAIT).
    ///
    /// If the operation is cancelled or panics, a borrowed policy receives [`Policy::record_abandoned`], so that the
    /// next operation begins a new call.
    ///
    /// # Errors
    ///
    /// [`RetryError::Exhausted`] if the policy gives up, [`RetryError::Terminal`] if the failure is terminal,
    /// [`RetryError::Cancelled`] if it was cancelled.
    pub fn retry<P, T, E>(&self, policy: P, mut operation: impl FnMut() -> Result<T, E>) -> Result<T, RetryError<E>>
    where
        P: Policy,
        C: Clock,
        S: Sleeper,
        N: Entropy,
        K: Classify<E>,
        H: OnRetry<E>,
    {
        let wait = |delay| {
            self.sleeper.sleep(delay, &self.cancel);
            ready(())
        };
        blocking(self.run(policy, || ready(operation()), || self.cancel.is_cancelled(), wait))
    }
}
