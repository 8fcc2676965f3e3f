//! Types that both machines use: inputs of their retry state, and reports.

use core::time::Duration;

use retrylab_core::{FailureKind, Instant};

use crate::cause::Cause;
use crate::status::{SourceError, State};

/// An input of the retry state, and its decision. `G` is the type of the policy's reason to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded<G> {
    /// A success.
    Success,
    /// A failure, with its one draw.
    Failure {
        /// The cause.
        cause: Cause,
        /// The kind.
        kind: FailureKind,
        /// The wait, or the reason to give up.
        decision: Result<Duration, G>,
    },
}

/// A report to a source's status, which decides whether to notify listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The state from the source's point of view: it reports an interruption even before it was ever valid.
    pub state: State,
    /// The error, if there is one.
    pub error: Option<SourceError>,
}

/// An attempt to open a stream, for diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamInit {
    /// When it began.
    pub began: Instant,
    /// The time from there to the first data, or to the failure.
    pub took: Duration,
    /// Whether it failed.
    pub failed: bool,
}
