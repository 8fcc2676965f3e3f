//! A source on either driver.

use std::fmt;
use std::sync::Arc;
use std::thread;

use clap::ValueEnum;
use retrylab_driver::source::blocking as threads;
use retrylab_driver::source::tokio as tasks;
use retrylab_source::{MemoryStore, StartWait};
use tokio::sync::oneshot;

use super::client::Plan;

/// What a source runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Driver {
    /// A thread for each source
    Std,
    /// A task for each source
    Tokio,
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Std => "std",
            Self::Tokio => "tokio",
        })
    }
}

/// What is done to a source before it is started.
pub(crate) struct Setting {
    pub(crate) thread: Box<dyn Fn(threads::Source) -> threads::Source + Send + Sync>,
    pub(crate) task: Box<dyn Fn(tasks::Source) -> tasks::Source + Send + Sync>,
}

/// Nothing: it runs on the real clock.
impl Default for Setting {
    fn default() -> Self {
        Self { thread: Box::new(|source| source), task: Box::new(|source| source) }
    }
}

/// A source that was started. Dropping it stops the source.
pub(super) enum Running {
    Thread(Arc<threads::Handle>),
    Task(tasks::Handle),
}

impl Running {
    pub(super) fn start(driver: Driver, plan: &Plan, setting: &Setting, store: Arc<MemoryStore>) -> Self {
        match driver {
            Driver::Std => {
                let source = match plan {
                    Plan::Streaming(config) => threads::Source::streaming(config.clone()),
                    Plan::Polling(config) => threads::Source::polling(config.clone()),
                };
                Self::Thread(Arc::new((setting.thread)(source.store(store)).start()))
            }
            Driver::Tokio => {
                let source = match plan {
                    Plan::Streaming(config) => tasks::Source::streaming(config.clone()),
                    Plan::Polling(config) => tasks::Source::polling(config.clone()),
                };
                Self::Task((setting.task)(source.store(store)).start())
            }
        }
    }

    pub(super) async fn start_wait(&self, wait: StartWait) -> bool {
        match self {
            Self::Thread(handle) => {
                let handle = Arc::clone(handle);
                blocking(move || handle.start_wait(wait)).await.unwrap_or(false)
            }
            Self::Task(handle) => handle.start_wait(wait).await,
        }
    }

    pub(super) fn stop(&self) {
        match self {
            Self::Thread(handle) => handle.stop(),
            Self::Task(handle) => handle.stop(),
        }
    }

    /// Waits until nothing is left of it. Somebody has to stop it.
    pub(super) async fn ended(&self) {
        match self {
            Self::Thread(handle) => {
                let handle = Arc::clone(handle);
                // Where there is no thread to wait on, nobody can tell when it ends.
                let _ = blocking(move || handle.join()).await;
            }
            Self::Task(handle) => handle.closed().await,
        }
    }
}

/// Awaits what blocks, on a thread of its own: the runtime has a limited number for that, so that of many clients some would
/// have to wait for others. `None`: the system has no thread to give.
async fn blocking<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (tell, told) = oneshot::channel();
    // Whoever gave up the request listens no longer.
    thread::Builder::new().spawn(move || drop(tell.send(call()))).ok()?;
    told.await.ok()
}
