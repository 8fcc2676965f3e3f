//! A source of either driver, and everything that it does, in one order.

use std::convert::Infallible;
use std::future::{pending, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retrylab_core::Instant;
use retrylab_driver::blocking::{Cancel, Sleeper};
use retrylab_driver::source::{blocking, tokio as tasks};
use retrylab_driver::tokio::AsyncSleeper;
use retrylab_driver::{Clock, Entropy, LONGEST_WAIT};
use retrylab_source::{
    Connection, Decode, LogRecord, MemoryStore, Observer, PollingConfig, Recorded, StartWait, Status, Store,
    StreamingConfig,
};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::server::{Script, Server};

/// What a source runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Thread,
    Task,
}

pub(crate) const BOTH: [On; 2] = [On::Thread, On::Task];

/// The runtime of the tasks, for tests that have none of their own.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime"));

#[derive(Clone, Debug)]
pub(crate) enum Config {
    Streaming(StreamingConfig),
    Polling(PollingConfig),
}

pub(crate) enum Source {
    Thread(blocking::Source),
    Task(tasks::Source),
}

#[derive(Debug)]
pub(crate) enum Handle {
    Thread(blocking::Handle),
    Task(tasks::Handle),
}

/// The same of either driver.
macro_rules! either {
    ($value:expr, $it:ident => $do:expr) => {
        match $value {
            Self::Thread($it) => $do,
            Self::Task($it) => $do,
        }
    };
}

/// A source of the same driver.
macro_rules! set {
    ($source:expr, $it:ident => $set:expr) => {
        match $source {
            Self::Thread($it) => Self::Thread($set),
            Self::Task($it) => Self::Task($set),
        }
    };
}

impl Config {
    pub(crate) fn connection(&mut self) -> &mut Connection {
        match self {
            Self::Streaming(config) => &mut config.connection,
            Self::Polling(config) => &mut config.connection,
        }
    }

    pub(crate) fn source(self, on: On) -> Source {
        match (on, self) {
            (On::Thread, Self::Streaming(config)) => Source::Thread(blocking::Source::streaming(config)),
            (On::Thread, Self::Polling(config)) => Source::Thread(blocking::Source::polling(config)),
            (On::Task, Self::Streaming(config)) => Source::Task(tasks::Source::streaming(config)),
            (On::Task, Self::Polling(config)) => Source::Task(tasks::Source::polling(config)),
        }
    }
}

/// The configuration with this change of its connection.
pub(crate) fn with(mut config: Config, change: impl FnOnce(&mut Connection)) -> Config {
    change(config.connection());
    config
}

pub(crate) fn streaming(uri: impl Into<String>) -> Config {
    Config::Streaming(StreamingConfig::new(Connection::to(uri)))
}

pub(crate) fn polling(uri: impl Into<String>) -> Config {
    Config::Polling(PollingConfig::new(Connection::to(uri)))
}

impl Source {
    pub(crate) fn store(self, store: Arc<dyn Store>) -> Self {
        set!(self, it => it.store(store))
    }

    pub(crate) fn decoder(self, decoder: Arc<dyn Decode>) -> Self {
        set!(self, it => it.decoder(decoder))
    }

    pub(crate) fn observer(self, observer: Arc<dyn Observer>) -> Self {
        set!(self, it => it.observer(observer))
    }

    pub(crate) fn listen(self, listener: impl Fn(&Status) + Send + Sync + 'static) -> Self {
        set!(self, it => it.listen(listener))
    }

    pub(crate) fn clock(self, clock: impl Clock + Send + Sync + 'static) -> Self {
        set!(self, it => it.clock(clock))
    }

    pub(crate) fn entropy(self, entropy: impl Entropy + Send + Sync + 'static) -> Self {
        set!(self, it => it.entropy(entropy))
    }

    pub(crate) fn wall_clock(self, date: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        set!(self, it => it.wall_clock(date))
    }

    /// Waits as the journal says, which has these waits.
    pub(crate) fn waits(self, waits: Waits) -> Self {
        set!(self, it => it.sleeper(waits))
    }

    pub(crate) fn start(&self) -> Handle {
        match self {
            Self::Thread(source) => Handle::Thread(source.start()),
            Self::Task(source) => {
                let _inside = RUNTIME.enter();
                Handle::Task(source.start())
            }
        }
    }

    pub(crate) fn debug(&self) -> String {
        either!(self, it => format!("{it:?}"))
    }
}

impl Handle {
    pub(crate) fn stop(&self) {
        either!(self, it => it.stop());
    }

    /// Waits until its thread or task is gone.
    pub(crate) fn close(&self) {
        match self {
            Self::Thread(handle) => handle.join(),
            Self::Task(handle) => RUNTIME.block_on(handle.closed()),
        }
    }

    /// Stops it, and waits until nothing of it is left. It would wait for an hour or for ever if the stop cut nothing.
    pub(crate) fn end(self) {
        self.stop();
        assert!(self.is_off());
        self.close();
    }

