//! Who is told of retries.

use std::time::Duration;

use retrylab_core::{Failure, FailureKind};

/// Is told of each retry, before its wait begins. A closure that takes a [`Retrying`] is a hook.
pub trait OnRetry<E> {
    /// An attempt failed, and there will be another.
    fn on_retry(&self, retrying: &Retrying<'_, E>);
}

/// An attempt that failed and will be followed by another.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retrying<'a, E> {
    /// Which attempt failed, from 1, saturating.
    pub attempt: u32,
    /// How long the wait is that begins now.
    pub delay: Duration,
    /// What the policy was told.
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

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Silent;

impl<E> OnRetry<E> for Silent {
    fn on_retry(&self, _: &Retrying<'_, E>) {}
}
