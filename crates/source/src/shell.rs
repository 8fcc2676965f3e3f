//! A machine with what needs no socket around it: store, decoder, status, log. What is left for a driver is to connect, to
//! read, to wait.

use core::convert::Infallible;
use std::sync::Arc;

use retrylab_core::Instant;

use crate::apply::{apply_body, apply_message, guarded, is_initialized};
use crate::decode::{Decode, FlagData};
use crate::endpoint::{Endpoint, EndpointError};
use crate::log::LogRecord;
use crate::outcome::{Recorded, StatusUpdate, StreamInit};
use crate::policy::SourcePolicy;
use crate::polling::{PollInput, PollOutput, PollingSource};
use crate::sink::StatusSink;
use crate::status::State;
use crate::store::Store;
use crate::streaming::{StreamInput, StreamOutput, StreamingSource};
use crate::turn::Shared;

/// What a source works with. All of it may be shared by several.
#[derive(Clone)]
pub struct Wiring {
    /// Where its data goes.
    pub store: Arc<dyn Store>,
    /// What reads its data; [`FlagData`] unless it says otherwise.
    pub decoder: Arc<dyn Decode>,
    /// Where it says how it is doing.
    pub sink: StatusSink,
    /// Who is told of everything else.
    pub observer: Arc<dyn Observer>,
}

impl Wiring {
    /// With this store and observer, the decoder [`FlagData`], and a status that begins at `now`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, observer: Arc<dyn Observer>, now: Instant) -> Self {
        Self { store, decoder: Arc::new(FlagData), sink: StatusSink::new(now), observer }
    }
}

/// Who is told of what a source does. A call that panics is as one that returned.
pub trait Observer: Send + Sync {
    /// A line for the log.
    fn log(&self, record: &LogRecord) {
        let _ = record;
    }

    /// The retry state was told something, at `now`.
    fn recorded(&self, outcome: Recorded<Infallible>, now: Instant) {
        let _ = (outcome, now);
    }

    /// There is data for the first time. The status is valid by now.
    fn ready(&self) {}

    /// The server says that this is its environment.
    fn environment(&self, environment: &str) {
        let _ = environment;
    }

    /// An attempt to begin a stream is over.
    fn stream_init(&self, init: StreamInit) {
        let _ = init;
    }
}

/// Tells nobody.
impl Observer for () {}

/// What the caller of a machine knows and the machine does not: the time, and chance.
pub trait Surroundings {
    /// The time on one monotonic clock.
    fn now(&self) -> Instant;

    /// A draw, uniform over all of `u64`.
    fn draw(&self) -> u64;
}

/// What a driver has to do next for a streaming source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamNeed {
    /// It was not started.
    Start,
    /// This connection: to be made if it is not there, else to be read from.
    Connection(u64),
    /// To drop any connection and to tell when it is this late.
    Wait(Instant),
    /// To drop any connection. Nothing will follow.
    Stopped,
}

/// What a driver has to do next for a polling source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollNeed {
    /// It was not started.
    Start,
    /// An answer to this poll, which carries this tag.
    Answer {
        /// The number of the poll.
        poll: u64,
        /// The tag of the data that is here.
        etag: Option<String>,
    },
    /// To tell when it is this late.
    Wait(Instant),
    /// Nothing will follow.
    Stopped,
}

/// A streaming source that is shared by the thread that drives it and those that stop it.
pub struct StreamShell<P: SourcePolicy<GiveUp = Infallible>> {
    machine: Shared<StreamingSource<P>>,
    wiring: Wiring,
}

/// A polling source that is shared by the thread that drives it and those that stop it.
pub struct PollShell<P: SourcePolicy<GiveUp = Infallible>> {
    machine: Shared<PollingSource<P>>,
    wiring: Wiring,
}

impl<P: SourcePolicy<GiveUp = Infallible>> StreamShell<P> {
    /// A machine with what it works with.
    #[must_use]
    pub const fn new(machine: StreamingSource<P>, wiring: Wiring) -> Self {
        Self { machine: Shared::new(machine), wiring }
    }

