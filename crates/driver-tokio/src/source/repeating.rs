//! A callback, again and again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{fmt, iter};

use retrylab_core::Instant;
use retrylab_driver_std::Clock;
use retrylab_driver_std::source::Watch;
use retrylab_source::{
    DelaySource, LogMessage, LogRecord, Observer, RepeatingTask, Surroundings, TaskInput, TaskOutput, guarded,
};
use tokio::task;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::world::{AFTER_PANIC, World, boxed, caught};
use crate::time::Sleeper;

/// Calls a callback again and again, as a task of tokio, until it is stopped. Dropping it stops it.
///
/// A callback that fails or panics is called again after the next wait, and a line in the log says why.
///
/// ```
/// use std::time::Duration;
/// use retrylab_driver_tokio::source::Repeating;
/// use retrylab_source::RepeatingTask;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let flush = Repeating::new(RepeatingTask::every(Duration::from_secs(10)));
/// let stopper = flush.stopper();
/// let mut calls = 0;
/// flush.start(move || {
///     calls += 1;
///     if calls == 3 {
///         stopper.stop();
///     }
///     async { Ok::<(), std::io::Error>(()) }
/// });
/// flush.closed().await;
/// # }
/// ```
#[must_use = "dropping it stops the task"]
pub struct Repeating<D> {
    shared: Arc<Shared<D>>,
    world: World,
    watch: Arc<Watch>,
    tasks: TaskTracker,
}

/// Stops a [`Repeating`] from anywhere, its own callback included. Dropping it does nothing.
pub struct Stopper<D> {
    shared: Arc<Shared<D>>,
}

struct Shared<D> {
    machine: Mutex<RepeatingTask<D>>,
    /// The task that calls, once there is one.
    caller: OnceLock<task::Id>,
    /// Cancelled to drop what is awaited.
    cut: CancellationToken,
}

/// What the task of a [`Repeating`] works with.
struct Worker<D> {
    shared: Arc<Shared<D>>,
    world: World,
    watch: Arc<Watch>,
}

impl<D: DelaySource + Send + 'static> Repeating<D> {
    /// A task that was not started, on tokio's clock.
    pub fn new(task: RepeatingTask<D>) -> Self {
        let shared = Shared { machine: Mutex::new(task), caller: OnceLock::new(), cut: CancellationToken::new() };
        let tasks = TaskTracker::new();
        tasks.close();
        Self { shared: Arc::new(shared), world: World::real(), watch: watch(Arc::new(())), tasks }
    }

    /// What tells the time.
    pub fn clock(mut self, clock: impl Clock + Send + Sync + 'static) -> Self {
        self.world.clock = Arc::new(clock);
        self
    }

    /// What waits between calls.
    pub fn sleeper(mut self, sleeper: impl Sleeper + Send + Sync + 'static) -> Self {
        self.world.sleeper = boxed(sleeper);
        self
    }

    /// Who is told of the lines of the log, beside `tracing`, which always is.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.watch = watch(observer);
        self
    }

    /// Starts to call. If it was stopped before, nothing happens; if it runs already, it goes on as it is, and a line in the
    /// log says so.
    ///
    /// # Panics
    ///
    /// As `tokio::spawn` does: outside of a runtime. The task needs one with time.
    pub fn start<A, E>(&self, mut callback: impl FnMut() -> A + Send + 'static)
    where
        A: Future<Output = Result<(), E>> + Send,
        E: fmt::Display + Send,
    {
        let outputs = self.shared.handle(TaskInput::Start, self.world.now());
        let worker = Worker { shared: self.shared.clone(), world: self.world.clone(), watch: self.watch.clone() };
        let Some(mut next) = worker.log(outputs) else { return };
        self.tasks.spawn(async move {
            if let Some(id) = task::try_id() {
                let _ = worker.shared.caller.set(id);
            }
            while let Some(input) = worker.follow(next, &mut callback).await {
                let Some(output) = worker.tell(input).await else { break };
                next = output;
            }
        });
    }

    /// What stops it, for its callback for example.
    pub fn stopper(&self) -> Stopper<D> {
        Stopper { shared: Arc::clone(&self.shared) }
    }

    /// As [`Stopper::stop`].
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Waits until its task is gone, if it was started. Somebody has to stop it.
    pub async fn closed(&self) {
        self.tasks.wait().await;
    }
}

