//! A callback that repeats, as a machine without a thread.

use core::time::Duration;
use std::collections::VecDeque;

use retrylab_core::{Instant, Policy};

use crate::log::{LogMessage, LogRecord};
use crate::options::PollTiming;
use crate::polling::next_multiple;

/// The source of the delays between calls. It is read once after each call; reading changes nothing.
pub trait DelaySource {
    /// The present delay.
    fn next_delay(&self) -> Duration;
}

impl<P: Policy> DelaySource for P {
    fn next_delay(&self) -> Duration {
        Policy::next_delay(self)
    }
}

/// A constant delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Every(pub Duration);

impl DelaySource for Every {
    fn next_delay(&self) -> Duration {
        self.0
    }
}

/// The machine of a repeating task: call, wait, call, wait, until it is stopped.
///
/// A callback that fails or panics is logged, and called again. A stop is final at any time: before the start, in a
/// call, in a wait, twice.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Instant;
/// use retrylab_source::{RepeatingTask, TaskInput, TaskOutput};
///
/// let mut task = RepeatingTask::every(Duration::from_secs(10));
/// task.handle(TaskInput::Start, Instant::ZERO);
/// assert_eq!(task.next_output(), Some(TaskOutput::Call));
/// // The call took three seconds; the wait begins when it has ended.
/// task.handle(TaskInput::Returned(Ok(())), Instant::from_secs(3));
/// assert_eq!(task.next_output(), Some(TaskOutput::Wait { until: Instant::from_secs(13) }));
/// ```
#[derive(Clone, Debug)]
pub struct RepeatingTask<D> {
    delays: D,
    timing: PollTiming,
    initial_delay: Duration,
    phase: Phase,
    began: Instant,
    outputs: VecDeque<TaskOutput>,
}

/// An input of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskInput {
    /// The user starts the task.
    Start,
    /// The callback returned, with the text of its error or panic if it failed.
    Returned(Result<(), String>),
    /// The wait is over.
    Timer,
    /// The user stops the task.
    Stop,
}

/// An output of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskOutput {
    /// Call the callback; the response is [`TaskInput::Returned`].
    Call,
    /// Wait until then; the response is [`TaskInput::Timer`].
    Wait {
        /// On the clock of the inputs.
        until: Instant,
    },
    /// Log this.
    Log(LogRecord),
    /// The last call is over. A running callback finishes; its failure is still logged.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Calling,
    Waiting,
    Stopped,
}

impl RepeatingTask<Every> {
    /// A task that waits `interval` from the end of each call.
    #[must_use]
    pub const fn every(interval: Duration) -> Self {
        Self::new(Every(interval))
    }
}

impl<D> RepeatingTask<D> {
    /// A task with the waits of `delays`. The first call is immediate.
    #[must_use]
    pub const fn new(delays: D) -> Self {
        Self {
            delays,
            timing: PollTiming::Gap,
            initial_delay: Duration::ZERO,
            phase: Phase::Idle,
            began: Instant::ZERO,
            outputs: VecDeque::new(),
        }
    }

    /// Sets a wait before the first call.
    #[must_use]
    pub fn initial_delay(self, delay: Duration) -> Self {
        Self { initial_delay: delay, ..self }
    }

    /// Starts calls at multiples of the delay from the start of the last one. Calls missed during a slow one are
    /// skipped.
    #[must_use]
    pub fn fixed_cadence(self) -> Self {
        Self { timing: PollTiming::FixedCadence, ..self }
    }

    /// The source of the delays.
    #[must_use]
    pub const fn delays(&self) -> &D {
        &self.delays
    }

    /// The source of the delays, mutable, to record outcomes.
    pub const fn delays_mut(&mut self) -> &mut D {
        &mut self.delays
    }
}

impl<D: DelaySource> RepeatingTask<D> {
    /// Handles an input at `now`.
    pub fn handle(&mut self, input: TaskInput, now: Instant) {
        match (input, self.phase) {
            (TaskInput::Start, Phase::Idle) if self.initial_delay.is_zero() => self.call(now),
            (TaskInput::Start, Phase::Idle) => self.wait(now + self.initial_delay),
            (TaskInput::Start, Phase::Calling | Phase::Waiting) => self.log(LogMessage::AlreadyStarted, None),
            (TaskInput::Returned(result), Phase::Calling | Phase::Stopped) => {
                if let Err(error) = result {
                    self.log(LogMessage::CallbackFailed, Some(error));
                }
                if self.phase == Phase::Calling {
                    let delay = self.delays.next_delay();
                    self.wait(match self.timing {
                        PollTiming::Gap => now + delay,
                        PollTiming::FixedCadence => next_multiple(self.began, delay, now),
                    });
                }
            }
            (TaskInput::Timer, Phase::Waiting) => self.call(now),
            (TaskInput::Stop, Phase::Idle | Phase::Calling | Phase::Waiting) => {
                self.phase = Phase::Stopped;
                self.outputs.push_back(TaskOutput::Stopped);
            }
            (TaskInput::Start | TaskInput::Stop, Phase::Stopped)
            | (TaskInput::Returned(_), Phase::Idle | Phase::Waiting)
            | (TaskInput::Timer, Phase::Idle | Phase::Calling | Phase::Stopped) => {}
        }
    }

    /// The next output.
    pub fn next_output(&mut self) -> Option<TaskOutput> {
        self.outputs.pop_front()
    }

    fn call(&mut self, now: Instant) {
        self.phase = Phase::Calling;
        self.began = now;
        self.outputs.push_back(TaskOutput::Call);
    }

    fn wait(&mut self, until: Instant) {
        self.phase = Phase::Waiting;
        self.outputs.push_back(TaskOutput::Wait { until });
    }

    fn log(&mut self, message: LogMessage, detail: Option<String>) {
        self.outputs.push_back(TaskOutput::Log(LogRecord::new(message).with_detail(detail)));
    }
}
