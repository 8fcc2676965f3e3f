//! A source that was started.

use std::fmt;
use std::sync::Arc;

use retrylab_source::{StartWait, Status, StatusSink};
use tokio_util::task::TaskTracker;

use super::running::Running;

/// A source that was started. Dropping it stops the source, and does not wait for its task; [`closed`](Self::closed) does.
pub struct Handle {
    running: Arc<Running>,
    tasks: TaskTracker,
}

impl Handle {
    pub(super) const fn new(running: Arc<Running>, tasks: TaskTracker) -> Self {
        Self { running, tasks }
    }

    /// How it is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.sink().status()
    }

    /// Where it says how it is doing, to listen to.
    #[must_use]
    pub fn sink(&self) -> &StatusSink {
        &self.running.wiring().sink
    }

    /// Whether there was data since it was started.
    #[must_use]
    pub fn is_initialized(&self) -> bool {
        self.running.watch.is_initialized()
    }

    /// The environment that the server said last this is.
    #[must_use]
    pub fn environment(&self) -> Option<String> {
        self.running.watch.environment()
    }

    /// Waits for the first data, on the runtime's clock whatever the source's is. Returns whether there is some. The source goes
    /// on if there is none. It ends early if the source is stopped.
    pub async fn start_wait(&self, wait: StartWait) -> bool {
        let Some(wait) = self.running.watch.start_wait_begins(wait) else { return self.is_initialized() };
        // However it ends, what counts is whether there is data.
        let _ = tokio::time::timeout(wait, self.running.settled.cancelled()).await;
        self.running.watch.start_wait_ended(self.sink())
    }

    /// Stops the source: its status is off, and whatever its task awaits is dropped, be it a wait, a connect or a read. Returns
    /// at once. Any thread may call it, at any time, a listener too; again, it does nothing.
    pub fn stop(&self) {
        self.running.stop();
    }

    /// Waits until the source's task is gone, and its connection with it. Somebody has to stop the source. The lookup of a
    /// host's name is no part of the task: the runtime's thread that does it is busy as long as the system lets it.
    pub async fn closed(&self) {
        self.tasks.wait().await;
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("status", &self.status()).finish_non_exhaustive()
    }
}
