//! The client of a run: a data source, or calls one after the other.

use core::time::Duration;
use std::sync::Arc;

use retrylab_core::{ConfigWarning, Decision, Failure, FailureKind, Idempotency, Instant, Policy, Sent};
use retrylab_scenario::{ClientKind, Seconds, Shape};
use retrylab_source::{
    Answer, Applied, Body, Cause, Endpoint, LogRecord, MayGiveUp, Message, PollInput, PollNeed, PollOutput,
    PollingSource, Recorded, Rejected, SourceOptions, StatusUpdate, StreamInput, StreamNeed, StreamOutput,
    StreamingSource,
};

/// The client of a run.
#[derive(Debug)]
pub(super) enum Client<P: Policy> {
    Streaming(StreamingSource<MayGiveUp<P>>),
    Polling(PollingSource<MayGiveUp<P>>),
    Calls(Calls<P>),
}

/// Something that a client wants or has done.
#[derive(Debug)]
pub(super) enum Wish {
    /// An attempt.
    Attempt,
    /// Nothing until then.
    Wait(Instant),
    /// An outcome was recorded.
    Recorded(Recorded<retrylab_core::GiveUp>),
    /// What came is to be stored.
    Apply,
    /// The store is to say whether it has data.
    CheckStore,
    Status(StatusUpdate),
    Log(LogRecord),
    /// There will be no attempt any more.
    Stopped,
}

/// The address of a scripted server; nobody resolves it.
const SCRIPTED: &str = "http://scripted.example";

impl<P: Policy> Client<P> {
    pub(super) fn new(kind: &ClientKind, policy: P, warning: Option<ConfigWarning>, options: SourceOptions) -> Self {
        match kind.shape() {
            Shape::Streaming => {
                let endpoint = Endpoint::new(SCRIPTED, "/all");
                Self::Streaming(StreamingSource::new(endpoint, MayGiveUp(policy), warning, options))
            }
            Shape::Polling => {
                let endpoint = Endpoint::new(SCRIPTED, "/sdk/latest-all");
                let configured = configured_interval(kind);
                Self::Polling(PollingSource::new(endpoint, MayGiveUp(policy), configured, warning, options))
            }
            Shape::Call => Self::Calls(Calls { policy, idempotent: is_idempotent(kind) }),
        }
    }

    /// The policy as it stands.
    pub(super) const fn policy(&self) -> &P {
        match self {
            Self::Streaming(source) => &source.policy().0,
            Self::Polling(source) => &source.policy().0,
            Self::Calls(calls) => &calls.policy,
        }
    }

    /// What it does next.
    pub(super) fn next_wish(&mut self) -> Option<Wish> {
        match self {
            Self::Streaming(source) => loop {
                return Some(match source.next_output()? {
                    StreamOutput::Connect { .. } => Wish::Attempt,
                    StreamOutput::Recorded(recorded) => Wish::Recorded(recorded),
                    StreamOutput::Apply { .. } => Wish::Apply,
                    StreamOutput::Status(update) => Wish::Status(update),
                    StreamOutput::Log(record) => Wish::Log(record),
                    StreamOutput::Wait { until } => Wish::Wait(until),
                    StreamOutput::Stopped => Wish::Stopped,
                    StreamOutput::Drop { .. }
                    | StreamOutput::Environment(_)
                    | StreamOutput::Init(_)
                    | StreamOutput::Ready => continue,
                });
            },
            Self::Polling(source) => loop {
                return Some(match source.next_output()? {
                    PollOutput::Poll { .. } => Wish::Attempt,
                    PollOutput::Recorded(recorded) => Wish::Recorded(recorded),
                    PollOutput::Apply { .. } => Wish::Apply,
                    PollOutput::CheckStore { .. } => Wish::CheckStore,
                    PollOutput::Status(update) => Wish::Status(update),
                    PollOutput::Log(record) => Wish::Log(record),
                    PollOutput::Wait { until } => Wish::Wait(until),
                    PollOutput::Stopped => Wish::Stopped,
                    PollOutput::Drop { .. } | PollOutput::Environment(_) | PollOutput::Ready => continue,
                });
            },
            Self::Calls(_) => None,
        }
    }

    /// The time has come that it waited for, or the run begins.
    pub(super) fn wake(&mut self, now: Instant, begins: bool) {
        match self {
            Self::Streaming(source) if begins => source.handle(StreamInput::Start, now, no_draw),
            Self::Streaming(source) => source.handle(StreamInput::Timer, now, no_draw),
            Self::Polling(source) if begins => source.handle(PollInput::Start, now, no_draw),
            Self::Polling(source) => source.handle(PollInput::Timer, now, no_draw),
            Self::Calls(_) => {}
        }
    }

