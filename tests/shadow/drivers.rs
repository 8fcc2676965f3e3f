//! The two drivers, each with a source on a stage.

use std::future;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use retrylab_driver::LONGEST_WAIT;
use retrylab_driver::blocking::{Cancel, Sleeper};
use retrylab_driver::source::blocking::{Handle as StdHandle, Source as StdSource};
use retrylab_driver::source::tokio::{Handle as TokioHandle, Source as TokioSource};
use retrylab_source::{Connection, PollingConfig, StreamingConfig};
use retrylab_spec::{PolicySpec, Seconds};
use tokio::runtime::Builder;

use crate::stage::Stage;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Driver {
    Std,
    Tokio,
}

/// A source that runs.
pub(crate) enum Running {
    Std(StdHandle),
    /// And the thread of its runtime.
    Tokio(Arc<TokioHandle>, JoinHandle<()>),
}

enum Config {
    Streaming(StreamingConfig),
    Polling(PollingConfig),
}

impl Driver {
    pub(crate) const ALL: [Self; 2] = [Self::Std, Self::Tokio];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Std => "std",
            Self::Tokio => "tokio",
        }
    }

    /// Starts the source of the stage's file.
    pub(crate) fn start(self, stage: &Arc<Stage>, connection: Connection) -> Running {
        let config = Config::new(&stage.timeline().client.kind, connection);
        match self {
            Self::Std => Running::start_std(stage, config),
            Self::Tokio => Running::start_tokio(stage, config),
        }
    }
}

impl Config {
    /// As the file has it: the least interval of a poller is no matter of its rules.
    fn new(kind: &PolicySpec, connection: Connection) -> Self {
        match kind {
            PolicySpec::Streaming { initial_reconnect_delay } => {
                let initial_reconnect_delay = initial_reconnect_delay.map_or(1.0, Seconds::as_f64);
                Self::Streaming(StreamingConfig { initial_reconnect_delay, ..StreamingConfig::new(connection) })
            }
            PolicySpec::Polling { poll_interval } => {
                let poll_interval = poll_interval.map_or(30.0, Seconds::as_f64);
                let least_interval = f64::NEG_INFINITY;
                Self::Polling(PollingConfig { poll_interval, least_interval, ..PollingConfig::new(connection) })
            }
            other => unreachable!("no driver has {other:?}"),
        }
    }
}

impl Running {
    fn start_std(stage: &Arc<Stage>, config: Config) -> Self {
        let source = match config {
            Config::Streaming(config) => StdSource::streaming(config),
            Config::Polling(config) => StdSource::polling(config),
        };
        let (clock, listener, draws) = (Arc::clone(stage), Arc::clone(stage), Arc::clone(stage));
        let source = source
            .observer(stage.clone())
            .listen(move |status| listener.status(status))
            .clock(move || clock.now())
            .entropy(move || draws.draw())
            .sleeper(Steps(Arc::clone(stage)));
        Self::Std(source.start())
    }

    fn start_tokio(stage: &Arc<Stage>, config: Config) -> Self {
        let source = match config {
            Config::Streaming(config) => TokioSource::streaming(config),
            Config::Polling(config) => TokioSource::polling(config),
        };
        let (clock, listener, draws) = (Arc::clone(stage), Arc::clone(stage), Arc::clone(stage));
        let waits = Arc::clone(stage);
        let source = source
            .observer(stage.clone())
            .listen(move |status| listener.status(status))
            .clock(move || clock.now())
            .entropy(move || draws.draw())
            .sleeper(move |delay| {
                let goes_on = waits.wait(delay);
                async move {
                    if !goes_on {
                        future::pending().await
                    }
                }
            });
        let (give, take) = channel();
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let handle = Arc::new(source.start());
                give.send(Arc::clone(&handle)).expect("somebody who waits for the handle");
                handle.closed().await;
            });
        });
        Self::Tokio(take.recv().expect("a source that was started"), thread)
    }

    /// Stops the source.
    pub(crate) fn stop(&self) {
        match self {
            Self::Std(handle) => handle.stop(),
            Self::Tokio(handle, _) => handle.stop(),
        }
    }

    /// Blocks until nothing of the source is left. Somebody has to stop it.
    pub(crate) fn join(self) {
        match self {
            Self::Std(handle) => handle.join(),
            Self::Tokio(_, thread) => thread.join().expect("a runtime that ends"),
        }
    }
}

/// Steps the clock in place of sleeping.
struct Steps(Arc<Stage>);

impl Sleeper for Steps {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        if !self.0.wait(delay) {
            cancel.wait(LONGEST_WAIT);
        }
    }
}
