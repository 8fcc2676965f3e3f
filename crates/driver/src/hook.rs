//! Hooks for retries.

use std::time::Duration;

use retrylab_core::{Failure, FailureKind};

/// A hook, called for each retry before its wait. A closure that takes a [`Retrying`] is a hook.
pub trait OnRetry<E> {
    /// Handles a failed attempt that will be retried.
    fn on_retry(&self, retrying: &Retrying<'_, E>);
}

/// A failed attempt that will be retried.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Constant;
/// use retrylab_driver::{BlockingRetryable, Retrying};
///
/// let log = |retrying: &Retrying<'_, &str>| eprintln!("attempt {}: {}", retrying.attempt, retrying.error);
/// let fetch = || Ok::<_, &str>("Ada");
/// assert_eq!(fetch.retry(Constant::new(Duration::from_secs(1))).notify(log).call(), Ok("Ada"));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retrying<'a, E> {
    /// The number of the failed attempt, from 1, saturating.
    pub attempt: u32,
    /// The wait that begins now.
    pub delay: Duration,
    /// The failure, as the policy received it.
    pub failure: Failure,
    /// The error itself.
    pub error: &'a E,
}

impl<E> Retrying<'_, E> {
    /// The kind of the failure.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        self.failure.kind
    }
}

impl<E, F: Fn(&Retrying<'_, E>)> OnRetry<E> for F {
    fn on_retry(&self, retrying: &Retrying<'_, E>) {
        self(retrying);
    }
}

/// The hook that does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Silent;

impl<E> OnRetry<E> for Silent {
    fn on_retry(&self, _: &Retrying<'_, E>) {}
}
