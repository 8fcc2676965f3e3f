//! A started source in a task.

use retrylab_source::StartWait;

use super::runtime::Tasks;
use crate::source::handle;

/// A started source. Dropping it stops the source without waiting for its task; [`closed`](Self::closed) waits.
pub type Handle = handle::Handle<Tasks>;

impl Handle {
    /// Waits for the first data, on the runtime's clock whatever the source's is. Returns whether there is any. The
    /// source continues without. The wait ends early if the source is stopped.
    pub async fn start_wait(&self, wait: StartWait) -> bool {
        let Some(wait) = self.running.watch.start_wait_begins(wait) else { return self.is_initialized() };
        // However the wait ends, the presence of data counts.
        let _ = tokio::time::timeout(wait, self.running.settled.cancelled()).await;
        self.running.watch.start_wait_ended(self.sink())
    }

    /// Waits until the source's task and its connection are gone, which needs a stop. The lookup of a host name is not
    /// part of the task: it occupies a thread of the runtime as long as the system needs.
    pub async fn closed(&self) {
        self.work.wait().await;
    }
}
