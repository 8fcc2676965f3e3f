//! A source whose waits take no time, and which tells everything it does in its order.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver_std::source::Source;
use retrylab_driver_std::{Cancel, LONGEST_WAIT, Sleeper};
use retrylab_source::{
    Cause, Connection, Level, LogRecord, MemoryStore, Observer, PollingConfig, Recorded, SourceError, State,
    StreamingConfig,
};

/// What a source does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    Log(Level, String),
    Failure(Cause, Duration),
    Success,
    Status(State, Option<SourceError>),
    Environment(String),
    Ready,
    Waits(Duration),
}

pub(crate) struct Stage {
    pub(crate) store: Arc<MemoryStore>,
    told: Receiver<Told>,
    tell: Arc<Teller>,
}

pub(crate) struct Teller {
    tell: Mutex<Sender<Told>>,
    now: AtomicU64,
    /// How many waits end at once; the next lasts until it is cancelled.
    waits: AtomicUsize,
}

impl Stage {
    /// So many waits end at once; the next one lasts until the source is stopped.
    pub(crate) fn with_waits(waits: usize) -> Self {
        let (tell, told) = channel();
        let tell = Teller { tell: Mutex::new(tell), now: AtomicU64::new(0), waits: AtomicUsize::new(waits) };
        Self { store: Arc::default(), told, tell: Arc::new(tell) }
    }

    /// A source that is told of its first failure, and then waits.
    pub(crate) fn new() -> Self {
        Self::with_waits(0)
    }

    pub(crate) fn streaming(&self, config: StreamingConfig) -> Source {
        self.set(Source::streaming(config))
    }

    pub(crate) fn polling(&self, config: PollingConfig) -> Source {
        self.set(Source::polling(config))
    }

    /// A stream from there.
    pub(crate) fn stream_from(&self, uri: String) -> Source {
        self.streaming(StreamingConfig::new(connection(uri)))
    }

    /// Polls there.
    pub(crate) fn poll_from(&self, uri: String) -> Source {
        self.polling(PollingConfig::new(connection(uri)))
    }

    fn set(&self, source: Source) -> Source {
        let listener = Arc::clone(&self.tell);
        let clock = Arc::clone(&self.tell);
        source
            .store(self.store.clone())
            .observer(self.tell.clone())
            .listen(move |status| listener.say(Told::Status(status.state, status.error)))
            .clock(move || clock.now())
            .sleeper(Steps(Arc::clone(&self.tell)))
            .entropy(|| 0)
    }

    pub(crate) fn teller(&self) -> Arc<Teller> {
        Arc::clone(&self.tell)
    }

    /// Blocks until the source does something.
    pub(crate) fn next(&self) -> Told {
        self.told.recv().expect("works")
    }

    /// Everything up to the first that is such, which is the last of them.
    pub(crate) fn until(&self, such: impl Fn(&Told) -> bool) -> Vec<Told> {
        let mut told = Vec::new();
        loop {
            told.push(self.next());
            if told.last().is_some_and(&such) {
                return told;
            }
        }
    }

    /// Everything up to a wait, the wait included.
    pub(crate) fn until_wait(&self) -> Vec<Told> {
        self.until(|told| matches!(told, Told::Waits(_)))
    }

    /// What was told since and is not a wait to come.
    pub(crate) fn rest(&self) -> Vec<Told> {
        self.told.try_iter().collect()
    }

    /// The next failure, and the line that tells of it.
    pub(crate) fn failure(&self) -> (Cause, String) {
        let told = self.until(|told| matches!(told, Told::Failure(..)));
        let Some(Told::Failure(cause, _)) = told.last() else { unreachable!() };
        match self.next() {
            Told::Log(_, line) => (*cause, line),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) fn connection(uri: String) -> Connection {
    Connection { read_timeout: Duration::from_secs(3600), ..Connection::to(uri) }
}

impl Teller {
    fn say(&self, told: Told) {
        // A test that has heard enough no longer listens.
        let _ = self.tell.lock().expect("no panic").send(told);
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.load(Ordering::SeqCst))
    }
}

/// Advances the clock in place of waiting.
pub(crate) struct Steps(pub(crate) Arc<Teller>);

impl Sleeper for Steps {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        self.0.say(Told::Waits(delay));
        let left = self.0.waits.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |waits| waits.checked_sub(1));
        if left.is_ok() {
            self.0.now.fetch_add(u64::try_from(delay.as_nanos()).expect("works"), Ordering::SeqCst);
        } else {
            assert!(cancel.wait(LONGEST_WAIT));
        }
    }
}

impl Observer for Teller {
    fn log(&self, record: &LogRecord) {
        self.say(Told::Log(record.level, record.to_string()));
    }

    fn recorded(&self, outcome: Recorded<Infallible>, _: Instant) {
        self.say(match outcome {
            Recorded::Success => Told::Success,
            Recorded::Failure { cause, decision: Ok(delay), .. } => Told::Failure(cause, delay),
        });
    }

    fn ready(&self) {
        self.say(Told::Ready);
    }

    fn environment(&self, environment: &str) {
        self.say(Told::Environment(environment.to_owned()));
    }
}
