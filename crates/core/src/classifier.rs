//! Classifiers: values that map an error to a failure, and compose.

use core::time::Duration;

use crate::idempotency::{Idempotency, Sent};
use crate::policy::Failure;
use crate::{FailureKind, Fault};

/// Maps an error to a failure. A closure from `&E` to a [`Classification`], such as a `bool`, is a classifier.
///
/// An error that no classifier knows counts as transient wherever an operation is retried, as does every error where there
/// is no classifier: an attempt more costs little and ends with the policy's limits, while an error that is wrongly taken
/// for terminal ends a call that a retry would have saved. Of an operation that is not idempotent it is terminal
/// ([`Classify::idempotency`]), since the server may have acted. End the chain with [`AllTerminal`] to have it the other
/// way round.
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
///     Error::Status(status) => Some(Classified::for_call_status((*status).into())),
///     _ => None,
/// };
/// let timeouts = |error: &Error| matches!(error, Error::Timeout).then(|| Classified::for_call_fault(Fault::Timeout));
/// let post = statuses.or(timeouts).idempotency(Idempotency::from_method("POST"));
///
/// let kind = |error| post.classify(&error).map(|classified| classified.failure.kind);
/// // The server did not process a 429. It may have acted before the timeout, so a POST is not sent again.
/// assert_eq!(kind(Error::Status(429)), Some(FailureKind::Normal));
/// assert_eq!(kind(Error::Timeout), Some(FailureKind::Unexpected));
/// assert_eq!(kind(Error::Other), Some(FailureKind::Unexpected));
///
/// let get = statuses.or(timeouts);
/// assert_eq!(get.classify(&Error::Other), None);
/// assert_eq!(get.classified(&Error::Other), Classified::transient());
/// ```
pub trait Classify<E: ?Sized> {
    /// The classification of `error`; `None` if this classifier does not know it.
    fn classify(&self, error: &E) -> Option<Classified>;

    /// What a driver takes `error` for: one that this classifier does not know is transient.
    fn classified(&self, error: &E) -> Classified {
        self.classify(error).unwrap_or(Classified::transient())
    }

    /// Falls back to `next` for errors that this classifier does not know.
    fn or<C: Classify<E>>(self, next: C) -> Or<Self, C>
    where
        Self: Sized,
    {
        Or { first: self, next }
    }

    /// Makes a failure terminal where the operation is not safe to send again. The result knows every error.
    fn idempotency(self, idempotency: Idempotency) -> WithIdempotency<Self>
    where
        Self: Sized,
    {
        WithIdempotency { classifier: self, idempotency }
    }
}

/// A classified error: the failure for the policy, and whether the server may have acted.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Classified, FailureKind, Sent};
///
/// let busy = Classified::for_call_status(429).retry_after(Some(Duration::from_secs(20)));
/// assert_eq!((busy.failure.kind, busy.sent), (FailureKind::Normal, Sent::No));
/// assert_eq!(busy.failure.retry_after, Some(Duration::from_secs(20)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Classified {
    /// The failure for the policy.
    pub failure: Failure,
    /// Whether the server may already have acted on the attempt.
    pub sent: Sent,
}

impl Classified {
    /// A transient failure; the server may have acted.
    #[must_use]
    pub const fn transient() -> Self {
        Self::of(FailureKind::Normal, None, Sent::Maybe)
    }

    /// A terminal failure; the server may have acted.
    #[must_use]
    pub const fn terminal() -> Self {
        Self::of(FailureKind::Unexpected, None, Sent::Maybe)
    }

    /// An HTTP status, classified for a bounded call; see [`FailureKind::for_call_status`] and [`Sent::from_status`].
    #[must_use]
    pub const fn for_call_status(status: i64) -> Self {
        Self::of(FailureKind::for_call_status(status), None, Sent::from_status(status))
    }

