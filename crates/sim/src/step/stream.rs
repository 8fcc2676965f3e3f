//! The stream of records that a client makes, numbered, with the status that its listeners know.

use retrylab_core::{Instant, Policy, Regime, Rung};
use retrylab_source::{Detail, Level, LogMessage, Outputs, Recorded, Status, StatusUpdate};

use super::client::Action;
use super::{Input, Response};
use crate::record::{Event, Record, Sink};

/// A point of time: true, and as the client's clock shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// True time in nanoseconds.
    pub time_ns: u64,
    /// What the client's clock shows.
    pub clock: Instant,
}

/// The common part of the records of a client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stream {
    /// The number of the next record.
    number: u64,
    pub(super) attempt: u64,
    /// Where the policy stood after its last response.
    place: (Option<Regime>, Option<u32>),
    status: Status,
}

impl Stream {
    pub(super) const fn new() -> Self {
        Self { number: 0, attempt: 0, place: (None, None), status: Status::new(Instant::ZERO) }
    }

    /// Looks where the policy stands.
    pub(super) fn look(&mut self, policy: &impl Policy) {
        self.stands(policy.explain(0));
    }

    /// Hands out an event that is no input of the policy, with the place at which the policy stands.
    pub(super) fn note(&mut self, event: Event, policy: &impl Policy, at: At, out: &mut impl Sink) {
        self.look(policy);
        out.put(self.record(event, at));
    }

    /// Takes the response of the policy to an outcome, whose record comes with [`Stream::put`].
    #[inline]
    pub(super) fn outcome<'a>(&mut self, event: Event, input: &'a Input, response: &'a Response) -> Outcome<'a> {
        self.stands(response.rung);
        Outcome { event, input, response }
    }

    /// Hands out the record of an outcome.
    #[inline]
    pub(super) fn put(&mut self, outcome: &Outcome<'_>, at: At, out: &mut impl Sink) {
        let Outcome { event, input, response } = *outcome;
        let mut record = self.record(event, at);
        record.respond(input, response);
        out.put(record);
    }

    /// A receiver of a machine's outputs.
    #[inline]
    pub(super) const fn recorder<'a, S: Sink>(
        &'a mut self,
        outcome: Option<Outcome<'a>>,
        at: At,
        out: &'a mut S,
    ) -> Recorder<'a, S> {
        Recorder { stream: self, outcome, at, out, action: Action::Nothing }
    }

    #[inline]
    fn stands(&mut self, rung: Option<Rung>) {
        self.place = (rung.map(|rung| rung.regime), rung.map(|rung| rung.number));
    }

    /// The next record.
    #[inline]
    fn record(&mut self, event: Event, at: At) -> Record {
        let number = self.number;
        self.number += 1;
        Record::placed(event, at.time_ns, at.clock.as_nanos(), self.attempt, number, self.place)
    }
}

/// An outcome that the policy has responded to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome<'a> {
    event: Event,
    input: &'a Input,
    response: &'a Response,
}

/// Makes records of the outputs of a machine, and keeps the next action of the client.
pub(super) struct Recorder<'a, S> {
    stream: &'a mut Stream,
    outcome: Option<Outcome<'a>>,
    at: At,
    out: &'a mut S,
    pub(super) action: Action,
}

impl<G, S: Sink> Outputs<G> for Recorder<'_, S> {
    #[inline]
    fn attempt(&mut self, _: u64) {
        self.action = Action::Attempt;
    }

    #[inline]
    fn recorded(&mut self, _: Recorded<G>) {
        if let Some(outcome) = &self.outcome {
            self.stream.put(outcome, self.at, self.out);
        }
    }

    #[inline]
    fn status(&mut self, update: StatusUpdate) {
        if self.stream.status.update(update.state, update.error, self.at.clock) {
            let event = Event::Status { state: self.stream.status.state, error: update.error };
            self.out.put(self.stream.record(event, self.at));
        }
    }

    #[inline]
    fn log(&mut self, level: Level, message: LogMessage, _: Option<Detail>) {
        self.out.put(self.stream.record(Event::Log { level, message }, self.at));
    }

    #[inline]
    fn wait(&mut self, until: Instant) {
        self.action = Action::Wait(until);
    }

    #[inline]
    fn stopped(&mut self) {
        self.action = Action::Stopped;
    }
}
