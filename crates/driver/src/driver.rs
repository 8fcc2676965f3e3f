//! The parts of a driver, whatever it waits with.

use std::borrow::Cow;
use std::time::Duration;

use retrylab_core::{AllTransient, Classify, Policy};

use crate::clock::Clock;
use crate::entropy::{Entropy, SystemEntropy};
use crate::error::RetryError;
use crate::hook::{OnRetry, Retrying, Silent};
use crate::session::{LONGEST_WAIT, Session};

/// Runs operations under policies. Shareable between threads and tasks if its parts are; the default parts are.
///
/// Its parts are a clock, a sleeper, entropy, a classifier of errors, a hook, and a handle that cancels.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Constant, IntoPolicy};
/// use retrylab_driver::IoErrors;
/// use retrylab_driver::blocking::Driver;
///
/// let driver = Driver::new().classify(IoErrors).target("the server");
/// let policy = Constant::new(Duration::from_millis(1)).into_policy()?;
/// assert_eq!(driver.retry(policy, || Ok("Ada")).ok(), Some("Ada"));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Driver<C, S, N, K, H, X> {
    pub(crate) clock: C,
    pub(crate) sleeper: S,
    pub(crate) entropy: N,
    pub(crate) classifier: K,
    pub(crate) hook: H,
    pub(crate) target: Option<Cow<'static, str>>,
    pub(crate) cancel: X,
}

impl<C: Default, S: Default, X: Default> Default for Driver<C, S, SystemEntropy, AllTransient, Silent, X> {
    fn default() -> Self {
        Self {
            clock: C::default(),
            sleeper: S::default(),
            entropy: SystemEntropy,
            classifier: AllTransient,
            hook: Silent,
            target: None,
            cancel: X::default(),
        }
    }
}

impl<C, S, N, K, H, X> Driver<C, S, N, K, H, X> {
    /// Sets the clock of the policy.
    pub fn clock<T: Clock>(self, clock: T) -> Driver<T, S, N, K, H, X> {
        let Self { sleeper, entropy, classifier, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// Sets the source of the draws.
    pub fn entropy<T: Entropy>(self, entropy: T) -> Driver<C, S, T, K, H, X> {
        let Self { clock, sleeper, classifier, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// Sets the classifier, which decides for each error whether it is transient or terminal. An unknown error is
    /// transient.
    pub fn classify<T>(self, classifier: T) -> Driver<C, S, N, T, H, X> {
        let Self { clock, sleeper, entropy, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// Sets the hook, called for each retry before its wait. `tracing` always gets a warning of the target `retrylab`
    /// as well, with the fields `attempt`, `delay` and `kind`.
    pub fn on_retry<E, F: Fn(&Retrying<'_, E>)>(self, hook: F) -> Driver<C, S, N, K, F, X> {
        let Self { clock, sleeper, entropy, classifier, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// Sets the target of the operation, such as a URL, which errors name.
    pub fn target(mut self, target: impl Into<Cow<'static, str>>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Sets the handle that cancels: a wait ends at once, and no further attempt begins. A running attempt finishes,
    /// and counts if it succeeds.
    pub fn cancel(mut self, cancel: X) -> Self {
        self.cancel = cancel;
        self
    }

    pub(crate) fn with_sleeper<T>(self, sleeper: T) -> Driver<C, T, N, K, H, X> {
        let Self { clock, entropy, classifier, hook, target, cancel, .. } = self;
        Driver { clock, sleeper, entropy, classifier, hook, target, cancel }
    }

    /// The loop of every driver. One that blocks is ready at the first poll of this future.
    pub(crate) async fn run<P, T, E, A, W>(
        &self,
        policy: P,
        mut operation: impl FnMut() -> A,
        is_cancelled: impl Fn() -> bool,
        wait: impl Fn(Duration) -> W,
    ) -> Result<T, RetryError<E>>
    where
        P: Policy,
        A: Future<Output = Result<T, E>>,
        W: Future,
        C: Clock,
        N: Entropy,
        K: Classify<E>,
        H: OnRetry<E>,
    {
        let mut session = Session::new(policy, &self.classifier, &self.hook, self.target.as_ref(), self.clock.now());
        let mut last = None;
        while !is_cancelled() {
            session.begins();
            let error = match operation().await {
                Ok(value) => {
                    session.succeeded(self.clock.now());
                    return Ok(value);
                }
                Err(error) => error,
            };
            let pending = session.failed(error, self.clock.now(), self.entropy.draw())?;
            if !is_cancelled() {
                session.announce(&pending);
                // Whichever ended the wait, the loop checks for a cancellation.
                wait(pending.delay.min(LONGEST_WAIT)).await;
            }
            last = Some(pending.error);
        }
        Err(session.cancelled(last))
    }
}
