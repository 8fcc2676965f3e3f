//! The streaming source without address, policy and queue: what it puts out goes to its caller at once.

use core::fmt::Display;
use core::time::Duration;

use retrylab_core::{ConfigWarning, Fault, Instant};

use crate::apply::{Applied, Rejected};
use crate::cause::Cause;
use crate::course::{Course, Phase};
use crate::log::{Detail, LogMessage, Request};
use crate::options::{ServerRetry, SourceOptions, ValidAfter};
use crate::outcome::{Recorded, StreamInit};
use crate::outputs::Outputs;
use crate::shell::StreamNeed;
use crate::status::{ErrorKind, SourceError, State};

/// The streaming source without address, policy and queue, one method an input. It allocates nothing: each output goes to
/// `out` as it comes, and a line of the log is formatted by its reader.
///
/// [`StreamingSource`](crate::StreamingSource) is this machine for drivers. Its caller records each outcome with the policy
/// first, and sees to it that an outcome is that of the present connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamMachine {
    /// Its attempts are connections.
    course: Course<()>,
    /// The server's `retry_after` for the end of the present connection.
    hint: Option<Duration>,
    /// When the attempt began that has brought no data yet.
    began: Option<Instant>,
}

impl StreamMachine {
    /// A machine that was not started. `warning` is that of the policy's constructor.
    #[must_use]
    pub const fn new(warning: Option<ConfigWarning>, options: SourceOptions) -> Self {
        Self { course: Course::new(warning, options), hint: None, began: None }
    }

    /// What its caller has to do next.
    #[inline]
    #[must_use]
    pub const fn need(&self) -> StreamNeed {
        match self.course.phase {
            Phase::Idle => StreamNeed::Start,
            Phase::Attempt(()) => StreamNeed::Connection(self.course.attempt),
            Phase::Waiting { until } => StreamNeed::Wait(until),
            Phase::Stopped => StreamNeed::Stopped,
        }
    }

    /// The user starts the source.
    pub fn start<G, O: Outputs<G>>(&mut self, now: Instant, out: &mut O) {
        if self.course.start(LogMessage::StartingStream, (), out) {
            self.began = Some(now);
        }
    }

    /// The user starts a source whose address cannot be used.
    pub(super) fn refuse<G>(&mut self, error: &impl Display, out: &mut impl Outputs<G>) {
        self.course.refuse(error, out);
    }

    /// The wait is over.
    #[inline]
    pub fn timer<G, O: Outputs<G>>(&mut self, now: Instant, out: &mut O) {
        if self.course.timer((), out) {
            self.began = Some(now);
        }
    }

    /// A message was handled, and the success was recorded.
    #[inline]
    pub fn applied<G, O: Outputs<G>>(&mut self, applied: Applied, now: Instant, out: &mut O) {
        out.recorded(Recorded::Success);
        let course = &mut self.course;
        match applied {
            Applied::Put { flags, segments } => {
                course.log(LogMessage::Handled, Some(Detail::Counts { flags, segments }), out);
            }
            Applied::Upsert => course.log(LogMessage::Handled, None, out),
            Applied::UnknownPath => {
                course.log(LogMessage::Handled, None, out);
                course.log(LogMessage::UnknownPath, None, out);
            }
            Applied::UnknownEvent => course.log(LogMessage::UnknownEvent, None, out),
        }
        if matches!(applied, Applied::Put { .. }) || course.options.valid_after == ValidAfter::AnyMessage {
            self.diagnose(false, now, out);
            self.course.report(State::Valid, None, out);
            self.course.initialize(out);
        }
    }

    /// The server's `retry_after` for the end of this stream.
    pub fn hint(&mut self, retry: Duration) {
        self.hint = Some(retry).filter(|_| self.course.options.server_retry == ServerRetry::Honoured);
    }

    /// The wait that goes to the policy with a failure for which the server asked for `retry_after`.
    #[inline]
    pub fn take_hint(&mut self, retry_after: Option<Duration>) -> Option<Duration> {
        self.hint.take().or(retry_after)
    }

    /// A message could not be handled: a failure, and the end of the connection. `decision` is the policy's.
    pub fn rejected<G: Copy>(
        &mut self,
        rejected: Rejected,
        decision: Result<Duration, G>,
        now: Instant,
        out: &mut impl Outputs<G>,
    ) {
        let fault = rejected.fault();
        let (kind, detail) = self.course.reject(rejected, out);
        self.course.log(LogMessage::Unhandled, Some(Detail::Text(detail.clone())), out);
        out.drop_attempt(self.course.attempt);
        self.fail(Cause::Fault(fault), decision, SourceError::new(kind), Some(detail), now, out);
    }

    /// There is no stream, or it is over: a failure. `decision` is the policy's.
    #[inline]
    pub fn ended<G: Copy>(
        &mut self,
        cause: Cause,
        decision: Result<Duration, G>,
        detail: Option<String>,
        now: Instant,
        out: &mut impl Outputs<G>,
    ) {
        let error = match cause {
            Cause::Status(status) => SourceError::response(status),
            Cause::Fault(Fault::Close) => SourceError::new(ErrorKind::NetworkError),
            Cause::Fault(Fault::Malformed) => SourceError::new(ErrorKind::InvalidData),
            Cause::Fault(_) => SourceError::new(ErrorKind::Unknown),
        };
        self.fail(cause, decision, error, detail, now, out);
    }

    #[inline]
    fn fail<G: Copy>(
        &mut self,
        cause: Cause,
        decision: Result<Duration, G>,
        error: SourceError,
        detail: Option<String>,
        now: Instant,
        out: &mut impl Outputs<G>,
    ) {
        self.diagnose(true, now, out);
        let delay = decision.ok().into();
        let message = match cause {
            Cause::Status(status) => LogMessage::Http { status, kind: cause.kind(), request: Request::Stream, delay },
            Cause::Fault(Fault::Close) => LogMessage::ServerClosed { delay },
            Cause::Fault(Fault::Malformed) => LogMessage::Unparseable { delay },
            Cause::Fault(fault) => LogMessage::StreamError { fault, delay },
        };
        self.course.fail(cause, decision, (message, error), detail.map(Detail::Text), now, out);
    }

    /// The user stops the source.
    pub fn stop<G, O: Outputs<G>>(&mut self, out: &mut O) {
        self.course.stop(out);
    }

    /// Whether this is the connection that is being made or is there.
    #[inline]
    pub(super) fn is_current(&self, connection: u64) -> bool {
        self.course.is_at(connection, ())
    }

    #[inline]
    fn diagnose<G>(&mut self, failed: bool, now: Instant, out: &mut impl Outputs<G>) {
        if let Some(began) = self.began.take() {
            out.init(StreamInit { began, took: now.since(began), failed });
        }
    }
}