    /// Takes what happened, does everything that needs no socket and no wait, and says what is to be done next.
    ///
    /// Any thread may call it. The machine is not locked while foreign code runs, which may call it, too. What is to be told
    /// is told in order: where another call is still at it, that one goes on with what comes of this one.
    pub fn handle(&self, input: StreamInput, surroundings: &impl Surroundings) -> StreamNeed {
        self.handle_at(input, surroundings.now(), surroundings)
    }

    fn handle_at(&self, input: StreamInput, mut now: Instant, surroundings: &impl Surroundings) -> StreamNeed {
        self.feed(input, now, surroundings);
        let mut turn = self.machine.turn();
        let is_apply = |output: &StreamOutput<_>| matches!(output, StreamOutput::Apply { .. });
        while let Some(output) = turn.next(StreamingSource::next_output, is_apply) {
            let Wiring { store, decoder, .. } = &self.wiring;
            match output {
                StreamOutput::Apply { connection, message } => {
                    let result = apply_message(&**decoder, &**store, &message);
                    now = surroundings.now();
                    let applied = StreamInput::Applied { connection, result };
                    self.feed(applied, now, surroundings);
                }
                StreamOutput::Recorded(outcome) => self.wiring.tell(|observer| observer.recorded(outcome, now)),
                StreamOutput::Status(update) => {
                    // A clock that panics must not cost listeners the news that the source is off.
                    self.wiring.report(update, guarded(|| surroundings.now()).unwrap_or(now));
                }
                StreamOutput::Log(record) => self.wiring.tell(|observer| observer.log(&record)),
                StreamOutput::Environment(environment) => {
                    self.wiring.tell(|observer| observer.environment(&environment));
                }
                StreamOutput::Init(init) => self.wiring.tell(|observer| observer.stream_init(init)),
                StreamOutput::Ready => self.wiring.tell(|observer| observer.ready()),
                // The caller is told of these by what is needed next.
                StreamOutput::Connect { .. }
                | StreamOutput::Drop { .. }
                | StreamOutput::Wait { .. }
                | StreamOutput::Stopped => {}
            }
        }
        self.need()
    }

    /// Tells the machine. Chance is foreign code as well, so it is asked while the machine is not locked.
    fn feed(&self, input: StreamInput, now: Instant, surroundings: &impl Surroundings) {
        let failure = self.machine.with(|machine| {
            if machine.fails_of(&input) {
                return Some(input);
            }
            machine.handle(input, now, || 0);
            None
        });
        if let Some(failure) = failure {
            let draw = surroundings.draw();
            self.machine.with(|machine| machine.handle(failure, now, || draw));
        }
    }

    /// Stops the source, for threads other than the one that drives. When this returns, the status is off. Where another
    /// call is telling something just now, that one tells of the stop as soon as it comes to it, and nothing after it.
    pub fn stop(&self, surroundings: &impl Surroundings) {
        let now = self.wiring.time_of_stop(surroundings);
        self.handle_at(StreamInput::Stop, now, surroundings);
        self.wiring.sink.foresee(StatusUpdate { state: State::Off, error: None }, now);
    }

    /// What is to be done next.
    #[must_use]
    pub fn need(&self) -> StreamNeed {
        self.machine.with(|machine| machine.need())
    }

    /// What it works with.
    #[must_use]
    pub const fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Where to connect to.
    ///
    /// # Errors
    ///
    /// If the address cannot be used; such a source goes off at its start.
    pub fn endpoint(&self) -> Result<Endpoint, EndpointError> {
        self.machine.with(|machine| machine.endpoint().cloned().map_err(Clone::clone))
    }
}

impl<P: SourcePolicy<GiveUp = Infallible>> PollShell<P> {
    /// A machine with what it works with.
    #[must_use]
    pub const fn new(machine: PollingSource<P>, wiring: Wiring) -> Self {
        Self { machine: Shared::new(machine), wiring }
    }

