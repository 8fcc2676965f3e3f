//! A repeated callback on a thread.

use std::fmt;
use std::sync::Arc;

use retrylab_source::{DelaySource, RepeatingTask};

use super::background::Background;
use super::runtime::Threads;
use crate::blocking::{Cancel, Sleeper, blocking};
use crate::source::repeating;
use crate::source::runtime::Runtime;

/// Repeats a callback, with the waits of a [`RepeatingTask`] in between.
///
/// An error or a panic of the callback is logged, and the callback is called again. A stop is final at any time, and
/// lets a running call finish; dropping stops, too.
///
/// ```
/// use std::time::Duration;
/// use retrylab_driver::blocking::Cancel;
/// use retrylab_driver::source::blocking::Repeating;
/// use retrylab_source::RepeatingTask;
///
/// let (done, mut left) = (Cancel::new(), 3);
/// let enough = done.clone();
/// let task = Repeating::new(RepeatingTask::every(Duration::from_millis(1)), move || {
///     left -= 1;
///     if left == 0 {
///         enough.cancel();
///     }
///     "not a number".parse::<u32>().map(drop)
/// });
/// let task = task.cancel(done);
/// task.start();
/// task.join();
/// ```
pub type Repeating<D> = repeating::Repeating<Threads, D>;

impl<D: DelaySource + Send + 'static> Repeating<D> {
    /// A task before its start.
    pub fn new<E: fmt::Display>(
        task: RepeatingTask<D>,
        mut callback: impl FnMut() -> Result<(), E> + Send + 'static,
    ) -> Self {
        let callback: <Threads as Runtime>::Callback = Box::new(move || callback().map_err(|error| error.to_string()));
        Self::build(task, callback, named("retrylab"))
    }

    /// Sets the sleeper between calls.
    pub fn sleeper(mut self, sleeper: impl Sleeper + Send + Sync + 'static) -> Self {
        self.worker.world.sleeper = Arc::new(sleeper);
        self
    }

    /// Sets the handle that stops it, like [`stop`](Self::stop). The callback may keep a clone.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.worker.stopper = cancel;
        self
    }

    /// Sets its name, `retrylab` by default. Its thread is called after it, with the suffix `.repeating`. Text after a
    /// NUL is ignored.
    pub fn label(mut self, label: impl AsRef<str>) -> Self {
        self.work = named(label.as_ref());
        self
    }

    /// Starts it on a thread of its own. A second start is logged and changes nothing, and neither does one after a
    /// stop. If the system cannot create a thread, it is stopped, and the log has an error.
    pub fn start(&self) {
        let Some((worker, first, callback)) = self.begin() else { return };
        if !self.work.spawn(move || blocking(worker.run(first, callback))) {
            self.stop();
        }
    }

    /// Waits until its thread has ended, if it was started, which needs a stop. In the callback it does not wait.
    pub fn join(&self) {
        self.work.join();
    }
}

fn named(label: &str) -> Background {
    let label = label.split('\0').next().unwrap_or_default();
    Background::named(format!("{label}.repeating"))
}
