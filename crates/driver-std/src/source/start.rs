//! A source as its user puts it together, and its start.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::SystemTime;

use retrylab_source::{
    Decode, Observer, PollShell, PollingConfig, Status, Store, StreamShell, StreamingConfig, Surroundings,
};

use super::client::Client;
use super::handle::Handle;
use super::running::{Machine, Running};
use super::settings::Settings;
use super::world::World;
use crate::{Cancel, Clock, Entropy, Sleeper};

/// A data source over HTTP. It can be started as often as one likes: each start is a source of its own, with a thread, a
/// connection, a status and a retry state of its own.
///
/// ```no_run
/// use std::sync::Arc;
/// use retrylab_driver_std::source::Source;
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
    /// A source that keeps a stream open, with a store in memory, on the real clock.
    pub fn streaming(config: StreamingConfig) -> Self {
        Self::new(Config::Streaming(config))
    }

    /// A source that asks at an interval, with a store in memory, on the real clock.
    pub fn polling(config: PollingConfig) -> Self {
        Self::new(Config::Polling(config))
    }

    fn new(config: Config) -> Self {
        Self { config, settings: Settings::default(), world: World::default() }
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
        self.world.sleeper = Arc::new(sleeper);
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

    /// Starts it on a thread of its own. If the system has no thread to give, the source is off at once, and an error in
    /// the log says why.
    #[must_use = "dropping the handle stops the source"]
    pub fn start(&self) -> Handle {
        let settled = Cancel::new();
        let wake = settled.clone();
        let (wiring, watch) = self.settings.wire(self.world.now(), move || wake.cancel());
        let (machine, connection) = match &self.config {
            Config::Streaming(config) => {
                (Machine::Streaming(StreamShell::new(config.source(), wiring)), &config.connection)
            }
            Config::Polling(config) => (Machine::Polling(PollShell::new(config.source(), wiring)), &config.connection),
        };
        let running = Arc::new(Running {
            machine,
            watch,
            client: Client::new(connection, self.settings.wall_clock.clone()),
            world: self.world.clone(),
            stopped: Cancel::new(),
            settled,
            size_limit: NonZeroUsize::new(connection.size_limit).unwrap_or(NonZeroUsize::MIN),
        });
        Handle::start(running)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { config, settings, .. } = self;
        f.debug_struct("Source").field("config", config).field("settings", settings).finish_non_exhaustive()
    }
}
