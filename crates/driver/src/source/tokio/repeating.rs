//! A repeated callback as a task.

use std::fmt;
use std::sync::{Arc, Mutex};

use retrylab_source::{DelaySource, RepeatingTask};
use tokio::task;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::runtime::{Tasks, boxed};
use crate::source::repeating::{self, lock};
use crate::source::runtime::{Runtime, Signal};
use crate::tokio::AsyncSleeper;

/// Repeats a callback in a task of tokio, with the waits of a [`RepeatingTask`] in between.
///
/// An error or a panic of the callback is logged, and the callback is called again. A stop is final at any time, see
/// [`Stopper::stop`]; dropping stops, too.
///
/// ```
/// use std::time::Duration;
/// use retrylab_driver::source::tokio::{Repeating, Stopper};
/// use retrylab_source::RepeatingTask;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let (done, mut left) = (Stopper::new(), 3);
/// let enough = done.clone();
/// let task = Repeating::new(RepeatingTask::every(Duration::from_secs(10)), move || {
///     left -= 1;
///     if left == 0 {
///         enough.stop();
///     }
///     async { "not a number".parse::<u32>().map(drop) }
/// });
/// let task = task.stopper(done);
/// task.start();
/// task.closed().await;
/// # }
/// ```
pub type Repeating<D> = repeating::Repeating<Tasks, D>;

/// Stops a [`Repeating`] from anywhere, also from its own callback. Clones stop the same task; dropping does nothing.
#[derive(Clone, Default)]
pub struct Stopper {
    shared: Arc<Signals>,
}

#[derive(Default)]
struct Signals {
    /// Cancels waits and further calls.
    stopped: CancellationToken,
    /// Cancels the running call too.
    cut: CancellationToken,
    /// The tasks of callbacks.
    callers: Mutex<Vec<task::Id>>,
}

impl<D: DelaySource + Send + 'static> Repeating<D> {
    /// A task before its start, on tokio's clock.
    pub fn new<A, E>(task: RepeatingTask<D>, mut callback: impl FnMut() -> A + Send + 'static) -> Self
    where
        A: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display,
    {
        let callback: <Tasks as Runtime>::Callback = Box::new(move || {
            let call = callback();
            Box::pin(async move { call.await.map_err(|error| error.to_string()) })
        });
        let work = TaskTracker::new();
        work.close();
        Self::build(task, callback, work)
    }

    /// Sets the sleeper between calls.
    pub fn sleeper(mut self, sleeper: impl AsyncSleeper + Send + Sync + 'static) -> Self {
        self.worker.world.sleeper = boxed(sleeper);
        self
    }

    /// Sets the stopper, which works like [`stop`](Self::stop). The callback may keep a clone.
    pub fn stopper(mut self, stopper: Stopper) -> Self {
        self.worker.stopper = stopper;
        self
    }

    /// Starts it as a task of the current runtime. A second start is logged and changes nothing, and neither does one
    /// after a stop.
    ///
    /// # Panics
    ///
    /// Outside of a runtime, like `tokio::spawn`. The task needs a runtime with time.
    pub fn start(&self) {
        let Some((worker, first, callback)) = self.begin() else { return };
        self.work.spawn(async move {
            lock(&worker.stopper.shared.callers).extend(task::try_id());
            worker.run(first, callback).await;
        });
    }

    /// Waits until its task is gone, if it was started, which needs a stop.
    pub async fn closed(&self) {
        self.work.wait().await;
    }
}

impl Stopper {
    /// A stopper that has not stopped anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops for good: a wait ends at once, and no further call begins. A running call is dropped, unless the stop
    /// comes from it. It returns at once; any thread may call it, at any time; a second call does nothing.
    pub fn stop(&self) {
        let caller = task::try_id();
        let inside = caller.is_some_and(|caller| lock(&self.shared.callers).contains(&caller));
        if !inside {
            self.shared.cut.cancel();
        }
        self.shared.stopped.cancel();
    }

    /// Whether it was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.shared.stopped.is_cancelled()
    }

    pub(super) fn stopped(&self) -> &CancellationToken {
        &self.shared.stopped
    }

    pub(super) fn cut(&self) -> &CancellationToken {
        &self.shared.cut
    }
}

impl Signal for Stopper {
    fn cancel(&self) {
        self.stop();
    }

    fn is_cancelled(&self) -> bool {
        self.is_stopped()
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper").field("stopped", &self.is_stopped()).finish_non_exhaustive()
    }
}
