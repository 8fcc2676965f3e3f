//! A source while it runs: what its thread does, and how others stop it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use http::Uri;
use retrylab_core::{Fault, Retry, Successes};
use retrylab_source::{
    Answer, EventReader, Heard, LogMessage, LogRecord, PollInput, PollNeed, PollShell, StreamInput, StreamNeed,
    StreamPolicy, StreamShell, Wiring, guarded,
};

use super::client::{Client, Incoming};
use super::head::Met;
use super::watch::Watch;
use super::world::{AFTER_PANIC, World};
use crate::Cancel;

/// What the source's thread and its handles share.
pub(super) struct Running {
    pub(super) machine: Machine,
    pub(super) watch: Arc<Watch>,
    pub(super) client: Result<Client, Met>,
    pub(super) world: World,
    /// Cancelled when it is stopped.
    pub(super) stopped: Cancel,
    /// Cancelled when there is data, and when there will never be any.
    pub(super) settled: Cancel,
    pub(super) size_limit: NonZeroUsize,
}

pub(super) enum Machine {
    Streaming(StreamShell<StreamPolicy>),
    Polling(PollShell<Retry<Successes>>),
}

impl Running {
    /// Runs until it is stopped; nothing else ends it.
    pub(super) fn run(&self) {
        // The machine knows what is to be done next, so whatever went to pieces begins again from there.
        while let Err(panic) = guarded(|| self.work()) {
            self.watch.write(&LogRecord::new(LogMessage::CallbackFailed).with_detail(Some(panic)));
            if self.stopped.wait(AFTER_PANIC) {
                break;
            }
        }
        self.settled.cancel();
    }

    /// Stops it. Its thread ends soon after.
    pub(super) fn stop(&self) {
        // Whatever goes to pieces there, the wait and the connection are cut.
        let _ = guarded(|| match &self.machine {
            Machine::Streaming(shell) => shell.stop(&self.world),
            Machine::Polling(shell) => shell.stop(&self.world),
        });
        self.stopped.cancel();
        if let Ok(client) = &self.client {
            client.cut();
        }
        self.settled.cancel();
    }

    pub(super) const fn wiring(&self) -> &Wiring {
        match &self.machine {
            Machine::Streaming(shell) => shell.wiring(),
            Machine::Polling(shell) => shell.wiring(),
        }
    }

    fn work(&self) {
        match &self.machine {
            Machine::Streaming(shell) => self.stream(shell),
            Machine::Polling(shell) => self.poll(shell),
        }
    }

    fn stream(&self, shell: &StreamShell<StreamPolicy>) {
        let mut need = shell.need();
        loop {
            need = match need {
                StreamNeed::Start => shell.handle(StreamInput::Start, &self.world),
                StreamNeed::Connection(connection) => {
                    let met = guarded(|| self.read(shell, connection)).unwrap_or_else(panicked);
                    shell.handle(met.ended(connection), &self.world)
                }
                StreamNeed::Wait(until) => {
                    self.world.wait(until, &self.stopped);
                    shell.handle(StreamInput::Timer, &self.world)
                }
                StreamNeed::Stopped => return,
            };
        }
    }

    /// Connects, and reads until the connection is over or the machine has dropped it. Returns what it met, which the machine
    /// knows to ignore if it dropped the connection.
    fn read(&self, shell: &StreamShell<StreamPolicy>, connection: u64) -> Met {
        let uri = shell.endpoint().map(|endpoint| endpoint.uri().clone());
        let opened = self.transport(|client| client.stream(&uri.unwrap_or_default()));
        let (environment, mut incoming): (_, Incoming) = match opened {
            Ok(opened) => opened,
            Err(met) => return met,
        };
        let mut need = shell.handle(StreamInput::Connected { connection, environment }, &self.world);
        let mut reader = EventReader::with_limit(self.size_limit);
        while need == StreamNeed::Connection(connection) {
            let piece = match self.transport(|_| incoming.read()) {
                Ok([]) => return Met::fault(Fault::Close),
                Ok(piece) => piece,
                Err(met) => return met,
            };
            let read = reader.read(piece, |heard| {
                let input = match heard {
                    Heard::Message(message) => StreamInput::Message { connection, message },
                    Heard::Retry(retry) => StreamInput::Hint { connection, retry },
                };
                shell.handle(input, &self.world);
            });
            if let Err(error) = read {
                return Met::error(Fault::Malformed, &error);
            }
            need = shell.need();
        }
        Met::fault(Fault::Close)
    }

    fn poll(&self, shell: &PollShell<Retry<Successes>>) {
        let mut need = shell.need();
        loop {
            need = match need {
                PollNeed::Start => shell.handle(PollInput::Start, &self.world),
                PollNeed::Answer { poll, etag } => {
                    let answer = self.ask(shell, etag.as_deref());
                    shell.handle(PollInput::Answered { poll, answer }, &self.world)
                }
                PollNeed::Wait(until) => {
                    self.world.wait(until, &self.stopped);
                    shell.handle(PollInput::Timer, &self.world)
                }
                PollNeed::Stopped => return,
            };
        }
    }

    fn ask(&self, shell: &PollShell<Retry<Successes>>, etag: Option<&str>) -> Answer {
        let uri: Uri = shell.endpoint().map(|endpoint| endpoint.uri().clone()).unwrap_or_default();
        self.transport(|client| Ok(client.poll(&uri, etag))).unwrap_or_else(Met::answer)
    }

    /// Has the client do something. That it panics is one more thing to be met.
    fn transport<T>(&self, call: impl FnOnce(&Client) -> Result<T, Met>) -> Result<T, Met> {
        let client = self.client.as_ref().map_err(Clone::clone)?;
        guarded(|| call(client)).unwrap_or_else(|panic| Err(panicked(panic)))
    }
}

/// A panic of the transport, or of what is told while it is read, is one more thing to be met.
fn panicked(panic: String) -> Met {
    Met { detail: Some(panic), ..Met::fault(Fault::Reset) }
}
