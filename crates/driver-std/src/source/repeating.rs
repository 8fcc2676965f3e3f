//! A callback that is called again and again, on a thread of its own.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use retrylab_core::Instant;
use retrylab_source::{
    DelaySource, LogMessage, LogRecord, Observer, RepeatingTask, Surroundings, TaskInput, TaskOutput, guarded,
};

use super::background::Background;
use super::watch::Watch;
use super::world::{AFTER_PANIC, World};
use crate::{Cancel, Clock, Sleeper};

/// A callback that is called again and again, with the waits of a [`RepeatingTask`] in between.
///
/// An error or a panic of the callback is logged, and the callback is called again. Stopping is for good, whenever it
/// comes; dropping stops, too.
///
/// ```
/// use std::time::Duration;
/// use retrylab_driver_std::Cancel;
/// use retrylab_driver_std::source::Repeating;
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
#[must_use]
pub struct Repeating<D> {
    worker: Worker<D>,
    label: Cow<'static, str>,
    thread: Background,
}

type Callback = Box<dyn FnMut() -> Result<(), String> + Send>;

struct Worker<D> {
    task: Arc<Mutex<RepeatingTask<D>>>,
    callback: Arc<Mutex<Callback>>,
    world: World,
    log: Arc<Watch>,
    stopped: Cancel,
}

enum Step {
    Call,
    Wait(Instant),
}

impl<D: DelaySource + Send + 'static> Repeating<D> {
    /// A task that was not started.
    pub fn new<E: fmt::Display>(
        task: RepeatingTask<D>,
        mut callback: impl FnMut() -> Result<(), E> + Send + 'static,
    ) -> Self {
        let callback: Callback = Box::new(move || callback().map_err(|error| error.to_string()));
        let worker = Worker {
            task: Arc::new(Mutex::new(task)),
            callback: Arc::new(Mutex::new(callback)),
            world: World::default(),
            log: Arc::new(Watch::new(Arc::new(()), || ())),
            stopped: Cancel::new(),
        };
        Self { worker, label: Cow::Borrowed("retrylab"), thread: Background::default() }
    }

    /// What tells the time.
    pub fn clock(mut self, clock: impl Clock + Send + Sync + 'static) -> Self {
        self.worker.world.clock = Arc::new(clock);
        self
    }

    /// What waits between calls.
    pub fn sleeper(mut self, sleeper: impl Sleeper + Send + Sync + 'static) -> Self {
        self.worker.world.sleeper = Arc::new(sleeper);
        self
    }

    /// Who is told of the log lines, beside `tracing`, which always is.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.worker.log = Arc::new(Watch::new(observer, || ()));
        self
    }

    /// The handle that stops it as [`stop`](Self::stop) does. The callback may keep a clone.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.worker.stopped = cancel;
        self
    }

    /// What it is for, `retrylab` unless this says otherwise. Its thread is named so, with `.repeating` after it. Only the part
    /// before a NUL counts.
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = label.into();
        self
    }

    /// Starts it on a thread of its own. A second start is logged and changes nothing; after a stop none does. If the
    /// system has no thread to give, it is stopped, and an error in the log says why.
    pub fn start(&self) {
        if self.worker.stopped.is_cancelled() {
            self.worker.handle(TaskInput::Stop);
        }
        let outputs = self.worker.handle(TaskInput::Start);
        let Some(first) = self.worker.log(outputs) else { return };
        let worker = self.worker.clone();
        let label = self.label.split('\0').next().unwrap_or_default();
        if !self.thread.spawn(&format!("{label}.repeating"), move || worker.run(first)) {
            self.stop();
        }
    }

    /// Stops it: a wait ends at once, no further call begins. A call that runs is left to finish. Returns at once; any thread
    /// may call it, at any time; again, it does nothing.
    pub fn stop(&self) {
        self.worker.stop();
    }

    /// Waits until its thread has ended, if it was started. Somebody has to stop it. In the callback it does not wait.
    pub fn join(&self) {
        self.thread.join();
    }
}

impl<D: DelaySource> Worker<D> {
    fn run(&self, first: Step) {
        let mut next = Some(first);
        while let Some(step) = next {
            if self.stopped.is_cancelled() {
                self.tell(TaskInput::Stop);
                return;
            }
            next = match step {
                Step::Call => {
                    let mut callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner);
                    let returned = guarded(&mut **callback).unwrap_or_else(Err);
                    self.tell(TaskInput::Returned(returned))
                }
                Step::Wait(until) => {
                    self.insist(|| self.world.wait(until, &self.stopped)).and_then(|()| self.tell(TaskInput::Timer))
                }
            };
        }
    }

    /// Returns what is to be done next; `None`: nothing, because it was stopped.
    fn tell(&self, input: TaskInput) -> Option<Step> {
        let outputs = self.insist(|| self.handle(input.clone()))?;
        self.log(outputs)
    }

    /// Asks the delay source or the clock until it does not panic: there is no further call before they have something to
    /// say. `None`: it was stopped.
    fn insist<T>(&self, ask: impl Fn() -> T) -> Option<T> {
        loop {
            match guarded(&ask) {
                Ok(said) => return Some(said),
                Err(panic) => {
                    self.log.write(&LogRecord::new(LogMessage::CallbackFailed).with_detail(Some(panic)));
                    if self.stopped.wait(AFTER_PANIC) {
                        return None;
                    }
                }
            }
        }
    }

    fn handle(&self, input: TaskInput) -> Vec<TaskOutput> {
        let now = self.world.now();
        // Told and asked under one lock, each caller gets what comes of its own input.
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        task.handle(input, now);
        std::iter::from_fn(|| task.next_output()).collect()
    }

    /// Logs what is to be logged. Returns what is to be done next on the task's own thread; `None`: nothing because of this.
    fn log(&self, outputs: Vec<TaskOutput>) -> Option<Step> {
        let mut next = None;
        for output in outputs {
            match output {
                TaskOutput::Call => next = Some(Step::Call),
                TaskOutput::Wait { until } => next = Some(Step::Wait(until)),
                TaskOutput::Log(record) => self.log.write(&record),
                TaskOutput::Stopped => next = None,
            }
        }
        next
    }
}

impl<D> Worker<D> {
    fn stop(&self) {
        // The thread tells the task when it sees this, and a start does, too. A handle that was given away does no more.
        self.stopped.cancel();
    }
}

impl<D> Clone for Worker<D> {
    fn clone(&self) -> Self {
        let Self { task, callback, world, log, stopped } = self;
        Self {
            task: Arc::clone(task),
            callback: Arc::clone(callback),
            world: world.clone(),
            log: Arc::clone(log),
            stopped: stopped.clone(),
        }
    }
}

impl<D> Drop for Repeating<D> {
    fn drop(&mut self) {
        self.worker.stop();
    }
}

impl<D> fmt::Debug for Repeating<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repeating").field("label", &self.label).finish_non_exhaustive()
    }
}
