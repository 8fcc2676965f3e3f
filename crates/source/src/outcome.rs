//! What the machines have in common: what their retry state was told, and what they report.

use core::time::Duration;

use retrylab_core::{FailureKind, Instant};

use crate::cause::Cause;
use crate::status::{SourceError, State};

/// What the retry state was told, and what it decided. `G` is why its policy gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded<G> {
    /// A success.
    Success,
    /// A failure, with its one draw.
    Failure {
        /// What it failed of.
        cause: Cause,
        /// How it was classified.
        kind: FailureKind,
        /// The wait, or why there is none.
        decision: Result<Duration, G>,
    },
}

/// What a source reports to its status, which decides whether listeners hear of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The state, as the source has it: one that was never valid says that it is interrupted all the same.
    pub state: State,
    /// What went wrong, if something did.
    pub error: Option<SourceError>,
}

/// An attempt to begin a stream, for diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamInit {
    /// When it began.
    pub began: Instant,
    /// How long it took to the first data, or to its failure.
    pub took: Duration,
    /// Whether it failed.
    pub failed: bool,
}
