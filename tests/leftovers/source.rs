//! A source on either driver, which tells how far it is.

use std::convert::Infallible;
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver::blocking::{Cancel, Sleeper, ThreadSleeper};
use retrylab_driver::source::blocking as threads;
use retrylab_driver::source::tokio as tasks;
use retrylab_driver::tokio::TokioSleeper;
use retrylab_source::{
    Connection, LogMessage, LogRecord, Observer, PollingConfig, Recorded, StartWait, StreamingConfig,
};
use tokio::runtime::{self, Runtime};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    Std,
    Tokio,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Streaming,
    Polling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Ready,
    /// Told before the wait.
    LongStartWait,
    /// With the wait that follows.
    Fails(Duration),
    /// Told before the wait, which is shorter than it was to be by the moments since.
    Waits,
}

pub(crate) struct Source {
    handle: Arc<Handle>,
    runtime: runtime::Handle,
    told: Receiver<Told>,
}

/// Dropping it stops the source.
enum Handle {
    Thread(threads::Handle),
    Task(tasks::Handle),
}

/// Somebody who waits for the first data.
pub(crate) struct Waiter(JoinHandle<bool>);

struct Teller(Mutex<Sender<Told>>);

/// Tells of a wait, and then really waits.
struct Tells(Arc<Teller>);

impl Source {
    pub(crate) fn start(driver: Driver, mode: Mode, uri: String, runtime: &Runtime) -> Self {
        let (tell, told) = channel();
        let teller = Arc::new(Teller(Mutex::new(tell)));
        let connection = Connection::to(uri);
        let handle = match driver {
            Driver::Std => {
                let source = match mode {
                    Mode::Streaming => threads::Source::streaming(StreamingConfig::new(connection)),
                    Mode::Polling => threads::Source::polling(PollingConfig::new(connection)),
                };
                Handle::Thread(source.observer(teller.clone()).entropy(|| 0).sleeper(Tells(teller)).start())
            }
            Driver::Tokio => {
                let source = match mode {
                    Mode::Streaming => tasks::Source::streaming(StreamingConfig::new(connection)),
                    Mode::Polling => tasks::Source::polling(PollingConfig::new(connection)),
                };
                let _inside = runtime.enter();
                Handle::Task(source.observer(teller.clone()).entropy(|| 0).sleeper(Tells(teller)).start())
            }
        };
        Self { handle: Arc::new(handle), runtime: runtime.handle().clone(), told }
    }

    /// Blocks until it tells this.
    pub(crate) fn hears(&self, what: Told) {
        assert!(self.told.iter().any(|told| told == what), "the source is gone, and never told {what:?}");
    }

    pub(crate) fn stop(&self) {
        match &*self.handle {
            Handle::Thread(handle) => handle.stop(),
            Handle::Task(handle) => handle.stop(),
        }
    }

    /// Waits for its end as its user would.
    pub(crate) fn closed(&self) {
        match &*self.handle {
            Handle::Thread(handle) => handle.join(),
            Handle::Task(handle) => self.runtime.block_on(handle.closed()),
        }
    }

    /// Has a thread wait for the first data.
    pub(crate) fn wait_for_data(&self, wait: StartWait) -> Waiter {
        let (handle, runtime) = (Arc::clone(&self.handle), self.runtime.clone());
        Waiter(thread::spawn(move || handle.start_wait(wait, &runtime)))
    }

    pub(crate) fn drop_after_the_start_wait(self, wait: StartWait) {
        assert!(!self.handle.start_wait(wait, &self.runtime), "there is no data");
    }

    /// Of a task only: drops the handle with the future that waits on it.
    pub(crate) fn drop_in_the_start_wait(self, wait: StartWait) {
        let Self { handle, runtime, told } = self;
        let waiter = runtime.spawn(async move {
            if let Handle::Task(handle) = &*handle {
                handle.start_wait(wait).await;
            }
        });
        assert!(told.iter().any(|told| told == Told::LongStartWait));
        waiter.abort();
    }
}

impl Handle {
    fn start_wait(&self, wait: StartWait, runtime: &runtime::Handle) -> bool {
        match self {
            Self::Thread(handle) => handle.start_wait(wait),
            Self::Task(handle) => runtime.block_on(handle.start_wait(wait)),
        }
    }
}

impl Waiter {
    /// Whether there was data, once the waiting is over.
    pub(crate) fn had_data(self) -> bool {
        self.0.join().expect("no panic")
    }
}

impl Teller {
    fn tell(&self, what: Told) {
        // A test that has heard enough no longer listens.
        let _ = self.0.lock().expect("no panic").send(what);
    }
}

impl Observer for Teller {
    fn log(&self, record: &LogRecord) {
        if matches!(record.message, LogMessage::LongStartWait(_)) {
            self.tell(Told::LongStartWait);
        }
    }

    fn recorded(&self, outcome: Recorded<Infallible>, _: Instant) {
        if let Recorded::Failure { decision: Ok(delay), .. } = outcome {
            self.tell(Told::Fails(delay));
        }
    }

    fn ready(&self) {
        self.tell(Told::Ready);
    }
}

impl Sleeper for Tells {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        self.0.tell(Told::Waits);
        ThreadSleeper.sleep(delay, cancel);
    }
}

impl retrylab_driver::tokio::AsyncSleeper for Tells {
    async fn sleep(&self, delay: Duration) {
        self.0.tell(Told::Waits);
        retrylab_driver::tokio::AsyncSleeper::sleep(&TokioSleeper, delay).await;
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Std => "std",
            Self::Tokio => "tokio",
        })
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Streaming => "streaming",
            Self::Polling => "polling",
        })
    }
}
