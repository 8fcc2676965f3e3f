//! A callback, again and again.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, iter};

use retrylab_driver_std::Clock;
use retrylab_driver_std::source::Watch;
use retrylab_source::{
    DelaySource, LogMessage, LogRecord, Observer, RepeatingTask, Surroundings, TaskInput, TaskOutput, guarded,
};
use tokio::task;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::world::{AFTER_PANIC, World, boxed, caught};
use crate::time::{Sleeper, TokioSleeper};

/// A callback that is called again and again as a task of tokio, with the waits of a [`RepeatingTask`] in between.
///
/// An error or a panic of the callback is logged, and the callback is called again. Stopping is for good, whenever it
/// comes; dropping stops, too.
///
/// ```
/// use std::time::Duration;
/// use retrylab_driver_tokio::source::{Repeating, Stopper};
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
#[must_use = "dropping it stops the task"]
pub struct Repeating<D> {
    worker: Worker<D>,
    tasks: TaskTracker,
}

/// Stops a [`Repeating`] from anywhere, its own callback included. Clones stop the same; dropping does nothing.
#[derive(Clone, Default)]
pub struct Stopper {
    shared: Arc<Signals>,
}

#[derive(Default)]
struct Signals {
    /// There is no further call, and no wait.
    stopped: CancellationToken,
    /// Not even the call that runs goes on.
    cut: CancellationToken,
    /// The tasks that call.
    callers: Mutex<Vec<task::Id>>,
}

type Call = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

type Callback = Box<dyn FnMut() -> Call + Send>;

/// What is needed to call, wait and log.
struct Worker<D> {
    machine: Arc<Mutex<RepeatingTask<D>>>,
    /// Until the start, which takes it.
    callback: Arc<Mutex<Option<Callback>>>,
    world: World,
    watch: Arc<Watch>,
    stopper: Stopper,
}

impl<D: DelaySource + Send + 'static> Repeating<D> {
    /// A task that was not started, on tokio's clock.
    pub fn new<A, E>(task: RepeatingTask<D>, mut callback: impl FnMut() -> A + Send + 'static) -> Self
    where
        A: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display,
    {
        let callback: Callback = Box::new(move || {
            let call = callback();
            Box::pin(async move { call.await.map_err(|error| error.to_string()) })
        });
        let worker = Worker {
            machine: Arc::new(Mutex::new(task)),
            callback: Arc::new(Mutex::new(Some(callback))),
            world: World::real(),
            watch: Arc::new(Watch::new(Arc::new(()), || ())),
            stopper: Stopper::new(),
        };
        let tasks = TaskTracker::new();
        tasks.close();
        Self { worker, tasks }
    }

    /// What tells the time.
    pub fn clock(mut self, clock: impl Clock + Send + Sync + 'static) -> Self {
        self.worker.world.clock = Arc::new(clock);
        self
    }

    /// What waits between calls.
    pub fn sleeper(mut self, sleeper: impl Sleeper + Send + Sync + 'static) -> Self {
        self.worker.world.sleeper = boxed(sleeper);
        self
    }

    /// Who is told of the log lines, beside `tracing`, which always is.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.worker.watch = Arc::new(Watch::new(observer, || ()));
        self
    }

    /// What stops it as [`stop`](Self::stop) does. The callback may keep a clone.
    pub fn stopper(mut self, stopper: Stopper) -> Self {
        self.worker.stopper = stopper;
        self
    }

    /// Starts it as a task of the runtime that this is called in. A second start is logged and changes nothing; after a stop
    /// none does.
    ///
    /// # Panics
    ///
    /// As `tokio::spawn` does: outside of a runtime. The task needs one with time.
    pub fn start(&self) {
        if self.worker.stopper.is_stopped() {
            self.worker.handle(TaskInput::Stop);
        }
        let outputs = self.worker.handle(TaskInput::Start);
        let Some(first) = self.worker.log(outputs) else { return };
        let Some(callback) = lock(&self.worker.callback).take() else { return };
        self.tasks.spawn(self.worker.clone().run(first, callback));
    }

    /// As [`Stopper::stop`].
    pub fn stop(&self) {
        self.worker.stopper.stop();
    }

    /// Waits until its task is gone, if it was started. Somebody has to stop it.
    pub async fn closed(&self) {
        self.tasks.wait().await;
    }
}

