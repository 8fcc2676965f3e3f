//! The client of a run: a data source, or calls one after the other.

use core::time::Duration;

use retrylab_core::{ConfigWarning, Decision, Failure, FailureKind, Fault, GiveUp, Idempotency, Instant, Policy, Sent};
use retrylab_source::{Applied, Cause, PollMachine, Rejected, SourceOptions, StreamMachine, StreamNeed};
use retrylab_spec::{End, FirstMessage, Outcome, PolicySpec, Seconds, ServerWait, Shape};

use super::stream::{At, Stream};
use super::{Given, Input, Responder, Response};
use crate::dialect::options;
use crate::record::{Event, Sink};

/// A client between two outcomes: its policy, and for a data source the machine that drivers run over real sockets.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Instant, Retry, RetryRules};
/// use retrylab_sim::{Action, At, Cause, Client, Occurrence, Setup};
/// use retrylab_spec::Shape;
///
/// let mut client = Client::new(Retry::new(RetryRules::streaming(Duration::from_secs(1))), Setup::new(Shape::Streaming), None);
/// let at = At { time_ns: 0, clock: Instant::ZERO };
/// let mut records = Vec::new();
/// assert_eq!(client.step(Occurrence::Start, at, || 0, &mut records), Action::Attempt);
/// let refused = Occurrence::Failed { cause: Cause::Status(503), retry_after: None };
/// let next = client.step(refused, at, || 0, &mut records);
/// assert_eq!(next, Action::Wait(Instant::from_secs(1)));
/// assert_eq!(records.iter().filter(|record| record.is_failure()).count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Client<P> {
    responder: Responder<P>,
    machine: Machine,
    stream: Stream,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Machine {
    Stream(StreamMachine),
    Poll(PollMachine),
    /// Calls one after the other, each with its own attempts.
    Calls {
        idempotent: bool,
    },
}

/// The parts of a client besides its policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    shape: Shape,
    options: SourceOptions,
    /// The poll interval as it was configured, in seconds.
    configured: f64,
    idempotent: bool,
}

impl Setup {
    /// A client of this shape as the rules have it; calls are idempotent.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self { shape, options: SourceOptions::default(), configured: 30.0, idempotent: true }
    }

    /// The client that a file describes.
    #[must_use]
    pub fn of(kind: &PolicySpec) -> Self {
        let configured = match kind {
            PolicySpec::TwoRegimes(regimes) => regimes.cadence.as_secs_f64(),
            _ => kind.configured().map_or(30.0, Seconds::as_f64),
        };
        Self {
            shape: kind.shape(),
            options: options(kind),
            configured,
            idempotent: kind.call().is_none_or(|call| call.idempotent),
        }
    }
}

/// An occurrence that a client notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// It begins.
    Start,
    /// Its wait is over.
    Timer,
    /// A stream is there.
    Connected {
        /// Whether no message comes with it.
        silent: bool,
    },
    /// A message came over the stream.
    Message(FirstMessage),
    /// A poll brought data, or a call succeeded.
    Answered,
    /// A poll found that nothing is new.
    NotModified,
    /// A message came, or an answer, that cannot be parsed.
    Malformed,
    /// The attempt failed, or the live stream ended.
    Failed {
        /// The cause.
        cause: Cause,
        /// The wait that the server requested.
        retry_after: Option<Duration>,
    },
    /// Its user stops it.
    Stop,
}

impl Occurrence {
    /// The occurrence of an outcome: for a stream that is up its first message, after the connection. `read` returns the
    /// wait that the server requests.
    #[inline]
    pub fn of(outcome: &Outcome, shape: Shape, read: impl FnOnce(ServerWait) -> Option<Duration>) -> Self {
        match *outcome {
            Outcome::Up { first, .. } => Self::Message(first),
            Outcome::Idle { .. } => Self::Connected { silent: true },
            Outcome::Ok => Self::Answered,
            Outcome::Malformed => Self::Malformed,
            Outcome::Status { status: 304, .. } if shape == Shape::Polling => Self::NotModified,
            Outcome::Status { status, retry_after } => {
                Self::Failed { cause: Cause::Status(status), retry_after: retry_after.and_then(read) }
            }
            Outcome::Fault(fault) => Self::Failed { cause: Cause::Fault(fault.fault()), retry_after: None },
            Outcome::Hang(_) => Self::Failed { cause: Cause::Fault(Fault::Timeout), retry_after: None },
        }
    }

    /// The end of a live stream, once the client notices it.
    #[inline]
    #[must_use]
    pub const fn end(end: End) -> Self {
        match end {
            End::Malformed => Self::Malformed,
            End::Close | End::Reset | End::Timeout | End::Tls => {
                Self::Failed { cause: Cause::Fault(end.fault()), retry_after: None }
            }
        }
    }
}

