//! What is known of a source while it runs.

use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use retrylab_core::Instant;
use retrylab_source::{Level, LogMessage, LogRecord, Observer, Recorded, StartWait, StreamInit, guarded};

/// Stands between a source and its user's observer: keeps what may be asked later, writes the log lines through `tracing`
/// with the target `retrylab`, at their levels and in their words, and passes everything on.
pub struct Watch {
    initialized: AtomicBool,
    environment: Mutex<Option<String>>,
    observer: Arc<dyn Observer>,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Watch {
    /// Of a source that has no data yet. `wake` is called when it has some, for those who wait for that.
    pub fn new(observer: Arc<dyn Observer>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { initialized: AtomicBool::new(false), environment: Mutex::new(None), observer, wake: Box::new(wake) }
    }

    /// Whether there was data.
    #[must_use]
    pub fn is_initialized(&self) -> bool {
        self.initialized.load(Ordering::Acquire)
    }

    /// The environment that the server named last.
    #[must_use]
    pub fn environment(&self) -> Option<String> {
        self.environment.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// To be called before a wait for data: warns if it is long.
    pub fn start_wait_begins(&self, wait: StartWait) {
        if wait.is_long() {
            self.say(LogMessage::LongStartWait(wait.as_seconds()));
        }
    }

    /// To be called after it. Returns whether there is data, and warns if there is none.
    pub fn start_wait_ended(&self) -> bool {
        let initialized = self.is_initialized();
        if !initialized {
            self.say(LogMessage::StartWaitOver);
        }
        initialized
    }

    /// Logs a line of the driver's own.
    pub fn say(&self, message: LogMessage) {
        // On a thread of the user's an observer's panic is no more welcome than on the source's.
        let _ = guarded(|| self.log(&LogRecord::new(message)));
    }
}

impl Observer for Watch {
    fn log(&self, record: &LogRecord) {
        trace(record);
        self.observer.log(record);
    }

    fn recorded(&self, outcome: Recorded<Infallible>, now: Instant) {
        self.observer.recorded(outcome, now);
    }

    fn ready(&self) {
        self.initialized.store(true, Ordering::Release);
        (self.wake)();
        self.observer.ready();
    }

    fn environment(&self, environment: &str) {
        *self.environment.lock().unwrap_or_else(PoisonError::into_inner) = Some(environment.to_owned());
        self.observer.environment(environment);
    }

    fn stream_init(&self, init: StreamInit) {
        self.observer.stream_init(init);
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("initialized", &self.is_initialized()).finish_non_exhaustive()
    }
}

fn trace(record: &LogRecord) {
    match record.level {
        Level::Debug => tracing::debug!(target: "retrylab", "{record}"),
        Level::Info => tracing::info!(target: "retrylab", "{record}"),
        Level::Warning => tracing::warn!(target: "retrylab", "{record}"),
        Level::Error => tracing::error!(target: "retrylab", "{record}"),
    }
}