    /// A stream is there.
    pub(super) fn connected(&mut self, now: Instant) {
        if let Self::Streaming(source) = self
            && let StreamNeed::Connection(connection) = source.need()
        {
            source.handle(StreamInput::Connected { connection, environment: None }, now, no_draw);
        }
    }

    /// A message, or the body of a poll.
    pub(super) fn hear(&mut self, now: Instant) {
        match self {
            Self::Streaming(source) => {
                if let StreamNeed::Connection(connection) = source.need() {
                    let message = Message { event: String::new(), data: String::new() };
                    source.handle(StreamInput::Message { connection, message }, now, no_draw);
                }
            }
            Self::Polling(source) => {
                if let PollNeed::Answer { poll, .. } = source.need() {
                    let body = Body { bytes: Arc::default(), etag: None };
                    let answer = Answer::Body { body, environment: None };
                    source.handle(PollInput::Answered { poll, answer }, now, no_draw);
                }
            }
            Self::Calls(_) => {}
        }
    }

    /// A poll found nothing new.
    pub(super) fn not_modified(&mut self, now: Instant, draw: impl FnOnce() -> u64) {
        if let Self::Polling(source) = self
            && let PollNeed::Answer { poll, .. } = source.need()
        {
            source.handle(PollInput::Answered { poll, answer: Answer::NotModified }, now, draw);
        }
    }

    /// What came was stored, or could not be parsed.
    pub(super) fn applied(&mut self, result: Result<Applied, Rejected>, now: Instant, draw: impl FnOnce() -> u64) {
        match self {
            Self::Streaming(source) => {
                if let StreamNeed::Connection(connection) = source.need() {
                    source.handle(StreamInput::Applied { connection, result }, now, draw);
                }
            }
            Self::Polling(source) => {
                if let PollNeed::Answer { poll, .. } = source.need() {
                    let result = result.map(|_| ());
                    source.handle(PollInput::Applied { poll, result }, now, draw);
                }
            }
            Self::Calls(_) => {}
        }
    }

    /// The store has data.
    pub(super) fn store_checked(&mut self, now: Instant) {
        if let Self::Polling(source) = self
            && let PollNeed::Answer { poll, .. } = source.need()
        {
            source.handle(PollInput::StoreChecked { poll, result: Ok(true) }, now, no_draw);
        }
    }

    /// The attempt failed, or the live stream ended.
    pub(super) fn ended(
        &mut self,
        cause: Cause,
        retry_after: Option<Duration>,
        now: Instant,
        draw: impl FnOnce() -> u64,
    ) {
        match self {
            Self::Streaming(source) => {
                if let StreamNeed::Connection(connection) = source.need() {
                    source.handle(StreamInput::Ended { connection, cause, retry_after, detail: None }, now, draw);
                }
            }
            Self::Polling(source) => {
                if let PollNeed::Answer { poll, .. } = source.need() {
                    let answer = Answer::Failed { cause, retry_after, detail: None };
                    source.handle(PollInput::Answered { poll, answer }, now, draw);
                }
            }
            Self::Calls(_) => {}
        }
    }

    /// Its user stops it.
    pub(super) fn stop(&mut self, now: Instant) {
        match self {
            Self::Streaming(source) => source.handle(StreamInput::Stop, now, no_draw),
            Self::Polling(source) => source.handle(PollInput::Stop, now, no_draw),
            Self::Calls(_) => {}
        }
    }
}

/// Calls one after the other, each with its own attempts.
#[derive(Debug)]
pub(super) struct Calls<P> {
    pub(super) policy: P,
    idempotent: bool,
}

impl<P: Policy> Calls<P> {
    pub(super) fn succeed(&mut self, now: Instant) {
        self.policy.record_success(now);
    }

    pub(super) fn fail(
        &mut self,
        cause: Cause,
        retry_after: Option<Duration>,
        now: Instant,
        draw: u64,
    ) -> (FailureKind, Decision) {
        let (kind, sent) = match cause {
            Cause::Status(status) => {
                let status = i64::from(status);
                (FailureKind::from_call_status(status), Sent::from_status(status))
            }
            Cause::Fault(fault) => (FailureKind::from_call_fault(fault), fault.into()),
        };
        let kind = if self.idempotent { kind } else { Idempotency::NotIdempotent.judge(kind, sent) };
        (kind, self.policy.record_failure(Failure { kind, retry_after, fault: cause.fault() }, now, draw))
    }
}

fn is_idempotent(kind: &ClientKind) -> bool {
    match kind {
        ClientKind::Call(call) => call.idempotent,
        _ => true,
    }
}

fn configured_interval(kind: &ClientKind) -> f64 {
    let seconds = match kind {
        ClientKind::Polling { poll_interval } => *poll_interval,
        ClientKind::Dialect { seconds, .. } => *seconds,
        _ => None,
    };
    seconds.map_or(30.0, Seconds::as_f64)
}

/// For inputs that are no failure.
const fn no_draw() -> u64 {
    0
}
