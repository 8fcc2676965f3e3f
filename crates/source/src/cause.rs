//! The cause of a failure, of an attempt or of a live connection.

use core::fmt;
use core::time::Duration;

use retrylab_core::{Failure, FailureKind, Fault};

/// The cause of a failure, of an attempt or of a live connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An HTTP error status.
    Status(u16),
    /// Any other cause.
    Fault(Fault),
}

impl Cause {
    /// The failure kind for the source's retry state.
    ///
    /// ```
    /// use retrylab_core::{FailureKind, Fault};
    /// use retrylab_source::Cause;
    ///
    /// assert_eq!(Cause::Status(401).kind(), FailureKind::Unexpected);
    /// assert_eq!(Cause::Fault(Fault::Tls).kind(), FailureKind::Normal);
    /// ```
    #[inline]
    #[must_use]
    pub fn kind(self) -> FailureKind {
        match self {
            Self::Status(status) => FailureKind::for_source_status(i64::from(status)),
            Self::Fault(fault) => FailureKind::for_source_fault(fault),
        }
    }

    /// The failure that the source's policy records of it, with the wait that the server asked for.
    #[inline]
    #[must_use]
    pub fn failure(self, retry_after: Option<Duration>) -> Failure {
        Failure { kind: self.kind(), retry_after, fault: self.fault() }
    }

    /// The fault, if the cause is one.
    #[inline]
    #[must_use]
    pub const fn fault(self) -> Option<Fault> {
        match self {
            Self::Status(_) => None,
            Self::Fault(fault) => Some(fault),
        }
    }
}

/// The form in traces: the number of the status, or the name of the fault.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{status}"),
            Self::Fault(fault) => write!(f, "{fault}"),
        }
    }
}