    pub(crate) fn start_wait(&self, seconds: f64) -> bool {
        let wait = StartWait::seconds(seconds);
        match self {
            Self::Thread(handle) => handle.start_wait(wait),
            Self::Task(handle) => RUNTIME.block_on(handle.start_wait(wait)),
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        either!(self, it => it.sink().is_off())
    }

    pub(crate) fn status(&self) -> Status {
        either!(self, it => it.status())
    }

    pub(crate) fn is_initialized(&self) -> bool {
        either!(self, it => it.is_initialized())
    }

    pub(crate) fn environment(&self) -> Option<String> {
        either!(self, it => it.environment())
    }

    pub(crate) fn debug(&self) -> String {
        either!(self, it => format!("{it:?} {:?}", it.sink()))
    }
}

/// What a source did, entry by entry.
pub(crate) struct Journal {
    pub(crate) store: Arc<MemoryStore>,
    entries: UnboundedReceiver<String>,
    scribe: Scribe,
}

/// Writes the journal.
#[derive(Clone)]
pub(crate) struct Scribe(pub(crate) UnboundedSender<String>);

/// Writes waits down; so many end at once, and the next lasts until it is cancelled.
pub(crate) struct Waits {
    left: AtomicUsize,
    scribe: Scribe,
}

impl Scribe {
    pub(crate) fn note(&self, entry: String) {
        let _ = self.0.send(entry);
    }
}

impl Observer for Scribe {
    fn log(&self, record: &LogRecord) {
        self.note(format!("{} {}", record.level, record.message));
        if let Some(detail) = &record.detail {
            self.note(format!("detail {detail}"));
        }
    }

    fn recorded(&self, outcome: Recorded<Infallible>, _: Instant) {
        self.note(match outcome {
            Recorded::Success => "success".to_owned(),
            Recorded::Failure { cause, kind, decision } => format!("failure {cause} {kind} {:?}", decision.unwrap()),
        });
    }

    fn ready(&self) {
        self.note("ready".to_owned());
    }

    fn environment(&self, environment: &str) {
        self.note(format!("environment {environment}"));
    }
}

impl Waits {
    /// Whether this wait ends at once.
    fn note(&self, delay: Duration) -> bool {
        self.scribe.note(format!("wait {delay:?}"));
        self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }
}

impl Sleeper for Waits {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        if !self.note(delay) {
            assert!(cancel.wait(LONGEST_WAIT));
        }
    }
}

impl AsyncSleeper for Waits {
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send {
        let ends = self.note(delay);
        async move { if ends { ready(()).await } else { pending().await } }
    }
}

impl Journal {
    pub(crate) fn new() -> Self {
        let (tell, entries) = unbounded_channel();
        Self { store: Arc::default(), entries, scribe: Scribe(tell) }
    }

    pub(crate) fn scribe(&self) -> Scribe {
        self.scribe.clone()
    }

    pub(crate) fn waits(&self, left: usize) -> Waits {
        Waits { left: AtomicUsize::new(left), scribe: self.scribe() }
    }

    /// A source in the journal, whose clocks stand still, that draws no jitter, and of whose waits so many end.
    pub(crate) fn keep(&self, on: On, config: Config, waits: usize) -> Source {
        let listener = self.scribe();
        config
            .source(on)
            .store(self.store.clone())
            .observer(Arc::new(self.scribe()))
            .listen(move |status| listener.note(describe(status)))
            .clock(|| Instant::ZERO)
            .entropy(|| 0)
            // Sun, 06 Nov 1994 08:49:10 GMT.
            .wall_clock(|| UNIX_EPOCH + Duration::from_secs(784_111_750))
            .waits(self.waits(waits))
    }

    /// A source of tokio's, for a test with a runtime of its own.
    pub(crate) fn task(&self, config: Config, waits: usize) -> tasks::Source {
        match self.keep(On::Task, config, waits) {
            Source::Task(source) => source,
            Source::Thread(_) => unreachable!("a task was asked for"),
        }
    }

    /// Everything up to the first entry that begins so, which is the last one.
    pub(crate) fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut entries = Vec::new();
        while !entries.last().is_some_and(|entry: &String| entry.starts_with(beginning)) {
            entries.push(self.entries.blocking_recv().expect("the journal itself can write"));
        }
        entries
    }

    /// The same in a runtime.
    pub(crate) async fn awaited(&mut self, beginning: &str) -> Vec<String> {
        let mut entries = Vec::new();
        while !entries.last().is_some_and(|entry: &String| entry.starts_with(beginning)) {
            entries.push(self.entries.recv().await.expect("the journal itself can write"));
        }
        entries
    }

    /// What there is by now.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.entries.try_recv().ok()).collect()
    }
}

pub(crate) fn describe(status: &Status) -> String {
    match status.error {
        Some(error) => format!("status {} {error}", status.state),
        None => format!("status {}", status.state),
    }
}

/// Without what only this machine and this run say.
pub(crate) fn without_details(entries: Vec<String>) -> Vec<String> {
    entries.into_iter().filter(|entry| !entry.starts_with("detail ")).collect()
}

/// The entries of a source from its start line to its first wait, without details.
pub(crate) fn met(on: On, config: Config) -> Vec<String> {
    let mut journal = Journal::new();
    let handle = journal.keep(on, config, 0).start();
    let entries = without_details(journal.until("wait "));
    handle.end();
    entries[1..].to_vec()
}

/// The same where one connection is played, on both drivers, which do the same.
pub(crate) fn played(config: impl Fn(String) -> Config, script: &Script) -> Vec<String> {
    let [thread, task] = BOTH.map(|on| {
        let server = Server::play([script.clone()]);
        let entries = met(on, config(server.uri()));
        assert_eq!(server.requests().len(), 1, "nothing is asked twice");
        entries
    });
    assert_eq!(thread, task);
    thread
}
