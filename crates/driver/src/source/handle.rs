//! A started source.

use std::fmt;
use std::sync::Arc;

use retrylab_source::{Status, StatusSink};

use super::running::Running;
use super::runtime::Runtime;

/// A started source. Dropping it stops the source without waiting for its end.
pub struct Handle<R: Runtime> {
    pub(crate) running: Arc<Running<R>>,
    pub(crate) work: R::Work,
}

impl<R: Runtime> Handle<R> {
    /// The status of the source.
    #[must_use]
    pub fn status(&self) -> Status {
        self.sink().status()
    }

    /// The status sink, for listeners.
    #[must_use]
    pub fn sink(&self) -> &StatusSink {
        &self.running.wiring().sink
    }

    /// Whether there was data since the start.
    #[must_use]
    pub fn is_initialized(&self) -> bool {
        self.running.watch.is_initialized()
    }

    /// The environment that the server named last.
    #[must_use]
    pub fn environment(&self) -> Option<String> {
        self.running.watch.environment()
    }

    /// Stops the source: its status is off, and any wait, connect or read is cut. It returns at once. Any thread may
    /// call it at any time, also a listener; a second call does nothing. Log lines that the source is about to write
    /// may still follow; a change of the status never does.
    pub fn stop(&self) {
        self.running.stop();
    }
}

impl<R: Runtime> Drop for Handle<R> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<R: Runtime> fmt::Debug for Handle<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("status", &self.status()).finish_non_exhaustive()
    }
}
