//! Sources as tasks: their sleepers and their runtime.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use retrylab_source::guarded;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::client::HyperClient;
use super::repeating::Stopper;
use crate::SystemEntropy;
use crate::source::running::Running;
use crate::source::runtime::{Runtime, Signal};
use crate::source::world::{AFTER_PANIC, World, caught};
use crate::tokio::{AsyncSleeper, TokioClock, TokioSleeper};

/// As a task of its own.
#[derive(Clone, Copy, Debug)]
pub enum Tasks {}

type Call = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Runtime for Tasks {
    type Sleeper = dyn Fn(Duration) -> Sleep + Send + Sync;
    type Signal = CancellationToken;
    type Transport = HyperClient;
    type Work = TaskTracker;
    type Callback = Box<dyn FnMut() -> Call + Send>;
    type Stopper = Stopper;

    fn world() -> World<Self> {
        World { clock: Arc::new(TokioClock), sleeper: boxed(TokioSleeper), entropy: Arc::new(SystemEntropy) }
    }

    async fn sleep(sleeper: &Self::Sleeper, delay: Duration, cancel: &CancellationToken) {
        let sleep = async {
            if caught(sleeper(delay)).await.is_err() {
                // Without a wait the task would spin.
                TokioSleeper.sleep(delay).await;
            }
            // A wait that ends at once must not starve other tasks.
            tokio::task::yield_now().await;
        };
        cancel.run_until_cancelled(sleep).await;
    }

    async fn pause(cancel: &CancellationToken) {
        cancel.run_until_cancelled(TokioSleeper.sleep(AFTER_PANIC)).await;
    }

    async fn call(callback: &mut Self::Callback, stopper: &Stopper) -> Option<Result<(), String>> {
        let returned = stopper.cut().run_until_cancelled(caught(async { callback().await })).await?;
        Some(returned.unwrap_or_else(Err))
    }

    fn stopped(stopper: &Stopper) -> &CancellationToken {
        stopper.stopped()
    }
}

impl Signal for CancellationToken {
    fn cancel(&self) {
        self.cancel();
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }
}

/// Any sleeper as one type.
pub(super) fn boxed(
    sleeper: impl AsyncSleeper + Send + Sync + 'static,
) -> Arc<dyn Fn(Duration) -> Sleep + Send + Sync> {
    let sleeper = Arc::new(sleeper);
    Arc::new(move |delay| {
        let sleeper = Arc::clone(&sleeper);
        Box::pin(async move { sleeper.sleep(delay).await })
    })
}

/// Turns the source off when its task is gone: a runtime that shuts down drops its tasks.
struct OffAtTheEnd(Arc<Running<Tasks>>);

impl Drop for OffAtTheEnd {
    fn drop(&mut self) {
        let _ = guarded(|| self.0.stop());
    }
}

/// Runs a source until it is stopped. A stop drops the awaited future, and with it the connection.
pub(super) fn run(running: Arc<Running<Tasks>>) -> impl Future<Output = ()> + Send {
    // Made before the first poll of the future, which may never come.
    let task = OffAtTheEnd(running);
    async move {
        task.0.stopped.run_until_cancelled(task.0.run()).await;
    }
}
