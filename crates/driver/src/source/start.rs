//! A configured source.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::SystemTime;

use retrylab_core::Fault;
use retrylab_source::{
    Decode, FlagData, MemoryStore, Observer, PollShell, PollingConfig, Status, StatusSink, Store, StreamShell,
    StreamingConfig, Surroundings, Wiring,
};

use super::head::Met;
use super::http::Http;
use super::running::{Machine, Running};
use super::runtime::{Runtime, Signal};
use super::watch::Watch;
use super::world::World;
use crate::{Clock, Entropy};

/// A source of the present date, for a date in `Retry-After`. Nothing else depends on it.
pub(crate) type WallClock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

type Listener = Arc<dyn Fn(&Status) + Send + Sync>;

/// A configured data source over HTTP. It may be started any number of times: each start is a separate source, with its
/// own connection, status and retry state. The store and the other parts are shared.
#[derive(Clone)]
#[must_use]
pub struct Source<R: Runtime> {
    config: Config,
    store: Arc<dyn Store>,
    decoder: Arc<dyn Decode>,
    observer: Arc<dyn Observer>,
    listeners: Vec<Listener>,
    wall_clock: WallClock,
    pub(crate) world: World<R>,
}

#[derive(Clone, Debug)]
enum Config {
    Streaming(StreamingConfig),
    Polling(PollingConfig),
}

impl<R: Runtime> Source<R> {
    /// A source that keeps a stream open, with a store in memory, on the real clock.
    pub fn streaming(config: StreamingConfig) -> Self {
        Self::new(Config::Streaming(config))
    }

    /// A source that polls at an interval, with a store in memory, on the real clock.
    pub fn polling(config: PollingConfig) -> Self {
        Self::new(Config::Polling(config))
    }

    fn new(config: Config) -> Self {
        Self {
            config,
            store: Arc::new(MemoryStore::default()),
            decoder: Arc::new(FlagData),
            observer: Arc::new(()),
            listeners: Vec::new(),
            wall_clock: Arc::new(system_date),
            world: R::world(),
        }
    }

    /// Sets the store of the data.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = store;
        self
    }

    /// Sets the decoder of the data.
    pub fn decoder(mut self, decoder: Arc<dyn Decode>) -> Self {
        self.decoder = decoder;
        self
    }

    /// Sets the observer of events, in addition to `tracing`.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Adds a listener, called for every change of the status, on any thread.
    pub fn listen(mut self, listener: impl Fn(&Status) + Send + Sync + 'static) -> Self {
        self.listeners.push(Arc::new(listener));
        self
    }

    /// Sets the clock of the policy.
    pub fn clock(mut self, clock: impl Clock + Send + Sync + 'static) -> Self {
        self.world.clock = Arc::new(clock);
        self
    }

    /// Sets the source of the draws.
    pub fn entropy(mut self, entropy: impl Entropy + Send + Sync + 'static) -> Self {
        self.world.entropy = Arc::new(entropy);
        self
    }

    /// Sets the source of the present date, for a date in `Retry-After`.
    pub fn wall_clock(mut self, date: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.wall_clock = Arc::new(date);
        self
    }

    /// A source that is about to run.
    pub(crate) fn running(&self) -> Arc<Running<R>> {
        let settled = R::Signal::default();
        let wake = settled.clone();
        let watch = Arc::new(Watch::new(Arc::clone(&self.observer), move || wake.cancel()));
        let sink = StatusSink::new(self.world.now());
        for listener in &self.listeners {
            let listener = Arc::clone(listener);
            sink.listen(move |status| listener(status));
        }
        let (store, decoder) = (Arc::clone(&self.store), Arc::clone(&self.decoder));
        let wiring = Wiring { store, decoder, sink, observer: watch.clone() };
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
        // Without an address the machine goes off before it needs a request.
        let endpoint = endpoint.map_err(|error| Met::error(Fault::Dns, &error));
        let http = endpoint.and_then(|endpoint| Http::new(connection, &endpoint, Arc::clone(&self.wall_clock)));
        Arc::new(Running {
            machine,
            watch,
            http,
            world: self.world.clone(),
            stopped: R::Signal::default(),
            settled,
            size_limit: NonZeroUsize::new(connection.size_limit).unwrap_or(NonZeroUsize::MIN),
        })
    }
}

impl<R: Runtime> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("config", &self.config).finish_non_exhaustive()
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where the date is read")]
fn system_date() -> SystemTime {
    SystemTime::now()
}
