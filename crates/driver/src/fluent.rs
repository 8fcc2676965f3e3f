//! An operation with its retry, in one expression.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::time::Duration;

use retrylab_core::{Budget, CallRulesError, Classification, Classify, IntoPolicy, Limited, Unlimited};

use crate::blocking::{self, Cancel, Sleeper};
use crate::clock::Clock;
use crate::driver::Driver;
use crate::entropy::Entropy;
use crate::error::RetryError;
use crate::hook::{OnRetry, Retrying};

/// An operation with its retry, not yet begun: made by [`BlockingRetryable::retry`] and run by [`WithRetry::call`], or
/// made by `Retryable::retry` of the feature `tokio` and run by `.await`.
///
/// Without [`when`](WithRetry::when) and [`classify`](WithRetry::classify) every error is transient, and so is an error
/// that a classifier does not know; see [`Classify`].
///
/// `'a` is the lifetime of its borrows, `D` is a [driver](crate::blocking::Driver), `E` the operation's error.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Constant;
/// use retrylab_driver::{BlockingRetryable, RetryError};
///
/// let fetch = || Err::<(), _>("refused");
/// let operation = fetch.retry(Constant::new(Duration::from_millis(1)).attempts(2)).when(|error| *error == "timeout");
/// assert_eq!(operation.call(), Err(RetryError::Terminal("refused")));
/// ```
#[derive(Debug)]
#[must_use = "the operation is not attempted until it is called or awaited"]
pub struct WithRetry<'a, F, P, B, D, E> {
    pub(crate) operation: F,
    pub(crate) policy: P,
    pub(crate) budget: B,
    pub(crate) deadline: Option<Duration>,
    pub(crate) driver: D,
    #[cfg(feature = "tokio")]
    pub(crate) attempt_timeout: Option<crate::tokio::AttemptTimeout<E>>,
    scope: PhantomData<&'a ()>,
    error: PhantomData<fn() -> E>,
}

/// Applies a function to the driver.
pub(crate) type With<'a, F, P, B, E, C, S, N, K, H, X> = WithRetry<'a, F, P, B, Driver<C, S, N, K, H, X>, E>;

/// A function that can be retried on the calling thread: any function without arguments that returns a result.
///
/// There is no `attempt_timeout` here, because a thread cannot abandon a call that blocks: give the operation itself a
/// time limit, such as [`TcpStream::set_read_timeout`](std::net::TcpStream::set_read_timeout) or the timeout of an HTTP
/// client. On tokio an attempt is a future, which can be dropped.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Exponential;
/// use retrylab_driver::BlockingRetryable;
///
/// let mut answers = [Err("timeout"), Ok("Ada")].into_iter();
/// let fetch = || answers.next().unwrap_or(Err("refused"));
///
/// let policy = Exponential::new(Duration::from_millis(1), Duration::from_millis(5)).attempts(5);
/// let user = fetch
///     .retry(policy)
///     .when(|error| *error == "timeout")
///     .notify(|retrying| eprintln!("{}, again in {:?}", retrying.error, retrying.delay))
///     .call()?;
/// assert_eq!(user, "Ada");
/// # Ok::<(), retrylab_driver::RetryError<&str>>(())
/// ```
pub trait BlockingRetryable: Sized {
    /// The error of an attempt.
    type Error;

    /// Retries this operation with `policy`: rules, a builder of rules, or a policy, which may be borrowed.
    fn retry<'a, P: IntoPolicy>(self, policy: P) -> WithRetry<'a, Self, P, Unlimited, blocking::Driver, Self::Error>;
}

impl<F, T, E> BlockingRetryable for F
where
    F: FnMut() -> Result<T, E>,
{
    type Error = E;

    fn retry<'a, P: IntoPolicy>(self, policy: P) -> WithRetry<'a, F, P, Unlimited, blocking::Driver, E> {
        WithRetry::new(self, policy, blocking::Driver::new())
    }
}

impl<F, P, D, E> WithRetry<'_, F, P, Unlimited, D, E> {
    pub(crate) const fn new(operation: F, policy: P, driver: D) -> Self {
        Self {
            operation,
            policy,
            budget: Unlimited,
            deadline: None,
            driver,
            #[cfg(feature = "tokio")]
            attempt_timeout: None,
            scope: PhantomData,
            error: PhantomData,
        }
    }
}

