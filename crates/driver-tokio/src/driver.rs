//! The asynchronous loop.

use std::borrow::Cow;

use retrylab_core::{AllTransient, Classify, Policy};
use retrylab_driver_std::{
    Clock, Entropy, LONGEST_WAIT, OnRetry, RetryError, Retrying, Session, Silent, SystemEntropy,
};
use tokio_util::sync::CancellationToken;

use crate::time::{Sleeper, TokioClock, TokioSleeper};

/// Calls `operation` until it succeeds or `policy` gives up, on tokio's time. Every failure counts as transient;
/// [`Driver::classify`] knows more.
///
/// # Errors
///
/// [`RetryError::Exhausted`] if the policy gives up.
///
/// # Panics
///
/// As `tokio::time::sleep` does: outside of a runtime, or in one without time.
///
/// ```
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver_tokio::retry;
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

/// Runs asynchronous operations under policies. Shared by as many tasks as its parts allow; the parts that it starts with
/// allow all.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Driver<C = TokioClock, S = TokioSleeper, N = SystemEntropy, K = AllTransient, H = Silent> {
    clock: C,
    sleeper: S,
    entropy: N,
    classifier: K,
    hook: H,
    target: Option<Cow<'static, str>>,
    cancel: CancellationToken,
}

impl Driver {
    /// Tokio's clock and timer, the system's entropy; every failure is transient.
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

    /// The token that cancels: a wait ends at once, no further attempt begins. An attempt that is running is left to finish,
    /// and counts if it succeeds; to abort that, too, drop the future.
    pub fn cancel(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Calls `operation` until it succeeds or `policy` gives up. The first attempt begins when the future is first polled.
    ///
    /// A policy that is passed by value ends with the call; one that is passed as `&mut` keeps its state for the next. A
    /// policy that never gives up goes on, whatever the kind of a failure. A wait is at most [`LONGEST_WAIT`].
    ///
    /// A policy that is lent hears of it if the operation is cancelled or panics, or the future is dropped
    /// ([`Policy::record_abandoned`]), so that the next operation begins a call of its own.
    ///
    /// # Errors
    ///
    /// [`RetryError::Exhausted`] if the policy gives up, [`RetryError::Terminal`] if the failure is not worth another
    /// attempt, [`RetryError::Cancelled`] if the token was cancelled.
    ///
    /// # Panics
    ///
    /// With [`TokioSleeper`], as `tokio::time::sleep` does: outside of a runtime, or in one without time.
    // Not `AsyncFnMut`: a future that holds one and borrows from it cannot be spawned, because the compiler cannot see yet
    // that it is `Send`.
    pub async fn retry<P, T, E, A>(&self, policy: P, mut operation: impl FnMut() -> A) -> Result<T, RetryError<E>>
    where
        P: Policy,
        A: Future<Output = Result<T, E>>,
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
            let error = match operation().await {
                Ok(value) => {
                    session.succeeded(self.clock.now());
                    return Ok(value);
                }
                Err(error) => error,
            };
            let pending = session.failed(error, self.clock.now(), self.entropy.draw())?;
            if !self.cancel.is_cancelled() {
                session.announce(&pending);
                let wait = self.sleeper.sleep(pending.delay.min(LONGEST_WAIT));
                // Whether the wait or the token ended it, the loop asks the token.
                self.cancel.run_until_cancelled(wait).await;
            }
            last = Some(pending.error);
        }
        Err(session.cancelled(last))
    }
}
