//! How a failure is classified: the HTTP status or the transport fault it came with decides its kind.

use core::fmt;

/// What a failure means for the next wait.
///
/// ```
/// use retrylab_core::{Fault, FailureKind};
///
/// assert_eq!(FailureKind::from_status(503), FailureKind::Normal);
/// assert_eq!(FailureKind::from_status(401), FailureKind::Unexpected);
/// assert_eq!(FailureKind::from(Fault::Tls), FailureKind::Normal);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// Expected to pass by itself (an overload, a cut line): the normal ladder.
    Normal,
    /// Unlikely to pass soon (a rejected key, a wrong address): the extended ladder.
    Unexpected,
}

impl FailureKind {
    /// The kind of an HTTP status, for every number, also those that are no status.
    ///
    /// Unexpected are the 4xx except 400, 408 and 429: 97 of the statuses 100 to 599. Everything else is normal.
    #[inline]
    #[must_use]
    pub const fn from_status(status: i64) -> Self {
        match status {
            400 | 408 | 429 => Self::Normal,
            400..=499 => Self::Unexpected,
            _ => Self::Normal,
        }
    }

    /// The kind of an HTTP status for a bounded call, for every number: transient (normal) are 408, 425, 429, 500, 502,
    /// 503 and 504; everything else is terminal (unexpected), because the same request would get the same answer.
    #[inline]
    #[must_use]
    pub const fn from_call_status(status: i64) -> Self {
        match status {
            408 | 425 | 429 | 500 | 502 | 503 | 504 => Self::Normal,
            _ => Self::Unexpected,
        }
    }

    /// The kind of a fault for a bounded call: what the transport does is transient, what the body holds is terminal.
    #[inline]
    #[must_use]
    pub const fn from_call_fault(fault: Fault) -> Self {
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

/// A failure that is not an HTTP status. Each of them is [`FailureKind::Normal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The name did not resolve.
    Dns,
    /// Nobody listens there.
    Refused,
    /// The connection broke off.
    Reset,
    /// Nothing came in time: connecting, or on an open connection.
    Timeout,
    /// The TLS handshake failed.
    Tls,
    /// The certificate was not accepted.
    Certificate,
    /// The server ended the connection cleanly.
    Close,
    /// The answer has the wrong content type.
    ContentType,
    /// The body cannot be parsed.
    Malformed,
    /// The body was parsed and lacks what it must have.
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

impl From<Fault> for FailureKind {
    #[inline]
    fn from(fault: Fault) -> Self {
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
}
