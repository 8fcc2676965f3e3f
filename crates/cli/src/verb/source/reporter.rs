//! Turns the events of a source into lines.

use std::convert::Infallible;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver::{Clock, Monotonic};
use retrylab_source::{
    DataSet, Item, Kind, Level, LogMessage, LogRecord, MemoryStore, Observer, Recorded, Status, Store, StoreError,
};

use super::line::{Data, Line, Reason};
use super::live::Event;

/// The store, the observer and the listener of one source. The source's thread calls it, except at the end.
pub(super) struct Reporter {
    store: MemoryStore,
    /// The wait after a poll with data.
    cadence: Option<Duration>,
    state: Mutex<State>,
}

struct State {
    lines: Sender<Event>,
    status: Status,
    /// A failure whose log line is due.
    failure: Option<(Reason, Duration)>,
    /// The line of a failure, held until the status after it is known.
    held: Option<Line>,
    data: Option<Data>,
    /// The data of the last line with data.
    shown: Option<Data>,
}

impl Reporter {
    /// A reporter of a source that begins at `now`; `lines` receives the lines.
    pub(super) fn new(lines: Sender<Event>, cadence: Option<Duration>, now: Instant) -> Self {
        let state = State { lines, status: Status::new(now), failure: None, held: None, data: None, shown: None };
        Self { store: MemoryStore::new(), cadence, state: Mutex::new(state) }
    }

    /// The listener for changes of the status.
    pub(super) fn status(&self, status: &Status) {
        let mut state = self.lock();
        let before = std::mem::replace(&mut state.status, *status);
        if let Some(line) = state.held.take() {
            state.send(Line { status: *status, ..line });
        } else if before.state == status.state {
            let error = status.error.map(|error| error.to_string()).unwrap_or_default();
            state.say(Level::Warning, format!("The status has an error: {error}"));
        } else {
            state.say(Level::Info, format!("The status is no longer {}", before.state));
        }
    }

    fn stored(&self) {
        let count = |kind| self.store.all(kind).len();
        let data = Data { flags: count(Kind::Flag), segments: count(Kind::Segment), version: self.store.version() };
        self.lock().data = Some(data);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere costs at most a line.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Reporter {
    fn recorded(&self, outcome: Recorded<Infallible>, _: Instant) {
        self.lock().failure = match outcome {
            Recorded::Failure { cause, kind, decision: Ok(wait) } => Some((Reason { cause, kind }, wait)),
            Recorded::Success => None,
        };
    }

    fn log(&self, record: &LogRecord) {
        let mut state = self.lock();
        state.release();
        let line = state.line(record.level, record.to_string());
        // A stop may come between a failure and its line, which then never follows.
        let states_wait = record.message != record.message.outline();
        match state.failure.take().filter(|_| states_wait) {
            Some((reason, wait)) => state.held = Some(Line { reason: Some(reason), wait: Some(wait), ..line }),
            None if record.message == LogMessage::Handled => {
                let data_changed = state.shown != state.data;
                state.shown = state.data;
                // The detail has the counts of this line, without the version.
                let message = record.message.to_string();
                state.send(Line { message, wait: self.cadence, data_changed, ..line });
            }
            None => state.send(line),
        }
    }

    fn environment(&self, environment: &str) {
        self.lock().say(Level::Info, format!("The server's environment is {environment}"));
    }
}

impl State {
    fn say(&mut self, level: Level, message: String) {
        self.release();
        let line = self.line(level, message);
        self.send(line);
    }

    fn line(&self, level: Level, message: String) -> Line {
        let (at, status, data) = (Monotonic.now(), self.status, self.data);
        Line { at, status, level, message, wait: None, reason: None, data, data_changed: false }
    }

    /// A stopped source reports no further status.
    fn release(&mut self) {
        if let Some(line) = self.held.take() {
            self.send(line);
        }
    }

    fn send(&self, line: Line) {
        // After the end there is no listener.
        let _ = self.lines.send(Event::Line(line));
    }
}

impl Store for Reporter {
    fn init(&self, data: DataSet) -> Result<(), StoreError> {
        self.store.init(data)?;
        self.stored();
        Ok(())
    }

    fn upsert(&self, kind: Kind, key: &str, item: Item) -> Result<bool, StoreError> {
        let kept = self.store.upsert(kind, key, item)?;
        self.stored();
        Ok(kept)
    }

    fn is_initialized(&self) -> bool {
        self.store.is_initialized()
    }
}
