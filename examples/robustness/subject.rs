//! The sources that are put to trial, on either driver, and what they say of themselves.

use std::convert::Infallible;
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use retrylab_core::{FailureKind, Instant};
use retrylab_driver::blocking::{Cancel, Sleeper as StdSleeper, ThreadSleeper};
use retrylab_driver::source::blocking::{Handle as StdHandle, Source as StdSource};
use retrylab_driver::source::tokio::{Handle as TokioHandle, Source as TokioSource};
use retrylab_driver::tokio::{AsyncSleeper, TokioSleeper};
use retrylab_source::{Cause, Connection, Observer, PollingConfig, Recorded, State, Status, StreamingConfig};
use tokio::runtime::Runtime;

/// The longest wait of a source here, whatever its ladder says.
const LONGEST: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    Std,
    Tokio,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Stream,
    Poll,
}

/// What a source tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Success,
    Failure(Cause, FailureKind),
    Off,
}

/// A source that runs.
pub(crate) struct Subject {
    pub(crate) told: Receiver<Told>,
    running: Running,
}

enum Running {
    Std(StdHandle),
    Tokio(TokioHandle),
}

impl Driver {
    pub(crate) const ALL: [Self; 2] = [Self::Std, Self::Tokio];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Std => "std",
            Self::Tokio => "tokio",
        }
    }
}

impl Form {
    pub(crate) const ALL: [Self; 2] = [Self::Stream, Self::Poll];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stream => "streaming",
            Self::Poll => "polling",
        }
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Success => f.write_str("data"),
            Self::Failure(cause, FailureKind::Normal) => write!(f, "{cause}"),
            Self::Failure(cause, FailureKind::Unexpected) => write!(f, "{cause} (unexpected)"),
            Self::Off => f.write_str("OFF"),
        }
    }
}

impl Subject {
    /// Starts a source whose waits are short.
    pub(crate) fn start(driver: Driver, form: Form, connection: Connection, runtime: &Runtime) -> Self {
        let (tell, told) = channel();
        let teller = Arc::new(Teller(Mutex::new(tell)));
        let listener = Arc::clone(&teller);
        let listen = move |status: &Status| {
            if status.state == State::Off {
                listener.tell(Told::Off);
            }
        };
        let streaming = StreamingConfig { initial_reconnect_delay: 0.001, ..StreamingConfig::new(connection.clone()) };
        let polling =
            PollingConfig { poll_interval: 0.001, least_interval: f64::NEG_INFINITY, ..PollingConfig::new(connection) };
        let running = match driver {
            Driver::Std => {
                let source = match form {
                    Form::Stream => StdSource::streaming(streaming),
                    Form::Poll => StdSource::polling(polling),
                };
                Running::Std(source.observer(teller).listen(listen).sleeper(Short).start())
            }
            Driver::Tokio => {
                let source = match form {
                    Form::Stream => TokioSource::streaming(streaming),
                    Form::Poll => TokioSource::polling(polling),
                };
                let _inside = runtime.enter();
                let short = |delay: Duration| TokioSleeper.sleep(delay.min(LONGEST));
                Running::Tokio(source.observer(teller).listen(listen).sleeper(short).start())
            }
        };
        Self { told, running }
    }

    pub(crate) fn state(&self) -> State {
        match &self.running {
            Running::Std(handle) => handle.status().state,
            Running::Tokio(handle) => handle.status().state,
        }
    }

    /// Stops it, and blocks until nothing of it is left.
    pub(crate) fn end(self, runtime: &Runtime) {
        match self.running {
            Running::Std(handle) => {
                handle.stop();
                handle.join();
            }
            Running::Tokio(handle) => {
                handle.stop();
                runtime.block_on(handle.closed());
            }
        }
    }
}

struct Teller(Mutex<Sender<Told>>);

impl Teller {
    fn tell(&self, told: Told) {
        // After the trial nobody listens.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).send(told);
    }
}

impl Observer for Teller {
    fn recorded(&self, outcome: Recorded<Infallible>, _: Instant) {
        self.tell(match outcome {
            Recorded::Success => Told::Success,
            Recorded::Failure { cause, kind, .. } => Told::Failure(cause, kind),
        });
    }
}

struct Short;

impl StdSleeper for Short {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        ThreadSleeper.sleep(delay.min(LONGEST), cancel);
    }
}
