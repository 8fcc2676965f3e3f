//! A machine with everything around it that needs no socket: store, decoder, status, log. The driver connects, reads
//! and waits.

mod machine;

use core::convert::Infallible;
use std::sync::Arc;

use retrylab_core::Instant;

use self::machine::Machine;
use crate::apply::guarded;
use crate::decode::{Decode, FlagData};
use crate::endpoint::{Endpoint, EndpointError};
use crate::log::LogRecord;
use crate::outcome::{Recorded, StatusUpdate, StreamInit};
use crate::outputs::SourceOutput;
use crate::polling::PollingSource;
use crate::sink::StatusSink;
use crate::status::State;
use crate::store::Store;
use crate::streaming::StreamingSource;
use crate::turn::Shared;

/// The parts that a source works with. Several sources may share them.
#[derive(Clone)]
pub struct Wiring {
    /// The store of its data.
    pub store: Arc<dyn Store>,
    /// The decoder of its data; [`FlagData`] by default.
    pub decoder: Arc<dyn Decode>,
    /// Its status.
    pub sink: StatusSink,
    /// The receiver of every other event.
    pub observer: Arc<dyn Observer>,
}

impl Wiring {
    /// Wires this store and observer with the decoder [`FlagData`] and a status that begins at `now`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, observer: Arc<dyn Observer>, now: Instant) -> Self {
        Self { store, decoder: Arc::new(FlagData), sink: StatusSink::new(now), observer }
    }
}

/// The receiver of a source's events. A panic in it is ignored.
pub trait Observer: Send + Sync {
    /// A line for the log.
    fn log(&self, record: &LogRecord) {
        let _ = record;
    }

    /// The retry state recorded an outcome at `now`.
    fn recorded(&self, outcome: Recorded<Infallible>, now: Instant) {
        let _ = (outcome, now);
    }

    /// The first data has arrived. The status is already valid.
    fn ready(&self) {}

    /// The server names this environment.
    fn environment(&self, environment: &str) {
        let _ = environment;
    }

    /// An attempt to open a stream is over.
    fn stream_init(&self, init: StreamInit) {
        let _ = init;
    }
}

/// Ignores every event.
impl Observer for () {}

/// The inputs that the driver supplies: time and chance.
pub trait Surroundings {
    /// The time on one monotonic clock.
    fn now(&self) -> Instant;

    /// A draw, uniform over all of `u64`.
    fn draw(&self) -> u64;
}

/// The driver's next task for a streaming source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamNeed {
    /// None: it was not started.
    Start,
    /// This connection: open it if it is not open, else read from it.
    Connection(u64),
    /// Drop any connection, and wait until this time.
    Wait(Instant),
    /// Drop any connection. Nothing will follow.
    Stopped,
}

/// The driver's next task for a polling source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollNeed {
    /// None: it was not started.
    Start,
    /// Get a response to this poll, with this tag.
    Response {
        /// The number of the poll.
        poll: u64,
        /// The tag of the stored data.
        etag: Option<String>,
    },
    /// Wait until this time.
    Wait(Instant),
    /// Nothing will follow.
    Stopped,
}

/// A machine with its parts, shared by the thread that drives it and those that stop it.
pub struct Shell<M: Machine> {
    machine: Shared<M>,
    wiring: Wiring,
}

/// A streaming source in its shell.
pub type StreamShell<P> = Shell<StreamingSource<P>>;

/// A polling source in its shell.
pub type PollShell<P> = Shell<PollingSource<P>>;

impl<M: Machine> Shell<M> {
    /// Wraps a machine and its parts.
    #[must_use]
    pub const fn new(machine: M, wiring: Wiring) -> Self {
        Self { machine: Shared::new(machine), wiring }
    }

    /// Handles an input, does everything that needs no socket and no wait, and returns the next task.
    ///
    /// Any thread may call it. The machine is not locked while foreign code runs, so foreign code may call it too.
    /// Events are delivered in order: if another call is delivering, it delivers those of this call as well.
    pub fn handle(&self, input: M::Input, surroundings: &impl Surroundings) -> M::Need {
        self.handle_at(input, surroundings.now(), surroundings)
    }

    fn handle_at(&self, input: M::Input, mut now: Instant, surroundings: &impl Surroundings) -> M::Need {
        self.feed(input, now, surroundings);
        let mut turn = self.machine.turn();
        // The decoder and the store may take long.
        let takes_long = |output: &_| matches!(output, SourceOutput::Apply { .. } | SourceOutput::CheckStore { .. });
        while let Some(output) = turn.next(M::next_output, takes_long) {
            let input = match output {
                SourceOutput::Apply { number, data } => Some(M::apply(number, data, &self.wiring)),
                SourceOutput::CheckStore { poll } => M::check_store(poll, &self.wiring),
                _ => {
                    self.wiring.report(output, now, surroundings);
                    None
                }
            };
            if let Some(input) = input {
                now = surroundings.now();
                self.feed(input, now, surroundings);
            }
        }
        self.need()
    }

    /// Passes an input to the machine. Chance is foreign code too, so it is called while the machine is not locked.
    fn feed(&self, input: M::Input, now: Instant, surroundings: &impl Surroundings) {
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

    /// Stops the source, from any thread. The status is off when this returns. If another call is delivering events at
    /// the time, that call delivers the stop in its turn, and nothing after it.
    pub fn stop(&self, surroundings: &impl Surroundings) {
        let now = self.wiring.time_of_stop(surroundings);
        self.handle_at(M::STOP, now, surroundings);
        self.wiring.sink.foresee(StatusUpdate { state: State::Off, error: None }, now);
    }

    /// The next task.
    #[must_use]
    pub fn need(&self) -> M::Need {
        self.machine.with(|machine| machine.need())
    }

    /// Its parts.
    #[must_use]
    pub const fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// The address to connect to.
    ///
    /// # Errors
    ///
    /// If the address cannot be used; the state of such a source is OFF from its start.
    pub fn endpoint(&self) -> Result<Endpoint, EndpointError> {
        self.machine.with(|machine| machine.endpoint().cloned().map_err(Clone::clone))
    }
}

impl Wiring {
    /// A panic in the clock must not prevent a stop: the last known time is used.
    fn time_of_stop(&self, surroundings: &impl Surroundings) -> Instant {
        guarded(|| surroundings.now()).unwrap_or_else(|_| self.sink.status().since)
    }

    /// Delivers an output that has no response.
    fn report<W>(&self, output: SourceOutput<Infallible, W>, now: Instant, surroundings: &impl Surroundings) {
        match output {
            SourceOutput::Recorded(outcome) => self.tell(|observer| observer.recorded(outcome, now)),
            SourceOutput::Status(update) => {
                // A panic in the clock must not hide from listeners that the source is off.
                self.sink.update(update, guarded(|| surroundings.now()).unwrap_or(now));
            }
            SourceOutput::Log(record) => self.tell(|observer| observer.log(&record)),
            SourceOutput::Environment(environment) => self.tell(|observer| observer.environment(&environment)),
            SourceOutput::Init(init) => self.tell(|observer| observer.stream_init(init)),
            SourceOutput::Ready => self.tell(|observer| observer.ready()),
            // The caller learns these from its next task.
            _ => {}
        }
    }

    fn tell(&self, call: impl FnOnce(&dyn Observer)) {
        // A panic in an observer has no receiver.
        let _ = guarded(|| call(&*self.observer));
    }
}
