//! A repeated callback.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, iter};

use retrylab_core::Instant;
use retrylab_source::{
    DelaySource, LogMessage, LogRecord, Observer, RepeatingTask, Surroundings, TaskInput, TaskOutput, guarded,
};

use super::runtime::{Runtime, Signal};
use super::watch::Watch;
use super::world::{World, caught};
use crate::Clock;

/// Repeats a callback, with the waits of a [`RepeatingTask`] in between.
#[must_use = "dropping it stops the task"]
pub struct Repeating<R: Runtime, D> {
    pub(crate) worker: Worker<R, D>,
    pub(crate) work: R::Work,
}

/// The parts to call, wait and log. Clones share them.
pub(crate) struct Worker<R: Runtime, D> {
    task: Arc<Mutex<RepeatingTask<D>>>,
    /// Taken by the start.
    callback: Arc<Mutex<Option<R::Callback>>>,
    pub(crate) world: World<R>,
    watch: Arc<Watch>,
    pub(crate) stopper: R::Stopper,
}

/// The next step.
pub(crate) enum Step {
    Call,
    Wait(Instant),
}

impl<R: Runtime, D: DelaySource> Repeating<R, D> {
    pub(crate) fn build(task: RepeatingTask<D>, callback: R::Callback, work: R::Work) -> Self {
        let worker = Worker {
            task: Arc::new(Mutex::new(task)),
            callback: Arc::new(Mutex::new(Some(callback))),
            world: R::world(),
            watch: Arc::new(Watch::new(Arc::new(()), || ())),
            stopper: R::Stopper::default(),
        };
        Self { worker, work }
    }

    /// Sets the clock of its waits.
    pub fn clock(mut self, clock: impl Clock + Send + Sync + 'static) -> Self {
        self.worker.world.clock = Arc::new(clock);
        self
    }

    /// Sets the observer of the log lines, in addition to `tracing`.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.worker.watch = Arc::new(Watch::new(observer, || ()));
        self
    }

    /// Stops it: a wait ends at once, and no further call begins. It returns at once; any thread may call it, at any
    /// time; a second call does nothing.
    pub fn stop(&self) {
        // Its thread or task sees this, and so does a start.
        self.worker.stopper.cancel();
    }

    /// The input of a start. `None`: nothing, because it was started before, which is logged, or stopped.
    pub(crate) fn begin(&self) -> Option<(Worker<R, D>, Step, R::Callback)> {
        if self.worker.stopper.is_cancelled() {
            self.worker.handle(TaskInput::Stop);
        }
        let first = self.worker.log(self.worker.handle(TaskInput::Start))?;
        let callback = lock(&self.worker.callback).take()?;
        Some((self.worker.clone(), first, callback))
    }
}

impl<R: Runtime, D: DelaySource> Worker<R, D> {
    /// Calls and waits until it is stopped.
    pub(crate) async fn run(self, first: Step, mut callback: R::Callback) {
        let mut next = Some(first);
        while let Some(step) = next
            && !self.stopper.is_cancelled()
        {
            let input = match step {
                Step::Call => R::call(&mut callback, &self.stopper).await.map(TaskInput::Returned),
                Step::Wait(until) => self.wait(until).await,
            };
            let Some(input) = input else { return };
            next = self.tell(input).await;
        }
    }

    /// `None`: it was stopped.
    async fn wait(&self, until: Instant) -> Option<TaskInput> {
        while let Err(panic) = caught(self.world.wait(until, R::stopped(&self.stopper))).await {
            self.pause(panic).await?;
        }
        Some(TaskInput::Timer)
    }

    /// The next step of the task. `None`: none, because it was stopped.
    async fn tell(&self, input: TaskInput) -> Option<Step> {
        loop {
            match guarded(|| self.handle(input.clone())) {
                Ok(outputs) => return self.log(outputs),
                Err(panic) => self.pause(panic).await?,
            }
        }
    }

    /// Recovers from a panic of the user's clock or delays: no call happens before they return a value. `None`: it was
    /// stopped.
    async fn pause(&self, panic: String) -> Option<()> {
        self.watch.write(&LogRecord::new(LogMessage::CallbackFailed).with_detail(Some(panic)));
        R::pause(R::stopped(&self.stopper)).await;
        (!self.stopper.is_cancelled()).then_some(())
    }

    fn handle(&self, input: TaskInput) -> Vec<TaskOutput> {
        let now = self.world.now();
        // Under one lock, so that each caller gets the outputs of its own input.
        let mut task = lock(&self.task);
        task.handle(input, now);
        iter::from_fn(|| task.next_output()).collect()
    }

    /// Writes log lines. Returns the next step; `None`: none from this input.
    fn log(&self, outputs: Vec<TaskOutput>) -> Option<Step> {
        let mut next = None;
        for output in outputs {
            match output {
                TaskOutput::Call => next = Some(Step::Call),
                TaskOutput::Wait { until } => next = Some(Step::Wait(until)),
                TaskOutput::Log(record) => self.watch.write(&record),
                TaskOutput::Stopped => next = None,
            }
        }
        next
    }
}

impl<R: Runtime, D> Clone for Worker<R, D> {
    fn clone(&self) -> Self {
        Self {
            task: Arc::clone(&self.task),
            callback: Arc::clone(&self.callback),
            world: self.world.clone(),
            watch: Arc::clone(&self.watch),
            stopper: self.stopper.clone(),
        }
    }
}

impl<R: Runtime, D> Drop for Repeating<R, D> {
    fn drop(&mut self) {
        self.worker.stopper.cancel();
    }
}

impl<R: Runtime, D> fmt::Debug for Repeating<R, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repeating").field("stopped", &self.worker.stopper.is_cancelled()).finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic of a delay source leaves the machine as it was before the delay.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
