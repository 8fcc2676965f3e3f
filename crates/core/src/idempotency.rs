//! Whether it is safe to send an operation again.

use crate::{FailureKind, Fault};

/// Whether the server may already have acted on a failed attempt.
///
/// ```
/// use retrylab_core::{Fault, Sent};
///
/// assert_eq!((Sent::from(Fault::Refused), Sent::from(Fault::Timeout)), (Sent::No, Sent::Maybe));
/// assert_eq!((Sent::from_status(429), Sent::from_status(503)), (Sent::No, Sent::Maybe));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sent {
    /// It cannot have: the request did not reach it, or the response says that it was not processed.
    No,
    /// It may have.
    Maybe,
}

impl Sent {
    /// By HTTP status. 408, 425 and 429 say that the server did not begin; after any other status it may have (RFC 9110
    /// section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4).
    #[inline]
    #[must_use]
    pub const fn from_status(status: i64) -> Self {
        match status {
            408 | 425 | 429 => Self::No,
            _ => Self::Maybe,
        }
    }

    /// By fault. Nothing is sent before both sides have accepted the connection.
    #[inline]
    #[must_use]
    pub const fn from_fault(fault: Fault) -> Self {
        match fault {
            Fault::Dns | Fault::Refused | Fault::Tls | Fault::Certificate => Self::No,
            Fault::Reset
            | Fault::Timeout
            | Fault::Close
            | Fault::ContentType
            | Fault::Malformed
            | Fault::MissingKey
            | Fault::Store => Self::Maybe,
        }
    }
}

impl From<Fault> for Sent {
    fn from(fault: Fault) -> Self {
        Self::from_fault(fault)
    }
}

/// Whether an operation has the same effect done twice as done once.
///
/// ```
/// use retrylab_core::Idempotency;
///
/// assert_eq!(Idempotency::from_method("PUT"), Idempotency::Idempotent);
/// assert_eq!(Idempotency::from_method("POST"), Idempotency::NotIdempotent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Idempotency {
    /// It has: `GET`, `PUT`, `DELETE`, anything with an idempotency key.
    Idempotent,
    /// It has not.
    NotIdempotent,
}

impl Idempotency {
    /// By HTTP method (RFC 9110 section 9.2.2), spelled exactly; an unknown method is not idempotent.
    #[must_use]
    pub fn from_method(method: &str) -> Self {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE" => Self::Idempotent,
            _ => Self::NotIdempotent,
        }
    }

    /// The kind of a failure of this operation: terminal if it is not safe to send again, else `kind`.
    ///
    /// ```
    /// use retrylab_core::{Fault, FailureKind, Idempotency, Sent};
    ///
    /// let post = Idempotency::from_method("POST");
    /// assert_eq!(post.judge(FailureKind::Normal, Fault::Refused.into()), FailureKind::Normal);
    /// assert_eq!(post.judge(FailureKind::Normal, Fault::Timeout.into()), FailureKind::Unexpected);
    /// ```
    #[inline]
    #[must_use]
    pub const fn judge(self, kind: FailureKind, sent: Sent) -> FailureKind {
        match (self, sent) {
            (Self::NotIdempotent, Sent::Maybe) => FailureKind::Unexpected,
            _ => kind,
        }
    }
}
