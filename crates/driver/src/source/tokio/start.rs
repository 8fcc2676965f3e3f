//! The start of a source as a task.

use std::sync::Arc;

use tokio_util::task::TaskTracker;

use super::handle::Handle;
use super::runtime::{self, Tasks, boxed};
use crate::source::start;
use crate::tokio::AsyncSleeper;

/// A data source over HTTP. It can be started any number of times: each start is a separate source, with its own task,
/// connection, status and retry state.
///
/// ```no_run
/// use retrylab_driver::source::tokio::Source;
/// use retrylab_source::{Connection, PollingConfig, StartWait};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let source = Source::polling(PollingConfig::new(Connection::to("https://example.org")));
/// let handle = source.start();
/// if handle.start_wait(StartWait::default()).await {
///     println!("{}", handle.status().state);
/// }
/// handle.stop();
/// handle.closed().await;
/// # }
/// ```
pub type Source = start::Source<Tasks>;

impl Source {
    /// Sets the sleeper between attempts.
    pub fn sleeper(mut self, sleeper: impl AsyncSleeper + Send + Sync + 'static) -> Self {
        self.world.sleeper = boxed(sleeper);
        self
    }

    /// Starts it as a task of the current runtime. If the runtime shuts down, the source is off.
    ///
    /// # Panics
    ///
    /// Outside of a runtime, like `tokio::spawn`. The task needs a runtime with I/O and time.
    #[must_use = "dropping the handle stops the source"]
    pub fn start(&self) -> Handle {
        let (running, work) = (self.running(), TaskTracker::new());
        work.spawn(runtime::run(Arc::clone(&running)));
        work.close();
        Handle { running, work }
    }
}
