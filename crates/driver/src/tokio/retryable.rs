//! Asynchronous operations with their retry, in one expression.

use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use retrylab_core::{Budget, Classify, IntoPolicy, Unlimited};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::RetryError;
use crate::fluent::{With, WithRetry, limited};
use crate::hook::OnRetry;

use super::driver::Driver;
use super::time::AsyncSleeper;

/// A function that can be retried on tokio's time: any function without arguments that returns a future of a result.
///
/// ```
/// use std::io;
/// use std::time::Duration;
/// use retrylab_core::Exponential;
/// use retrylab_driver::tokio::Retryable;
///
/// async fn fetch() -> io::Result<&'static str> {
///     Ok("Ada")
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Exponential::new(Duration::from_millis(200), Duration::from_secs(10)).attempts(5);
/// let user = fetch
///     .retry(policy)
///     .when(|error| error.kind() == io::ErrorKind::TimedOut)
///     .attempt_timeout(Duration::from_secs(2))
///     .deadline(Duration::from_secs(20))
///     .await?;
/// assert_eq!(user, "Ada");
/// # Ok(())
/// # }
/// ```
pub trait Retryable: Sized {
    /// The error of an attempt.
    type Error;

    /// Retries this operation with `policy`: rules, a builder of rules, or a policy, which may be borrowed.
    fn retry<'a, P: IntoPolicy>(self, policy: P) -> WithRetry<'a, Self, P, Unlimited, Driver, Self::Error>;
}

impl<F, A, T, E> Retryable for F
where
    F: FnMut() -> A,
    A: Future<Output = Result<T, E>>,
{
    type Error = E;

    fn retry<'a, P: IntoPolicy>(self, policy: P) -> WithRetry<'a, F, P, Unlimited, Driver, E> {
        WithRetry::new(self, policy, Driver::new())
    }
}

/// The error of an attempt that took too long and was dropped; see [`WithRetry::attempt_timeout`].
///
/// As an [`io::Error`] it is of the kind `TimedOut`.
///
/// ```
/// use std::io;
/// use std::time::Duration;
/// use retrylab_driver::tokio::AttemptTimedOut;
///
/// let error = io::Error::from(AttemptTimedOut { limit: Duration::from_secs(2) });
/// assert_eq!(error.kind(), io::ErrorKind::TimedOut);
/// assert_eq!(error.to_string(), "the attempt took longer than 2s");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptTimedOut {
    /// The time limit of the attempt.
    pub limit: Duration,
}

impl fmt::Display for AttemptTimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the attempt took longer than {:?}", self.limit)
    }
}

impl Error for AttemptTimedOut {}

impl From<AttemptTimedOut> for io::Error {
    fn from(timed_out: AttemptTimedOut) -> Self {
        Self::new(io::ErrorKind::TimedOut, timed_out)
    }
}

/// The time limit of an attempt, and its error.
#[derive(Debug)]
pub(crate) struct AttemptTimeout<E> {
    limit: Duration,
    error: fn(AttemptTimedOut) -> E,
}

impl<'a, F, P, B, C, S, N, K, H, E> WithRetry<'a, F, P, B, Driver<C, S, N, K, H>, E> {
    /// Sets the time limit of an attempt, on tokio's time whatever the clock and the sleeper are. A longer attempt is
    /// dropped and fails with an error of the operation's own type, which is classified like any other: a server may
    /// have acted on it.
    ///
    /// The operation then panics outside of a runtime, or in one without time, like `tokio::time::timeout`.
    pub fn attempt_timeout(mut self, limit: Duration) -> Self
    where
        E: From<AttemptTimedOut>,
    {
        self.attempt_timeout = Some(AttemptTimeout { limit, error: E::from });
        self
    }

    /// Sets another sleeper, for tests.
    pub fn async_sleeper<Q: AsyncSleeper>(self, sleeper: Q) -> With<'a, F, P, B, E, C, Q, N, K, H, CancellationToken> {
        self.with_sleeper(sleeper)
    }

    /// Like `.await`, for an operation that is not [`Send`]: a future on the stack.
    ///
    /// # Errors
    ///
    /// See [`Driver::retry`]; [`RetryError::Refused`] if the policy allows no attempt.
    pub async fn run<A, T>(self) -> Result<T, RetryError<E>>
    where
        F: FnMut() -> A,
        A: Future<Output = Result<T, E>>,
        P: IntoPolicy,
        B: Budget,
        C: Clock,
        S: AsyncSleeper,
        N: Entropy,
        K: Classify<E>,
        H: OnRetry<E>,
    {
        let Self { mut operation, policy, budget, deadline, driver, attempt_timeout, .. } = self;
        let policy = limited(policy, budget, deadline, &driver.clock)?;
        let Some(AttemptTimeout { limit, error }) = attempt_timeout else {
            return driver.retry(policy, operation).await;
        };
        let timed = || {
            let attempt = tokio::time::timeout(limit, operation());
            async move { attempt.await.unwrap_or_else(|_| Err(error(AttemptTimedOut { limit }))) }
        };
        driver.retry(policy, timed).await
    }
}

impl<'a, F, A, T, P, B, C, S, N, K, H, E> IntoFuture for WithRetry<'a, F, P, B, Driver<C, S, N, K, H>, E>
where
    F: FnMut() -> A + Send + 'a,
    A: Future<Output = Result<T, E>> + Send + 'a,
    T: Send + 'a,
    P: IntoPolicy + Send + 'a,
    P::Policy: Send + 'a,
    B: Budget + Send + 'a,
    C: Clock + Send + Sync + 'a,
    S: AsyncSleeper + Send + Sync + 'a,
    N: Entropy + Send + Sync + 'a,
    K: Classify<E> + Send + Sync + 'a,
    H: OnRetry<E> + Send + Sync + 'a,
    E: Send + 'a,
{
    type Output = Result<T, RetryError<E>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
