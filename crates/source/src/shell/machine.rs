//! What the machines have in common, as their shell sees it.

use core::convert::Infallible;

use retrylab_core::Instant;

use super::{PollNeed, StreamNeed, Wiring};
use crate::apply::{apply_body, apply_message, is_initialized};
use crate::data::Message;
use crate::endpoint::{Endpoint, EndpointError};
use crate::outputs::SourceOutput;
use crate::policy::SourcePolicy;
use crate::polling::{Body, PollInput, PollingSource};
use crate::streaming::{StreamInput, StreamingSource};

/// A machine that a [`Shell`](super::Shell) can hold: [`StreamingSource`] or [`PollingSource`].
pub trait Machine {
    /// What happens to it.
    type Input;
    /// The data that an attempt brings.
    type Data;
    /// The driver's next task for it.
    type Need;

    /// The user stops the source.
    const STOP: Self::Input;

    /// Takes what happened at `now`; asks for a draw if [`fails_of`](Self::fails_of) says so, and else not.
    fn handle(&mut self, input: Self::Input, now: Instant, draw: impl FnOnce() -> u64);

    /// What it does next.
    fn next_output(&mut self) -> Option<SourceOutput<Infallible, Self::Data>>;

    /// The driver's next task.
    fn need(&self) -> Self::Need;

    /// Whether this input would be a failure, which needs a draw.
    fn fails_of(&self, input: &Self::Input) -> bool;

    /// The address to connect to.
    fn endpoint(&self) -> Result<&Endpoint, &EndpointError>;

    /// Passes the data of an attempt to the decoder and the store. Returns the response.
    fn apply(number: u64, data: Self::Data, wiring: &Wiring) -> Self::Input;

    /// Checks whether the store has data after this poll. Returns the response, if the machine takes one.
    fn check_store(poll: u64, wiring: &Wiring) -> Option<Self::Input>;
}

impl<P: SourcePolicy<GiveUp = Infallible>> Machine for StreamingSource<P> {
    type Input = StreamInput;
    type Data = Message;
    type Need = StreamNeed;

    const STOP: StreamInput = StreamInput::Stop;

    fn handle(&mut self, input: StreamInput, now: Instant, draw: impl FnOnce() -> u64) {
        self.handle(input, now, draw);
    }

    fn next_output(&mut self) -> Option<SourceOutput<Infallible, Self::Data>> {
        self.next_output()
    }

    fn need(&self) -> StreamNeed {
        self.need()
    }

    fn fails_of(&self, input: &StreamInput) -> bool {
        self.fails_of(input)
    }

    fn endpoint(&self) -> Result<&Endpoint, &EndpointError> {
        self.endpoint()
    }

    fn apply(connection: u64, message: Message, wiring: &Wiring) -> StreamInput {
        let result = apply_message(&*wiring.decoder, &*wiring.store, &message);
        StreamInput::Applied { connection, result }
    }

    fn check_store(_: u64, _: &Wiring) -> Option<StreamInput> {
        None
    }
}

impl<P: SourcePolicy<GiveUp = Infallible>> Machine for PollingSource<P> {
    type Input = PollInput;
    type Data = Body;
    type Need = PollNeed;

    const STOP: PollInput = PollInput::Stop;

    fn handle(&mut self, input: PollInput, now: Instant, draw: impl FnOnce() -> u64) {
        self.handle(input, now, draw);
    }

    fn next_output(&mut self) -> Option<SourceOutput<Infallible, Self::Data>> {
        self.next_output()
    }

    fn need(&self) -> PollNeed {
        self.need()
    }

    fn fails_of(&self, input: &PollInput) -> bool {
        self.fails_of(input)
    }

    fn endpoint(&self) -> Result<&Endpoint, &EndpointError> {
        self.endpoint()
    }

    fn apply(poll: u64, body: Body, wiring: &Wiring) -> PollInput {
        PollInput::Applied { poll, result: apply_body(&*wiring.decoder, &*wiring.store, &body.bytes) }
    }

    fn check_store(poll: u64, wiring: &Wiring) -> Option<PollInput> {
        Some(PollInput::StoreChecked { poll, result: is_initialized(&*wiring.store) })
    }
}
