//! The classification of a failure by its HTTP status or transport fault.

use core::fmt;

/// The kind of a failure, which decides the ladder.
///
/// ```
/// use retrylab_core::{Fault, FailureKind};
///
/// assert_eq!(FailureKind::for_source_status(503), FailureKind::Normal);
/// assert_eq!(FailureKind::for_source_status(401), FailureKind::Unexpected);
/// assert_eq!(FailureKind::for_source_fault(Fault::Tls), FailureKind::Normal);
/// ```
///
/// A data source and a bounded call read the same status differently. A source goes on whatever happens, so its question
/// is how soon to come back. A call gives up on what the same request would meet again.
///
/// | status | [for a source](Self::for_source_status) | [for a call](Self::for_call_status) |
/// |---|---|---|
/// | 408, 429 | normal | transient (normal) |
/// | 425 | unexpected | transient (normal) |
/// | 400 | normal | terminal (unexpected) |
/// | any other 4xx | unexpected | terminal (unexpected) |
/// | 500, 502, 503, 504 | normal | transient (normal) |
/// | any other 5xx, such as 501 | normal | terminal (unexpected) |
/// | anything else | normal | terminal (unexpected) |
///
/// So with faults: [for a source](Self::for_source_fault) each is normal, [for a call](Self::for_call_fault) only those of
/// the transport are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// Expected to pass by itself (an overload, a cut line): the normal ladder.
    Normal,
    /// Unlikely to pass soon (a rejected key, a wrong address): the extended ladder.
    Unexpected,
}

impl FailureKind {
    /// Classifies an HTTP status for a data source. Every number is allowed, also one that is no status.
    ///
    /// The 4xx are unexpected, except 400, 408 and 429: 97 of the statuses 100 to 599. Every other number is normal.
    #[inline]
    #[must_use]
    pub const fn for_source_status(status: i64) -> Self {
        match status {
            400 | 408 | 429 => Self::Normal,
            400..=499 => Self::Unexpected,
            _ => Self::Normal,
        }
    }

    /// Classifies an HTTP status for a bounded call. Every number is allowed. Transient (normal) are 408, 425, 429,
    /// 500, 502, 503 and 504; every other number is terminal (unexpected), because the same request would get the same
    /// response.
    #[inline]
    #[must_use]
    pub const fn for_call_status(status: i64) -> Self {
        match status {
            408 | 425 | 429 | 500 | 502 | 503 | 504 => Self::Normal,
            _ => Self::Unexpected,
        }
    }

    /// Classifies a fault for a data source: each is normal.
    #[inline]
    #[must_use]
    pub const fn for_source_fault(fault: Fault) -> Self {
        match fault {
            Fault::Dns
            | Fault::Refused
            | Fault::Reset
            | Fault::Timeout
            | Fault::Tls
            | Fault::Certificate
            | Fault::Close
            | Fault::ContentType
            | Fault::Malformed
            | Fault::MissingKey
            | Fault::Store => Self::Normal,
        }
    }

    /// Classifies a fault for a bounded call: a fault of the transport is transient, a fault in the body is terminal.
    #[inline]
    #[must_use]
    pub const fn for_call_fault(fault: Fault) -> Self {
        match fault {
            Fault::Dns
            | Fault::Refused
            | Fault::Reset
            | Fault::Timeout
            | Fault::Tls
            | Fault::Certificate
            | Fault::Close => Self::Normal,
            Fault::ContentType | Fault::Malformed | Fault::MissingKey | Fault::Store => Self::Unexpected,
        }
    }

    /// The lower-case name that files, traces and vectors use: `normal` or `unexpected`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Unexpected => "unexpected",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A failure that is not an HTTP status.
///
/// ```
/// use retrylab_core::{Fault, FailureKind};
///
/// assert_eq!(FailureKind::for_call_fault(Fault::Timeout), FailureKind::Normal);
/// assert_eq!(Fault::ContentType.to_string(), "content-type");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The name did not resolve.
    Dns,
    /// The connection was refused.
    Refused,
    /// The connection was reset.
    Reset,
    /// A time limit passed, while connecting or on an open connection.
    Timeout,
    /// The TLS handshake failed.
    Tls,
    /// The certificate was not accepted.
    Certificate,
    /// The server ended the connection cleanly.
    Close,
    /// The response has the wrong content type.
    ContentType,
    /// The body cannot be parsed.
    Malformed,
    /// A required key is missing from the body.
    MissingKey,
    /// The local store refused the data.
    Store,
}

impl Fault {
    /// Every fault, in the order of declaration.
    pub const ALL: [Self; 11] = [
        Self::Dns,
        Self::Refused,
        Self::Reset,
        Self::Timeout,
        Self::Tls,
        Self::Certificate,
        Self::Close,
        Self::ContentType,
        Self::Malformed,
        Self::MissingKey,
        Self::Store,
    ];

    /// The lower-case name that files and traces use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::Tls => "tls",
            Self::Certificate => "certificate",
            Self::Close => "close",
            Self::ContentType => "content-type",
            Self::Malformed => "malformed",
            Self::MissingKey => "missing-key",
            Self::Store => "store",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
