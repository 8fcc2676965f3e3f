//! A source that was started.

use std::fmt;
use std::sync::Arc;

use retrylab_source::{StartWait, Status, StatusSink};

use super::background::Background;
use super::running::Running;

/// A source that was started. Dropping it stops the source, and does not wait for its thread; [`join`](Self::join) does.
pub struct Handle {
    running: Arc<Running>,
    thread: Background,
}

impl Handle {
    pub(super) fn start(running: Arc<Running>) -> Self {
        let thread = Background::default();
        let on_thread = Arc::clone(&running);
        if !thread.spawn("retrylab-source", move || on_thread.run()) {
            running.stop();
        }
        Self { running, thread }
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

    /// Waits for the first data, in real time whatever the source's clock is. Returns whether there is some. The source goes on
    /// if there is none. It ends early if the source is stopped.
    pub fn start_wait(&self, wait: StartWait) -> bool {
        let Some(wait) = self.running.watch.start_wait_begins(wait) else { return self.is_initialized() };
        self.running.settled.wait(wait);
        self.running.watch.start_wait_ended(self.sink())
    }

    /// Stops the source: its status is off, and a wait, a connect or a read of its is cut. Returns at once. Any thread may
    /// call it, at any time, a listener too; again, it does nothing. Log lines that the source is about to write on its own
    /// thread may still follow; a change of the status never does.
    pub fn stop(&self) {
        self.running.stop();
    }

    /// Waits until the source's thread has ended, and its connection with it. Somebody has to stop the source. The lookup of a
    /// host's name cannot be cut: it takes as long as the system lets it. On the source's own thread, such as in a
    /// listener, it does not wait.
    pub fn join(&self) {
        self.thread.join();
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