impl<D: DelaySource> Stopper<D> {
    /// Stops for good: there will be no further call. A wait ends at once. A call that runs is dropped, unless it is the one
    /// that stops: that may finish. Again, or before the start, it is all the same.
    pub fn stop(&self) {
        self.shared.stop();
    }
}

impl<D: DelaySource> Shared<D> {
    /// Leaves no output behind in the machine, so that each goes to the one whose input it follows from.
    fn handle(&self, input: TaskInput, now: Instant) -> Vec<TaskOutput> {
        let mut machine = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        machine.handle(input, now);
        iter::from_fn(|| machine.next_output()).collect()
    }

    fn stop(&self) {
        self.handle(TaskInput::Stop, Instant::ZERO);
        let inside = self.caller.get().is_some_and(|caller| task::try_id() == Some(*caller));
        if !inside {
            self.cut.cancel();
        }
    }
}

impl<D: DelaySource> Worker<D> {
    /// Does what is to be done. Returns what came of it; `None`: it was stopped.
    async fn follow<A, E>(&self, output: TaskOutput, callback: &mut (impl FnMut() -> A + Send)) -> Option<TaskInput>
    where
        A: Future<Output = Result<(), E>> + Send,
        E: fmt::Display,
    {
        match output {
            TaskOutput::Call => {
                let call = caught(async { callback().await.map_err(|error| error.to_string()) });
                let returned = self.shared.cut.run_until_cancelled(call).await?;
                Some(TaskInput::Returned(returned.unwrap_or_else(Err)))
            }
            TaskOutput::Wait { until } => {
                self.shared.cut.run_until_cancelled(self.world.wait(until)).await?;
                Some(TaskInput::Timer)
            }
            TaskOutput::Log(_) | TaskOutput::Stopped => None,
        }
    }

    /// Tells the machine. Returns what is to be done next; `None`: it was stopped.
    async fn tell(&self, input: TaskInput) -> Option<TaskOutput> {
        loop {
            match guarded(|| self.shared.handle(input.clone(), self.world.now())) {
                Ok(outputs) => return self.log(outputs),
                // The delay source or the clock. There is no further call before they have said something.
                Err(panic) => {
                    self.say(&LogRecord::new(LogMessage::CallbackFailed).with_detail(Some(panic)));
                    self.shared.cut.run_until_cancelled(tokio::time::sleep(AFTER_PANIC)).await?;
                }
            }
        }
    }

    /// Logs what is to be logged. Returns what else there is.
    fn log(&self, outputs: Vec<TaskOutput>) -> Option<TaskOutput> {
        let mut next = None;
        for output in outputs {
            match output {
                TaskOutput::Log(record) => self.say(&record),
                TaskOutput::Call | TaskOutput::Wait { .. } => next = Some(output),
                TaskOutput::Stopped => {}
            }
        }
        next
    }

    fn say(&self, record: &LogRecord) {
        // An observer that panics has nobody to complain to.
        let _ = guarded(|| self.watch.log(record));
    }
}

impl<D> Drop for Repeating<D> {
    fn drop(&mut self) {
        // Whoever drops it in its own callback has it end there.
        self.shared.cut.cancel();
    }
}

impl<D> fmt::Debug for Repeating<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repeating").finish_non_exhaustive()
    }
}

impl<D> Clone for Stopper<D> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<D> fmt::Debug for Stopper<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper").finish_non_exhaustive()
    }
}

fn watch(observer: Arc<dyn Observer>) -> Arc<Watch> {
    Arc::new(Watch::new(observer, || {}))
}