/// The next action of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing, until something happens to it.
    Nothing,
    /// It makes an attempt.
    Attempt,
    /// It waits until its clock shows this.
    Wait(Instant),
    /// It makes no further attempt.
    Stopped,
}

impl<P: Policy> Client<P> {
    /// A client before its start. `warning` is that of its policy's constructor.
    #[must_use]
    pub fn new(policy: P, setup: Setup, warning: Option<ConfigWarning>) -> Self {
        let machine = match setup.shape {
            Shape::Streaming => Machine::Stream(StreamMachine::new(warning, setup.options)),
            Shape::Polling => Machine::Poll(PollMachine::new(setup.configured, warning, setup.options)),
            Shape::Call => Machine::Calls { idempotent: setup.idempotent },
        };
        Self { responder: Responder::new(policy), machine, stream: Stream::new() }
    }

    /// The policy as it stands.
    #[inline]
    #[must_use]
    pub const fn policy(&self) -> &P {
        self.responder.policy()
    }

    /// The policy as it was left.
    #[must_use]
    pub fn into_policy(self) -> P {
        self.responder.into_policy()
    }

    pub(crate) const fn two_answers(&self) -> Option<(Duration, Duration)> {
        self.responder.two_answers
    }

    /// The attempt that is under way, or was the last one, counted from 1.
    #[inline]
    #[must_use]
    pub const fn attempt(&self) -> u64 {
        self.stream.attempt
    }

    /// The attempt that it asked for is made.
    #[inline]
    pub const fn begin_attempt(&mut self) {
        self.stream.attempt += 1;
    }

    /// Records an event that is no input of the policy.
    pub fn note(&mut self, event: Event, at: At, out: &mut impl Sink) {
        self.stream.note(event, self.responder.policy(), at, out);
    }

    /// Takes what happens to the client, and hands out the records of it in their order. `draw` is called once at a
    /// failure, and never otherwise. An occurrence that is impossible in the present state is ignored.
    #[inline]
    pub fn step(&mut self, occurrence: Occurrence, at: At, draw: impl FnOnce() -> u64, out: &mut impl Sink) -> Action {
        let (cause, retry_after, heard) = match occurrence {
            Occurrence::Failed { cause, retry_after } => (cause, retry_after, false),
            Occurrence::Start | Occurrence::Timer => return self.wake(occurrence == Occurrence::Start, at, out),
            Occurrence::Connected { silent } => return self.connected(silent, at, out),
            Occurrence::Message(FirstMessage::Put) => return self.succeed(Event::Message, at, out),
            Occurrence::Message(FirstMessage::Patch) => return self.succeed(Event::Patch, at, out),
            Occurrence::Answered => return self.succeed(Event::Ok, at, out),
            Occurrence::NotModified => match &self.machine {
                Machine::Poll(poll) if poll.has_data() => return self.succeed(Event::NotModified, at, out),
                _ => (Cause::Status(304), None, false),
            },
            Occurrence::Malformed => (Cause::Fault(Fault::Malformed), None, true),
            Occurrence::Stop => return self.stop(at, out),
        };
        self.fail(cause, retry_after, heard, at, draw, out)
    }

    #[inline]
    fn wake(&mut self, starts: bool, at: At, out: &mut impl Sink) -> Action {
        let Self { responder, machine, stream } = self;
        if starts {
            stream.look(responder.policy());
        }
        let mut recorder = stream.recorder(None, at, out);
        match machine {
            Machine::Stream(machine) if starts => machine.start::<GiveUp, _>(at.clock, &mut recorder),
            Machine::Stream(machine) => machine.timer::<GiveUp, _>(at.clock, &mut recorder),
            Machine::Poll(machine) if starts => machine.start::<GiveUp, _>(at.clock, &mut recorder),
            Machine::Poll(machine) => machine.timer::<GiveUp, _>(at.clock, &mut recorder),
            Machine::Calls { .. } => return Action::Attempt,
        }
        recorder.action
    }

    fn connected(&mut self, silent: bool, at: At, out: &mut impl Sink) -> Action {
        let Self { responder, machine, stream } = self;
        if let Machine::Stream(machine) = machine
            && is_connected(machine)
        {
            responder.respond(Input { at: at.clock, given: Given::Connected });
            let event = if silent { Event::Connected } else { Event::Opened };
            stream.note(event, responder.policy(), at, out);
        }
        Action::Nothing
    }

