//! Whether it is safe to send an operation again.

use crate::{FailureKind, Fault};

/// Whether the server may already have acted on a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sent {
    /// It cannot have: the operation did not reach it, or it says that it refused to start.
    No,
    /// It may have.
    Maybe,
}

impl Sent {
    /// After an HTTP status. 408, 425 and 429 say that the server did not begin; any other status leaves it open
    /// (RFC 9110 section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4).
    #[inline]
    #[must_use]
    pub const fn from_status(status: i64) -> Self {
        match status {
            408 | 425 | 429 => Self::No,
            _ => Self::Maybe,
        }
    }

    /// After a fault. Before there was a connection that both sides accepted, nothing was sent.
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

/// Whether doing an operation twice is the same as doing it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Idempotency {
    /// It is: `GET`, `PUT`, `DELETE`, anything with an idempotency key.
    Idempotent,
    /// It is not.
    NotIdempotent,
}

impl Idempotency {
    /// Of an HTTP method (RFC 9110 section 9.2.2), by its exact name; methods that are not known are not idempotent.
    #[must_use]
    pub fn from_method(method: &str) -> Self {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE" => Self::Idempotent,
            _ => Self::NotIdempotent,
        }
    }

    /// The kind of a failure with this in mind: transient only while it is safe to send again.
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