impl Stopper {
    /// One that has not stopped anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops for good: a wait ends at once, no further call begins. A call that runs is dropped, unless it is the one that
    /// stops, which may finish. Returns at once; any thread may call it, at any time; again, it does nothing.
    pub fn stop(&self) {
        let caller = task::try_id();
        let inside = caller.is_some_and(|caller| lock(&self.shared.callers).contains(&caller));
        if !inside {
            self.shared.cut.cancel();
        }
        self.shared.stopped.cancel();
    }

    /// Whether it has.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.shared.stopped.is_cancelled()
    }
}

impl<D: DelaySource> Worker<D> {
    async fn run(self, first: TaskOutput, mut callback: Callback) {
        lock(&self.stopper.shared.callers).extend(task::try_id());
        let mut next = Some(first);
        while let Some(input) = self.follow(next, &mut callback).await {
            next = self.tell(input).await;
        }
    }

    /// Does what is to be done. Returns what came of it; `None`: it was stopped.
    async fn follow(&self, output: Option<TaskOutput>, callback: &mut Callback) -> Option<TaskInput> {
        let Signals { stopped, cut, .. } = &*self.stopper.shared;
        match output? {
            TaskOutput::Call if !stopped.is_cancelled() => {
                let returned = cut.run_until_cancelled(caught(async { callback().await })).await?;
                Some(TaskInput::Returned(returned.unwrap_or_else(Err)))
            }
            TaskOutput::Wait { until } => {
                while let Err(panic) = stopped.run_until_cancelled(caught(self.world.wait(until))).await? {
                    self.pause(panic).await?;
                }
                Some(TaskInput::Timer)
            }
            TaskOutput::Call | TaskOutput::Log(_) | TaskOutput::Stopped => None,
        }
    }

    /// Tells the machine. Returns what is to be done next; `None`: it was stopped.
    async fn tell(&self, input: TaskInput) -> Option<TaskOutput> {
        loop {
            match guarded(|| self.handle(input.clone())) {
                Ok(outputs) => return self.log(outputs),
                // The delay source or the clock. There is no further call before they have something to say.
                Err(panic) => self.pause(panic).await?,
            }
        }
    }

    /// After a panic of what the user gave. `None`: it was stopped.
    async fn pause(&self, panic: String) -> Option<()> {
        self.say(&LogRecord::new(LogMessage::CallbackFailed).with_detail(Some(panic)));
        self.stopper.shared.stopped.run_until_cancelled(TokioSleeper.sleep(AFTER_PANIC)).await
    }

    /// Leaves no output behind in the machine, so that each goes to the one whose input it follows from.
    fn handle(&self, input: TaskInput) -> Vec<TaskOutput> {
        let now = self.world.now();
        let mut machine = lock(&self.machine);
        machine.handle(input, now);
        iter::from_fn(|| machine.next_output()).collect()
    }

    /// Logs what is to be logged. Returns what else there is to do.
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

impl<D> Clone for Worker<D> {
    fn clone(&self) -> Self {
        Self {
            machine: Arc::clone(&self.machine),
            callback: Arc::clone(&self.callback),
            world: self.world.clone(),
            watch: Arc::clone(&self.watch),
            stopper: self.stopper.clone(),
        }
    }
}

impl<D> Drop for Repeating<D> {
    fn drop(&mut self) {
        self.worker.stopper.stop();
    }
}

impl<D> fmt::Debug for Repeating<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repeating").field("stopper", &self.worker.stopper).finish_non_exhaustive()
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper").field("stopped", &self.is_stopped()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What the panic of a delay source leaves behind is the machine before its answer.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