impl<'a, F, P, B, D, E> WithRetry<'a, F, P, B, D, E> {
    /// Sets the budget that must pay for each retry. A reference or an `Arc` shares it with other operations.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retrylab_core::{Constant, GiveUp, TokenBucket};
    /// use retrylab_driver::{BlockingRetryable, RetryError};
    ///
    /// let shared = TokenBucket::new(2);
    /// let fetch = || Err::<(), _>("refused");
    /// let policy = Constant::new(Duration::from_millis(1)).attempts(9);
    /// let ended = fetch.retry(policy).budget(&shared).call();
    /// assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 3, why: GiveUp::Budget, .. })));
    /// ```
    pub fn budget<N: Budget>(self, budget: N) -> WithRetry<'a, F, P, N, D, E> {
        self.with(|_| budget, |driver| driver)
    }

    /// Sets the time within which a retry may start, from the start of the operation: from [`call`](WithRetry::call), or
    /// from the first poll of the future. It does not interrupt a running attempt.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retrylab_core::{Constant, GiveUp};
    /// use retrylab_driver::{BlockingRetryable, RetryError};
    ///
    /// let fetch = || Err::<(), _>("refused");
    /// let policy = Constant::new(Duration::from_secs(60)).without_jitter();
    /// let ended = fetch.retry(policy).deadline(Duration::from_secs(20)).call();
    /// assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 1, why: GiveUp::Elapsed, .. })));
    /// ```
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    fn with<N, R>(self, budget: impl FnOnce(B) -> N, driver: impl FnOnce(D) -> R) -> WithRetry<'a, F, P, N, R, E> {
        WithRetry {
            operation: self.operation,
            policy: self.policy,
            budget: budget(self.budget),
            deadline: self.deadline,
            driver: driver(self.driver),
            #[cfg(feature = "tokio")]
            attempt_timeout: self.attempt_timeout,
            scope: PhantomData,
            error: PhantomData,
        }
    }

    fn driver<R>(self, driver: impl FnOnce(D) -> R) -> WithRetry<'a, F, P, B, R, E> {
        self.with(|budget| budget, driver)
    }
}

impl<'a, F, P, B, C, S, N, K, H, X, E> WithRetry<'a, F, P, B, Driver<C, S, N, K, H, X>, E> {
    /// Sets the classification of errors: a function that returns a `bool` (true: transient), or any other
    /// [`Classification`].
    ///
    /// ```
    /// use std::time::Duration;
    /// use retrylab_core::{Classified, Constant};
    /// use retrylab_driver::{BlockingRetryable, RetryError};
    ///
    /// let fetch = || Err::<(), i64>(404);
    /// let policy = Constant::new(Duration::from_millis(1));
    /// let ended = fetch.retry(policy).when(|status| Classified::for_call_status(*status)).call();
    /// assert_eq!(ended, Err(RetryError::Terminal(404)));
    /// ```
    pub fn when<A: Classification, Q: Fn(&E) -> A>(self, predicate: Q) -> With<'a, F, P, B, E, C, S, N, Q, H, X> {
        self.driver(|driver| driver.classify(predicate))
    }

    /// Sets a classifier that is a value, such as [`IoErrors`](crate::IoErrors).
    pub fn classify<Q: Classify<E>>(self, classifier: Q) -> With<'a, F, P, B, E, C, S, N, Q, H, X> {
        self.driver(|driver| driver.classify(classifier))
    }

    /// Sets a function that is called before each wait, in addition to `tracing`.
    pub fn notify<Q: Fn(&Retrying<'_, E>)>(self, hook: Q) -> With<'a, F, P, B, E, C, S, N, K, Q, X> {
        self.driver(|driver| driver.on_retry(hook))
    }

    /// Sets the target of the operation, such as a URL, which errors name.
    pub fn target(self, target: impl Into<Cow<'static, str>>) -> Self {
        self.driver(|driver| driver.target(target))
    }

    /// Sets the handle that cancels: a wait ends at once, and no further attempt begins. A running attempt finishes,
    /// and counts if it succeeds.
    pub fn cancel(self, cancel: X) -> Self {
        self.driver(|driver| driver.cancel(cancel))
    }

    /// Sets another clock, for tests.
    pub fn clock<Q: Clock>(self, clock: Q) -> With<'a, F, P, B, E, Q, S, N, K, H, X> {
        self.driver(|driver| driver.clock(clock))
    }

    /// Sets another source of draws, for tests.
    pub fn entropy<Q: Entropy>(self, entropy: Q) -> With<'a, F, P, B, E, C, S, Q, K, H, X> {
        self.driver(|driver| driver.entropy(entropy))
    }

    pub(crate) fn with_sleeper<Q>(self, sleeper: Q) -> With<'a, F, P, B, E, C, Q, N, K, H, X> {
        self.driver(|driver| driver.with_sleeper(sleeper))
    }
}

impl<'a, F, P, B, C, S, N, K, H, E> WithRetry<'a, F, P, B, blocking::Driver<C, S, N, K, H>, E> {
    /// Sets another sleeper, for tests.
    pub fn sleeper<Q: Sleeper>(self, sleeper: Q) -> With<'a, F, P, B, E, C, Q, N, K, H, Cancel> {
        self.with_sleeper(sleeper)
    }

    /// Calls the operation until it succeeds or the policy gives up. The first attempt begins at once.
    ///
    /// # Errors
    ///
    /// See [`blocking::Driver::retry`]; [`RetryError::Refused`] if the policy allows no attempt.
    pub fn call<T>(self) -> Result<T, RetryError<E>>
    where
        F: FnMut() -> Result<T, E>,
        P: IntoPolicy,
        B: Budget,
        C: Clock,
        S: Sleeper,
        N: Entropy,
        K: Classify<E>,
        H: OnRetry<E>,
    {
        let policy = limited(self.policy, self.budget, self.deadline, &self.driver.clock)?;
        self.driver.retry(policy, self.operation)
    }
}

/// The policy within the added limits.
pub(crate) fn limited<P: IntoPolicy, B: Budget>(
    policy: P,
    budget: B,
    deadline: Option<Duration>,
    clock: &impl Clock,
) -> Result<Limited<P::Policy, B>, CallRulesError> {
    let limited = Limited::new(policy.into_policy()?).budget(budget);
    Ok(match deadline {
        Some(deadline) => limited.deadline(clock.now() + deadline),
        None => limited,
    })
}
