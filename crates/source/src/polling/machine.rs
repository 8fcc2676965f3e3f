//! The polling source without address, policy, bodies and queue: what it puts out goes to its caller at once.

use core::fmt::Display;
use core::time::Duration;

use retrylab_core::{ConfigWarning, Fault, Instant};

use super::next_multiple;
use crate::apply::Rejected;
use crate::cause::Cause;
use crate::course::{Course, Phase};
use crate::log::{Detail, LogMessage, Request};
use crate::options::{PollTiming, SourceOptions};
use crate::outcome::Recorded;
use crate::outputs::Outputs;
use crate::shell::PollNeed;
use crate::status::{ErrorKind, SourceError, State};

/// The polling source without address, policy, bodies and queue, one method an input. It allocates nothing: each output goes
/// to `out` as it comes, and a line of the log is formatted by its reader. Its polls carry no tag, and its caller stores the
/// bodies.
///
/// [`PollingSource`](crate::PollingSource) is this machine for drivers. Its caller records each outcome with the policy first,
/// and sees to it that an answer is that of the present step of the present poll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PollMachine {
    /// The interval as it was configured, in seconds: what the first line states.
    configured: f64,
    /// Its attempts are polls.
    course: Course<Step>,
    /// When the last poll began.
    began: Instant,
    /// Whether something was stored, for an answer that nothing is new.
    cached: bool,
}

/// How far a poll has come. What belongs to another step is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Asking,
    Storing,
    Checking,
}

impl PollMachine {
    /// A machine that was not started. `configured` is the interval in seconds as it was configured; `warning` is that of the
    /// policy's constructor.
    #[must_use]
    pub const fn new(configured: f64, warning: Option<ConfigWarning>, options: SourceOptions) -> Self {
        Self { configured, course: Course::new(warning, options), began: Instant::ZERO, cached: false }
    }

    /// What its caller has to do next; `etag` is the tag of the data that is here.
    pub(super) fn need(&self, etag: impl FnOnce() -> Option<String>) -> PollNeed {
        match self.course.phase {
            Phase::Idle => PollNeed::Start,
            Phase::Attempt(_) => PollNeed::Response { poll: self.course.attempt, etag: etag() },
            Phase::Waiting { until } => PollNeed::Wait(until),
            Phase::Stopped => PollNeed::Stopped,
        }
    }

    /// Whether a poll is under way that has no answer.
    #[inline]
    #[must_use]
    pub fn is_asking(&self) -> bool {
        self.course.phase == Phase::Attempt(Step::Asking)
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.course.phase == Phase::Stopped
    }

    #[inline]
    pub(super) fn is_at(&self, poll: u64, step: Step) -> bool {
        self.course.is_at(poll, step)
    }

    /// The user starts the source.
    pub fn start<G, O: Outputs<G>>(&mut self, now: Instant, out: &mut O) {
        if self.course.start(LogMessage::StartingPolling(self.configured), Step::Asking, out) {
            self.began = now;
        }
    }

    /// The user starts a source whose address cannot be used.
    pub(super) fn refuse<G>(&mut self, error: &impl Display, out: &mut impl Outputs<G>) {
        self.course.refuse(error, out);
    }

    /// The wait is over.
    #[inline]
    pub fn timer<G, O: Outputs<G>>(&mut self, now: Instant, out: &mut O) {
        if self.course.timer(Step::Asking, out) {
            self.began = now;
        }
    }

    /// The poll brought data, which its caller is to store.
    #[inline]
    pub fn body(&mut self) {
        self.course.phase = Phase::Attempt(Step::Storing);
    }

    /// Whether an answer that nothing is new is a success: something was stored.
    #[inline]
    #[must_use]
    pub const fn has_data(&self) -> bool {
        self.cached
    }

    /// The poll found nothing new: what was stored last is to be stored again. Without any, that is a [failure](Self::failed).
    #[inline]
    pub fn not_modified<G, O: Outputs<G>>(&mut self, out: &mut O) {
        self.course.log(LogMessage::NotModified, None, out);
        self.body();
    }

    /// The data was stored.
    #[inline]
    pub fn stored<G, O: Outputs<G>>(&mut self, out: &mut O) {
        self.course.phase = Phase::Attempt(Step::Checking);
        self.cached = true;
        self.course.report(State::Valid, None, out);
        out.check_store(self.course.attempt);
    }

    /// The store answered whether it has data, and the success was recorded, after which the policy has this `delay`.
    #[inline]
    pub fn succeeded<G, O: Outputs<G>>(&mut self, has_data: bool, delay: Duration, now: Instant, out: &mut O) {
        if has_data {
            self.course.initialize(out);
        }
        self.course.log(LogMessage::Handled, None, out);
        out.recorded(Recorded::Success);
        let until = match self.course.options.poll_timing {
            PollTiming::Gap => now + delay,
            PollTiming::FixedCadence => next_multiple(self.began, delay, now),
        };
        self.course.wait(until, out);
    }

    /// The data could not be stored: a failure. `decision` is the policy's.
    pub fn rejected<G: Copy>(
        &mut self,
        rejected: Rejected,
        decision: Result<Duration, G>,
        now: Instant,
        out: &mut impl Outputs<G>,
    ) {
        let fault = rejected.fault();
        let (_, detail) = self.course.reject(rejected, out);
        self.failed(Cause::Fault(fault), decision, Some(detail), now, out);
    }

    /// The poll brought no data: a failure. `decision` is the policy's.
    #[inline]
    pub fn failed<G: Copy>(
        &mut self,
        cause: Cause,
        decision: Result<Duration, G>,
        detail: Option<String>,
        now: Instant,
        out: &mut impl Outputs<G>,
    ) {
        let delay = decision.ok().into();
        let row = match cause {
            Cause::Status(status) if status >= 400 => {
                let message = LogMessage::Http { status, kind: cause.kind(), request: Request::Poll, delay };
                (message, SourceError::response(status))
            }
            Cause::Fault(Fault::Malformed) => {
                let kind = self.course.options.malformed_body.kind();
                (LogMessage::PollError { cause, delay }, SourceError::new(kind))
            }
            Cause::Status(_) | Cause::Fault(_) => {
                (LogMessage::PollError { cause, delay }, SourceError::new(ErrorKind::Unknown))
            }
        };
        self.course.fail(cause, decision, row, detail.map(Detail::Text), now, out);
    }

    /// The user stops the source.
    pub fn stop<G, O: Outputs<G>>(&mut self, out: &mut O) {
        self.course.stop(out);
    }
}