    /// As [`StreamShell::handle`].
    pub fn handle(&self, input: PollInput, surroundings: &impl Surroundings) -> PollNeed {
        self.handle_at(input, surroundings.now(), surroundings)
    }

    fn handle_at(&self, input: PollInput, mut now: Instant, surroundings: &impl Surroundings) -> PollNeed {
        self.feed(input, now, surroundings);
        let mut turn = self.machine.turn();
        let is_of_the_store =
            |output: &PollOutput<_>| matches!(output, PollOutput::Apply { .. } | PollOutput::CheckStore { .. });
        while let Some(output) = turn.next(PollingSource::next_output, is_of_the_store) {
            let Wiring { store, decoder, .. } = &self.wiring;
            match output {
                PollOutput::Apply { poll, body } => {
                    let result = apply_body(&**decoder, &**store, &body.bytes);
                    now = surroundings.now();
                    let applied = PollInput::Applied { poll, result };
                    self.feed(applied, now, surroundings);
                }
                PollOutput::CheckStore { poll } => {
                    let result = is_initialized(&**store);
                    now = surroundings.now();
                    let checked = PollInput::StoreChecked { poll, result };
                    self.feed(checked, now, surroundings);
                }
                PollOutput::Recorded(outcome) => self.wiring.tell(|observer| observer.recorded(outcome, now)),
                PollOutput::Status(update) => {
                    // A clock that panics must not cost listeners the news that the source is off.
                    self.wiring.report(update, guarded(|| surroundings.now()).unwrap_or(now));
                }
                PollOutput::Log(record) => self.wiring.tell(|observer| observer.log(&record)),
                PollOutput::Environment(environment) => {
                    self.wiring.tell(|observer| observer.environment(&environment));
                }
                PollOutput::Ready => self.wiring.tell(|observer| observer.ready()),
                // The caller is told of these by what is needed next.
                PollOutput::Poll { .. } | PollOutput::Drop { .. } | PollOutput::Wait { .. } | PollOutput::Stopped => {}
            }
        }
        self.need()
    }

    /// Tells the machine. Chance is foreign code as well, so it is asked while the machine is not locked.
    fn feed(&self, input: PollInput, now: Instant, surroundings: &impl Surroundings) {
        let failure = self.machine.with(|machine| {
            if machine.fails_of(&input) {
                return Some(input);
            }
            machine.handle(input, now, || 0);
            None
        });
        if let Some(failure) = failure {
            let draw = surroundings.draw();
            self.machine.with(|machine| machine.handle(failure, now, || draw));
        }
    }

    /// As [`StreamShell::stop`].
    pub fn stop(&self, surroundings: &impl Surroundings) {
        let now = self.wiring.time_of_stop(surroundings);
        self.handle_at(PollInput::Stop, now, surroundings);
        self.wiring.sink.foresee(StatusUpdate { state: State::Off, error: None }, now);
    }

    /// What is to be done next.
    #[must_use]
    pub fn need(&self) -> PollNeed {
        self.machine.with(|machine| machine.need())
    }

    /// What it works with.
    #[must_use]
    pub const fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// What to ask.
    ///
    /// # Errors
    ///
    /// If the address cannot be used; such a source goes off at its start.
    pub fn endpoint(&self) -> Result<Endpoint, EndpointError> {
        self.machine.with(|machine| machine.endpoint().cloned().map_err(Clone::clone))
    }
}

impl Wiring {
    /// A clock that panics must not keep anybody from stopping: then the last time that is known has to do.
    fn time_of_stop(&self, surroundings: &impl Surroundings) -> Instant {
        guarded(|| surroundings.now()).unwrap_or_else(|_| self.sink.status().since)
    }

    fn report(&self, update: StatusUpdate, now: Instant) {
        self.sink.update(update, now);
    }

    fn tell(&self, call: impl FnOnce(&dyn Observer)) {
        // An observer that panics has nobody to complain to.
        let _ = guarded(|| call(&*self.observer));
    }
}
