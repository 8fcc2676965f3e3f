//! A started source on a thread.

use retrylab_source::StartWait;

use super::runtime::Threads;
use crate::source::handle;

/// A started source. Dropping it stops the source without waiting for its thread; [`join`](Self::join) waits.
pub type Handle = handle::Handle<Threads>;

impl Handle {
    /// Waits for the first data, in real time whatever the source's clock is. Returns whether there is any. The source
    /// continues without. The wait ends early if the source is stopped.
    pub fn start_wait(&self, wait: StartWait) -> bool {
        let Some(wait) = self.running.watch.start_wait_begins(wait) else { return self.is_initialized() };
        self.running.settled.wait(wait);
        self.running.watch.start_wait_ended(self.sink())
    }

    /// Waits until the source's thread and its connection have ended, which needs a stop. The lookup of a host name
    /// cannot be interrupted: it takes as long as the system needs. On the source's own thread, such as in a listener,
    /// it does not wait.
    pub fn join(&self) {
        self.work.join();
    }
}
