//! The blocking loop.

use std::borrow::Cow;

use retrylab_core::{AllTransient, Classify, Policy};

use crate::cancel::Cancel;
use crate::clock::{Clock, Monotonic};
use crate::entropy::{Entropy, SystemEntropy};
use crate::error::RetryError;
use crate::hook::{OnRetry, Retrying, Silent};
use crate::session::Session;
use crate::sleeper::{LONGEST_WAIT, Sleeper, ThreadSleeper};

/// Calls `operation` until it succeeds or `policy` gives up, on the real clock. Every failure counts as transient;
/// [`Driver::classify`] knows more.
///
/// # Errors
///
/// [`RetryError::Exhausted`] if the policy gives up.
///
/// ```
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver_std::retry;
///
/// let call = Call::new(CallRules::builder().attempts(4).build()?);
/// assert_eq!(retry(call, || "42".parse::<u32>())?, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn retry<P: Policy, T, E>(policy: P, operation: impl FnMut() -> Result<T, E>) -> Result<T, RetryError<E>> {
    Driver::new().retry(policy, operation)
}

/// Runs operations under policies. Shared by as many threads as its parts allow; the parts that it starts with allow all.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Backoff, Call, CallRules, Classified, Instant, Jitter, Ladder};
/// use retrylab_driver_std::Driver;
///
/// // In a test: no wait, no chance, and the clock stands still.
/// let driver = Driver::new().clock(|| Instant::ZERO).sleeper(|_| {}).entropy(|| 0);
/// let mut statuses = [503, 429, 200].into_iter();
/// let answer = driver
///     .classify(|status: &i64| Classified::from_status(*status))
///     .on_retry(|retrying| println!("attempt {} failed with {}", retrying.attempt, retrying.error))
///     .retry(Call::new(CallRules::builder().build()?), || match statuses.next() {
///         Some(200) => Ok("payload"),
///         status => Err(status.unwrap_or(404)),
///     });
/// assert_eq!(answer, Ok("payload"));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Driver<C = Monotonic, S = ThreadSleeper, N = SystemEntropy, K = AllTransient, H = Silent> {
    clock: C,
    sleeper: S,
    entropy: N,
    classifier: K,
    hook: H,
    target: Option<Cow<'static, str>>,
    cancel: Cancel,
}

impl Driver {
    /// The real clock, sleeper and entropy; every failure is transient.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<C, S, N, K, H> Driver<C, S, N, K, H> {
    /// What tells the time.
    pub fn clock<T: Clock>(self, clock: T) -> Driver<T, S, N, K, H> {
        let Self { sleeper, entropy, classifier, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// What waits.
    pub fn sleeper<T: Sleeper>(self, sleeper: T) -> Driver<C, T, N, K, H> {
        let Self { clock, entropy, classifier, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// What draws.
    pub fn entropy<T: Entropy>(self, entropy: T) -> Driver<C, S, T, K, H> {
        let Self { clock, sleeper, classifier, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// What says of each error whether it is transient or terminal. What it does not know counts as terminal.
    pub fn classify<T>(self, classifier: T) -> Driver<C, S, N, T, H> {
        let Self { clock, sleeper, entropy, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// Who is told of each retry before its wait begins, beside `tracing`, which always is: a warning of the target
    /// `retrylab` with the fields `attempt`, `delay` and `kind`.
    pub fn on_retry<E, F: Fn(&Retrying<'_, E>)>(self, hook: F) -> Driver<C, S, N, K, F> {
        let Self { clock, sleeper, entropy, classifier, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// What the operation is about, such as a URL: the errors name it.
    pub fn target(mut self, target: impl Into<Cow<'static, str>>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// The handle that cancels.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Calls `operation` until it succeeds or `policy` gives up. The first attempt begins at once.
    ///
    /// A policy that is passed by value ends with the call; one that is passed as `&mut` keeps its state for the next. A
    /// policy that never gives up goes on, whatever the kind of a failure. A wait is at most [`LONGEST_WAIT`].
    ///
    /// A policy that is lent hears of it if the operation is cancelled or panics ([`Policy::record_abandoned`]), so that
    /// the next operation begins a call of its own.
    ///
    /// # Errors
    ///
    /// [`RetryError::Exhausted`] if the policy gives up, [`RetryError::Terminal`] if the failure is not worth another
    /// attempt, [`RetryError::Cancelled`] if it was cancelled.
    pub fn retry<P, T, E>(&self, policy: P, mut operation: impl FnMut() -> Result<T, E>) -> Result<T, RetryError<E>>
    where
        P: Policy,
        C: Clock,
        S: Sleeper,
        N: Entropy,
        K: Classify<E>,
        H: OnRetry<E>,
    {
        let mut session = Session::new(policy, &self.classifier, &self.hook, self.target.as_ref(), self.clock.now());
        let mut last = None;
        while !self.cancel.is_cancelled() {
            session.begins();
            let error = match operation() {
                Ok(value) => {
                    session.succeeded(self.clock.now());
                    return Ok(value);
                }
                Err(error) => error,
            };
            let pending = session.failed(error, self.clock.now(), self.entropy.draw())?;
            if !self.cancel.is_cancelled() {
                session.announce(&pending);
                self.sleeper.sleep(pending.delay.min(LONGEST_WAIT), &self.cancel);
            }
            last = Some(pending.error);
        }
        Err(session.cancelled(last))
    }
}
