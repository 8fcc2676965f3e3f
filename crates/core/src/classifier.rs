//! From an error to a failure: classifiers, which are values and compose.

use core::time::Duration;

use crate::idempotency::{Idempotency, Sent};
use crate::policy::Failure;
use crate::{FailureKind, Fault};

/// Says what kind of failure an error is. A closure from `&E` to a [`Classified`], [`Failure`], [`FailureKind`] or
/// [`Fault`], or to an `Option` of the first, is a classifier.
///
/// ```
/// use retrylab_core::{Classified, Classify, Failure, FailureKind, Fault, Idempotency};
///
/// enum Error {
///     Status(u16),
///     Timeout,
///     Other,
/// }
///
/// let statuses = |error: &Error| match error {
///     Error::Status(status) => Some(Classified::from_status((*status).into())),
///     _ => None,
/// };
/// let timeouts = |error: &Error| matches!(error, Error::Timeout).then(|| Classified::from_fault(Fault::Timeout));
/// let post = statuses.or(timeouts).idempotency(Idempotency::from_method("POST"));
///
/// let kind = |error| post.classify(&error).map(|classified| classified.failure.kind);
/// // The server says that it did not begin; a timeout says nothing, so what is not idempotent is not sent again.
/// assert_eq!(kind(Error::Status(429)), Some(FailureKind::Normal));
/// assert_eq!(kind(Error::Timeout), Some(FailureKind::Unexpected));
/// assert_eq!(kind(Error::Other), None);
/// ```
pub trait Classify<E: ?Sized> {
    /// What `error` is; `None` if this classifier does not know it.
    fn classify(&self, error: &E) -> Option<Classified>;

    /// This classifier, and `next` for what it does not know.
    fn or<C: Classify<E>>(self, next: C) -> Or<Self, C>
    where
        Self: Sized,
    {
        Or { first: self, next }
    }

    /// This classifier, for an operation of which it matters whether it is sent twice.
    fn idempotency(self, idempotency: Idempotency) -> Judged<Self>
    where
        Self: Sized,
    {
        Judged { classifier: self, idempotency }
    }
}

/// What a classifier says of an error: what the policy has to know, and whether the server may have acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Classified {
    /// What the policy is told.
    pub failure: Failure,
    /// Whether the server may already have acted on the attempt.
    pub sent: Sent,
}

impl Classified {
    /// A failure that is worth another attempt; the server may have acted.
    #[must_use]
    pub const fn transient() -> Self {
        Self::of(FailureKind::Normal, None, Sent::Maybe)
    }

    /// A failure that is not worth another attempt.
    #[must_use]
    pub const fn terminal() -> Self {
        Self::of(FailureKind::Unexpected, None, Sent::Maybe)
    }

    /// An HTTP status that is a failure of a bounded call; see [`FailureKind::from_call_status`] and
    /// [`Sent::from_status`].
    #[must_use]
    pub const fn from_status(status: i64) -> Self {
        Self::of(FailureKind::from_call_status(status), None, Sent::from_status(status))
    }

    /// A fault in a bounded call; see [`FailureKind::from_call_fault`].
    #[must_use]
    pub const fn from_fault(fault: Fault) -> Self {
        Self::of(FailureKind::from_call_fault(fault), Some(fault), Sent::from_fault(fault))
    }

    /// The same, where the server asked for this wait, if it did.
    #[must_use]
    pub const fn retry_after(mut self, asked: Option<Duration>) -> Self {
        self.failure.retry_after = asked;
        self
    }

    /// The same, where it is known that the server cannot have acted.
    #[must_use]
    pub const fn not_sent(mut self) -> Self {
        self.sent = Sent::No;
        self
    }

    const fn of(kind: FailureKind, fault: Option<Fault>, sent: Sent) -> Self {
        Self { failure: Failure { kind, retry_after: None, fault }, sent }
    }
}

/// Without more than the failure itself, its fault says whether the server may have acted.
impl From<Failure> for Classified {
    fn from(failure: Failure) -> Self {
        Self { failure, sent: failure.fault.map_or(Sent::Maybe, Sent::from) }
    }
}

/// What a closure may answer: it knows every error.
macro_rules! known {
    ($($answer:ty: $classify:expr;)*) => {$(
        impl From<$answer> for Option<Classified> {
            fn from(answer: $answer) -> Self {
                Some($classify(answer))
            }
        }
    )*};
}

known! {
    Failure: Classified::from;
    FailureKind: |kind: FailureKind| Classified::from(Failure::from(kind));
    Fault: Classified::from_fault;
}

impl<E: ?Sized, F, A> Classify<E> for F
where
    F: Fn(&E) -> A,
    A: Into<Option<Classified>>,
{
    fn classify(&self, error: &E) -> Option<Classified> {
        self(error).into()
    }
}

/// Every error is worth another attempt, and the server may have acted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllTransient;

impl<E: ?Sized> Classify<E> for AllTransient {
    fn classify(&self, _: &E) -> Option<Classified> {
        Some(Classified::transient())
    }
}

/// Two classifiers, the second for what the first does not know; see [`Classify::or`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Or<A, B> {
    first: A,
    next: B,
}

impl<E: ?Sized, A: Classify<E>, B: Classify<E>> Classify<E> for Or<A, B> {
    fn classify(&self, error: &E) -> Option<Classified> {
        self.first.classify(error).or_else(|| self.next.classify(error))
    }
}

/// A classifier that knows whether the operation is idempotent; see [`Classify::idempotency`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Judged<C> {
    classifier: C,
    idempotency: Idempotency,
}

impl<E: ?Sized, C: Classify<E>> Classify<E> for Judged<C> {
    fn classify(&self, error: &E) -> Option<Classified> {
        let mut classified = self.classifier.classify(error)?;
        classified.failure.kind = self.idempotency.judge(classified.failure.kind, classified.sent);
        Some(classified)
    }
}
