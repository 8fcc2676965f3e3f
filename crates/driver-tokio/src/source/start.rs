//! A source before it is started.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::SystemTime;

use retrylab_driver_std::source::{Met, Settings};
use retrylab_driver_std::{Clock, Entropy};
use retrylab_source::{
    Decode, Observer, PollShell, PollingConfig, Status, Store, StreamShell, StreamingConfig, Surroundings,
};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handle::Handle;
use super::http::Http;
use super::running::{Machine, Running};
use super::world::{World, boxed};
use crate::time::Sleeper;

/// A data source as it is configured. It may be started any number of times; each start begins anew, but for the store and
/// whatever else was given to it.
///
/// ```no_run
/// use retrylab_driver_tokio::source::Source;
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
#[derive(Clone)]
#[must_use]
pub struct Source {
    config: Config,
    settings: Settings,
    world: World,
}

#[derive(Clone, Debug)]
enum Config {
    Streaming(StreamingConfig),
    Polling(PollingConfig),
}

impl Source {
    /// A source that keeps a stream open, with a store in memory, on tokio's clock.
    pub fn streaming(config: StreamingConfig) -> Self {
        Self::new(Config::Streaming(config))
    }

    /// A source that asks at an interval, with a store in memory, on tokio's clock.
    pub fn polling(config: PollingConfig) -> Self {
        Self::new(Config::Polling(config))
    }

    fn new(config: Config) -> Self {
        Self { config, settings: Settings::default(), world: World::real() }
    }

    /// Where the data goes.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.settings.store = store;
        self
    }

    /// What reads the data.
    pub fn decoder(mut self, decoder: Arc<dyn Decode>) -> Self {
        self.settings.decoder = decoder;
        self
    }

    /// Who is told of what happens, beside `tracing`, which always is.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.settings.observer = observer;
        self
    }

    /// Adds a listener, who is told of every change of the status, on whichever thread it comes from.
    pub fn listen(mut self, listener: impl Fn(&Status) + Send + Sync + 'static) -> Self {
        self.settings.listen(listener);
        self
    }

    /// What tells the time.
    pub fn clock(mut self, clock: impl Clock + Send + Sync + 'static) -> Self {
        self.world.clock = Arc::new(clock);
        self
    }

    /// What waits between attempts.
    pub fn sleeper(mut self, sleeper: impl Sleeper + Send + Sync + 'static) -> Self {
        self.world.sleeper = boxed(sleeper);
        self
    }

    /// What draws.
    pub fn entropy(mut self, entropy: impl Entropy + Send + Sync + 'static) -> Self {
        self.world.entropy = Arc::new(entropy);
        self
    }

    /// What tells the date, which a server's `Retry-After` may name.
    pub fn wall_clock(mut self, date: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.settings.wall_clock = Arc::new(date);
        self
    }

    /// Starts it as a task of the runtime that this is called in. If the runtime shuts down, the source is off.
    ///
    /// # Panics
    ///
    /// As `tokio::spawn` does: outside of a runtime. The task needs one with I/O and time.
    #[must_use = "dropping the handle stops the source"]
    pub fn start(&self) -> Handle {
        let settled = CancellationToken::new();
        let wake = settled.clone();
        let (wiring, watch) = self.settings.wire(self.world.now(), move || wake.cancel());
        let (machine, endpoint, connection) = match &self.config {
            Config::Streaming(config) => {
                let shell = StreamShell::new(config.source(), wiring);
                let endpoint = shell.endpoint();
                (Machine::Streaming(shell), endpoint, &config.connection)
            }
            Config::Polling(config) => {
                let shell = PollShell::new(config.source(), wiring);
                let endpoint = shell.endpoint();
                (Machine::Polling(shell), endpoint, &config.connection)
            }
        };
        // Without an address the machine goes off before it needs anybody who asks.
        let endpoint = endpoint.map_err(|error| Met::error(retrylab_core::Fault::Dns, &error));
        let http = endpoint.and_then(|endpoint| Http::new(connection, &endpoint, self.settings.wall_clock.clone()));
        let running = Arc::new(Running {
            machine,
            watch,
            http,
            world: self.world.clone(),
            stopped: CancellationToken::new(),
            settled,
            size_limit: NonZeroUsize::new(connection.size_limit).unwrap_or(NonZeroUsize::MIN),
        });
        let tasks = TaskTracker::new();
        tasks.spawn(Arc::clone(&running).run());
        tasks.close();
        Handle::new(running, tasks)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { config, settings, .. } = self;
        f.debug_struct("Source").field("config", config).field("settings", settings).finish_non_exhaustive()
    }
}
