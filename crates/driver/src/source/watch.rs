//! The state of a running source.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_source::{Level, LogMessage, LogRecord, Observer, Recorded, StartWait, StatusSink, StreamInit, guarded};
use tracing::field::display;

use crate::LONGEST_WAIT;

/// Stands between a source and its user's observer: keeps the state, writes the log lines through `tracing` with the
/// target `retrylab`, at their levels and with their texts, with a stack trace as the field `backtrace` where a line
/// has one and `RUST_BACKTRACE` is set, and passes everything on.
pub struct Watch {
    initialized: AtomicBool,
    environment: Mutex<Option<String>>,
    observer: Arc<dyn Observer>,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Watch {
    /// A watch without data. `wake` is called when there is some.
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

    /// Prepares a wait for data: warns if it is long. Returns the wait; `None`: no wait.
    #[must_use]
    pub fn start_wait_begins(&self, wait: StartWait) -> Option<Duration> {
        if wait.is_long() {
            self.say(LogMessage::LongStartWait(wait.as_seconds()));
        }
        wait.duration().map(|wait| wait.min(LONGEST_WAIT))
    }

    /// Ends a wait. Returns whether there is data, and warns if there is none although the source, whose sink this is,
    /// still tries.
    #[must_use]
    pub fn start_wait_ended(&self, sink: &StatusSink) -> bool {
        let initialized = self.is_initialized();
        if !initialized && !sink.is_off() {
            self.say(LogMessage::StartWaitOver);
        }
        initialized
    }

    /// Logs a line of the driver itself.
    pub fn say(&self, message: LogMessage) {
        self.write(&LogRecord::new(message));
    }

    /// Logs a line, whatever the observer does.
    pub fn write(&self, record: &LogRecord) {
        // A panic of an observer has no receiver.
        let _ = guarded(|| self.log(record));
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
    // Only with `RUST_BACKTRACE`: a stack trace costs more than the rest of a line.
    let backtrace = record.message.wants_trace().then(Backtrace::capture);
    let backtrace = backtrace.filter(|trace| trace.status() == BacktraceStatus::Captured).map(display);
    match record.level {
        Level::Debug => tracing::debug!(target: "retrylab", "{record}"),
        Level::Info => tracing::info!(target: "retrylab", "{record}"),
        Level::Warning => tracing::warn!(target: "retrylab", "{record}"),
        Level::Error => tracing::error!(target: "retrylab", backtrace, "{record}"),
    }
}
