//! The start of a source on a thread.

use std::sync::Arc;

use super::background::Background;
use super::handle::Handle;
use super::runtime::Threads;
use crate::blocking::{Sleeper, blocking};
use crate::source::start;

/// A data source over HTTP. It can be started any number of times: each start is a separate source, with its own
/// thread, connection, status and retry state.
///
/// ```no_run
/// use std::sync::Arc;
/// use retrylab_driver::source::blocking::Source;
/// use retrylab_source::{Connection, MemoryStore, Secret, StartWait, StreamingConfig};
///
/// let store = Arc::new(MemoryStore::default());
/// let credential = Some(Secret::new("my-sdk-key"));
/// let config = StreamingConfig::new(Connection { credential, ..Connection::to("https://example.org") });
/// let handle = Source::streaming(config)
///     .store(store.clone())
///     .listen(|status| println!("{}", status.state))
///     .start();
/// if handle.start_wait(StartWait::default()) {
///     println!("{}", handle.status().state);
/// }
/// handle.stop();
/// handle.join();
/// ```
pub type Source = start::Source<Threads>;

impl Source {
    /// Sets the sleeper between attempts.
    pub fn sleeper(mut self, sleeper: impl Sleeper + Send + Sync + 'static) -> Self {
        self.world.sleeper = Arc::new(sleeper);
        self
    }

    /// Starts it on a thread of its own. If the system cannot create a thread, the source is off at once, and the log
    /// has an error.
    #[must_use = "dropping the handle stops the source"]
    pub fn start(&self) -> Handle {
        let (running, work) = (self.running(), Background::named("retrylab-source".to_owned()));
        let on_thread = Arc::clone(&running);
        if !work.spawn(move || blocking(on_thread.run())) {
            running.stop();
        }
        Handle { running, work }
    }
}
