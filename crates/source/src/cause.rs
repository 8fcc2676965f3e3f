//! What an attempt or a live connection failed of.

use core::fmt;

use retrylab_core::{FailureKind, Fault};

/// What an attempt or a live connection failed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The server answered with this status.
    Status(u16),
    /// Anything else.
    Fault(Fault),
}

impl Cause {
    /// How the source's retry state is told of it.
    ///
    /// ```
    /// use retrylab_core::{FailureKind, Fault};
    /// use retrylab_source::Cause;
    ///
    /// assert_eq!(Cause::Status(401).kind(), FailureKind::Unexpected);
    /// assert_eq!(Cause::Fault(Fault::Tls).kind(), FailureKind::Normal);
    /// ```
    #[must_use]
    pub fn kind(self) -> FailureKind {
        match self {
            Self::Status(status) => FailureKind::from_status(i64::from(status)),
            Self::Fault(fault) => fault.into(),
        }
    }

    /// The fault, if it is one.
    #[must_use]
    pub const fn fault(self) -> Option<Fault> {
        match self {
            Self::Status(_) => None,
            Self::Fault(fault) => Some(fault),
        }
    }
}

/// As traces show it: the number of the status, or the name of the fault.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{status}"),
            Self::Fault(fault) => write!(f, "{fault}"),
        }
    }
}