    /// A fault, classified for a bounded call; see [`FailureKind::for_call_fault`].
    #[must_use]
    pub const fn for_call_fault(fault: Fault) -> Self {
        Self::of(FailureKind::for_call_fault(fault), Some(fault), Sent::from_fault(fault))
    }

    /// Adds the server's `retry_after`, if it sent one.
    #[must_use]
    pub const fn retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.failure.retry_after = retry_after;
        self
    }

    /// Marks the attempt as one on which the server cannot have acted.
    #[must_use]
    pub const fn not_sent(mut self) -> Self {
        self.sent = Sent::No;
        self
    }

    const fn of(kind: FailureKind, fault: Option<Fault>, sent: Sent) -> Self {
        Self { failure: Failure { kind, retry_after: None, fault }, sent }
    }
}

/// The fault decides whether the server may have acted; without a fault, it may have.
impl From<Failure> for Classified {
    fn from(failure: Failure) -> Self {
        Self { failure, sent: failure.fault.map_or(Sent::Maybe, Sent::from) }
    }
}

/// What a closure may answer as a classifier. `true` is transient and `false` terminal; `None` leaves the error to the next
/// classifier.
///
/// ```
/// use retrylab_core::{Classification, Classified, Fault};
///
/// assert_eq!(true.classified(), Some(Classified::transient()));
/// assert_eq!(false.classified(), Some(Classified::terminal()));
/// assert_eq!(None::<Fault>.classified(), None);
/// ```
pub trait Classification {
    /// The answer as what a driver works with.
    fn classified(self) -> Option<Classified>;
}

macro_rules! known {
    ($($answer:ty: $classify:expr;)*) => {$(
        impl Classification for $answer {
            fn classified(self) -> Option<Classified> {
                Some($classify(self))
            }
        }
    )*};
}

known! {
    bool: |worth_it| if worth_it { Classified::transient() } else { Classified::terminal() };
    Classified: |classified| classified;
    Failure: Classified::from;
    FailureKind: |kind: FailureKind| Classified::from(Failure::from(kind));
    Fault: Classified::for_call_fault;
}

impl<A: Classification> Classification for Option<A> {
    fn classified(self) -> Option<Classified> {
        self.and_then(A::classified)
    }
}

impl<E: ?Sized, F, A> Classify<E> for F
where
    F: Fn(&E) -> A,
    A: Classification,
{
    fn classify(&self, error: &E) -> Option<Classified> {
        self(error).classified()
    }
}

/// The classifier for which every error is transient and the server may have acted.
///
/// ```
/// use retrylab_core::{AllTransient, Classified, Classify};
///
/// assert_eq!(AllTransient.classified("refused"), Classified::transient());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllTransient;

impl<E: ?Sized> Classify<E> for AllTransient {
    fn classify(&self, _: &E) -> Option<Classified> {
        Some(Classified::transient())
    }
}

/// No error is worth another attempt: for the end of a chain of classifiers, so that what none of them knows is terminal.
///
/// ```
/// use retrylab_core::{AllTerminal, Classified, Classify};
///
/// let timeouts = |error: &&str| (*error == "timeout").then_some(true);
/// assert_eq!(timeouts.classified(&"refused"), Classified::transient());
/// assert_eq!(timeouts.or(AllTerminal).classified(&"refused"), Classified::terminal());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllTerminal;

impl<E: ?Sized> Classify<E> for AllTerminal {
    fn classify(&self, _: &E) -> Option<Classified> {
        Some(Classified::terminal())
    }
}

/// A classifier with a fallback; see [`Classify::or`].
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

/// A classifier for an operation of known idempotency; see [`Classify::idempotency`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WithIdempotency<C> {
    classifier: C,
    idempotency: Idempotency,
}

impl<E: ?Sized, C: Classify<E>> Classify<E> for WithIdempotency<C> {
    fn classify(&self, error: &E) -> Option<Classified> {
        let mut classified = self.classifier.classified(error);
        classified.failure.kind = self.idempotency.judge(classified.failure.kind, classified.sent);
        Some(classified)
    }
}