    fn succeed(&mut self, event: Event, at: At, out: &mut impl Sink) -> Action {
        let Self { responder, machine, stream } = self;
        let input = Input { at: at.clock, given: Given::Success };
        match machine {
            Machine::Stream(machine) if is_connected(machine) => {
                let applied = match event {
                    Event::Patch => Applied::Upsert,
                    _ => Applied::Put { flags: 0, segments: 0 },
                };
                let response = responder.respond(input);
                let outcome = stream.outcome(event, &input, &response);
                let mut recorder = stream.recorder(Some(outcome), at, out);
                machine.applied::<GiveUp, _>(applied, at.clock, &mut recorder);
                recorder.action
            }
            Machine::Poll(machine) if machine.is_asking() => {
                // The data is stored before the success is recorded.
                let mut recorder = stream.recorder(None, at, out);
                if event == Event::NotModified {
                    machine.not_modified::<GiveUp, _>(&mut recorder);
                } else {
                    machine.body();
                }
                machine.stored::<GiveUp, _>(&mut recorder);
                let response = responder.respond(input);
                let outcome = stream.outcome(event, &input, &response);
                let mut recorder = stream.recorder(Some(outcome), at, out);
                machine.succeeded::<GiveUp, _>(true, response.delay, at.clock, &mut recorder);
                recorder.action
            }
            Machine::Calls { .. } => {
                let response = responder.respond(input);
                let outcome = stream.outcome(event, &input, &response);
                stream.put(&outcome, at, out);
                Action::Wait(at.clock + response.delay)
            }
            Machine::Stream(_) | Machine::Poll(_) => Action::Nothing,
        }
    }

    /// `heard`: a message arrived that cannot be parsed.
    #[inline]
    fn fail(
        &mut self,
        cause: Cause,
        retry_after: Option<Duration>,
        heard: bool,
        at: At,
        draw: impl FnOnce() -> u64,
        out: &mut impl Sink,
    ) -> Action {
        let Self { responder, machine, stream } = self;
        let failure = match machine {
            Machine::Stream(machine) if is_connected(machine) => cause.failure(retry_after),
            Machine::Poll(machine) if machine.is_asking() => cause.failure(retry_after),
            Machine::Calls { idempotent } => failure_of_call(cause, retry_after, *idempotent),
            Machine::Stream(_) | Machine::Poll(_) => return Action::Nothing,
        };
        let input = Input { at: at.clock, given: Given::Failure { failure, draw: draw() } };
        let response = responder.respond(input);
        let (event, decision) = decided(cause, failure.kind, &response);
        let outcome = stream.outcome(event, &input, &response);
        let mut recorder = stream.recorder(Some(outcome), at, out);
        match machine {
            Machine::Stream(machine) if heard => {
                machine.rejected(Rejected::NotJson(String::new()), decision, at.clock, &mut recorder);
            }
            Machine::Stream(machine) => machine.ended(cause, decision, None, at.clock, &mut recorder),
            Machine::Poll(machine) => {
                if heard {
                    machine.body();
                }
                machine.failed(cause, decision, None, at.clock, &mut recorder);
            }
            Machine::Calls { .. } => {
                stream.put(&outcome, at, out);
                // After a call that gave up the next entry starts the next call at once, with the same budgets.
                return Action::Wait(at.clock + decision.unwrap_or_default());
            }
        }
        recorder.action
    }

    fn stop(&mut self, at: At, out: &mut impl Sink) -> Action {
        self.note(Event::Stop, at, out);
        let Self { machine, stream, .. } = self;
        let mut recorder = stream.recorder(None, at, out);
        match machine {
            Machine::Stream(machine) => machine.stop::<GiveUp, _>(&mut recorder),
            Machine::Poll(machine) => machine.stop::<GiveUp, _>(&mut recorder),
            Machine::Calls { .. } => {}
        }
        recorder.action
    }
}

#[inline]
const fn is_connected(machine: &StreamMachine) -> bool {
    matches!(machine.need(), StreamNeed::Connection(_))
}

/// The failure of a call as its policy records it.
fn failure_of_call(cause: Cause, retry_after: Option<Duration>, idempotent: bool) -> Failure {
    let (kind, sent) = match cause {
        Cause::Status(status) => {
            let status = i64::from(status);
            (FailureKind::for_call_status(status), Sent::from_status(status))
        }
        Cause::Fault(fault) => (FailureKind::for_call_fault(fault), fault.into()),
    };
    let kind = if idempotent { kind } else { Idempotency::NotIdempotent.judge(kind, sent) };
    Failure { kind, retry_after, fault: cause.fault() }
}

/// The event of a failure, and the decision as a machine takes it.
#[inline]
const fn decided(cause: Cause, kind: FailureKind, response: &Response) -> (Event, Result<Duration, GiveUp>) {
    match response.decision {
        Some(Decision::GiveUp(why)) => (Event::GaveUp { cause, kind, why }, Err(why)),
        Some(Decision::RetryAfter(delay)) => (Event::Failure { cause, kind }, Ok(delay)),
        None => (Event::Failure { cause, kind }, Ok(response.delay)),
    }
}
