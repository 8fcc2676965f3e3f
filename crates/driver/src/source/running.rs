//! A running source: the work of its thread or task, and its stop.

use std::num::NonZeroUsize;
use std::sync::Arc;

use retrylab_core::{Fault, Retry, Successes};
use retrylab_source::{
    EventReader, LogMessage, LogRecord, PollInput, PollNeed, PollShell, StreamEvent, StreamInput, StreamNeed,
    StreamPolicy, StreamShell, Wiring, guarded,
};

use super::head::Met;
use super::http::Http;
use super::runtime::{Incoming, Runtime, Signal};
use super::watch::Watch;
use super::world::{World, caught};

/// The state that the source's thread or task shares with its handle.
pub(crate) struct Running<R: Runtime> {
    pub(crate) machine: Machine,
    pub(crate) watch: Arc<Watch>,
    /// The client, or the reason why no request is possible.
    pub(crate) http: Result<Http<R::Transport>, Met>,
    pub(crate) world: World<R>,
    /// Cancelled when it is stopped.
    pub(crate) stopped: R::Signal,
    /// Cancelled when there is data, and when there never will be.
    pub(crate) settled: R::Signal,
    pub(crate) size_limit: NonZeroUsize,
}

pub(crate) enum Machine {
    Streaming(StreamShell<StreamPolicy>),
    Polling(PollShell<Retry<Successes>>),
}

impl<R: Runtime> Running<R> {
    /// Runs until it is stopped.
    pub(crate) async fn run(&self) {
        // The machine knows the next task, so the loop continues from there after a panic.
        while let Err(panic) = caught(self.work()).await {
            self.watch.write(&LogRecord::new(LogMessage::CallbackFailed).with_detail(Some(panic)));
            R::pause(&self.stopped).await;
            if self.stopped.is_cancelled() {
                break;
            }
        }
        self.settled.cancel();
    }

    /// Stops it. Its thread or task ends soon afterwards.
    pub(crate) fn stop(&self) {
        // Even after a panic there, the wait and the connection are cut.
        let _ = guarded(|| match &self.machine {
            Machine::Streaming(shell) => shell.stop(&self.world),
            Machine::Polling(shell) => shell.stop(&self.world),
        });
        self.stopped.cancel();
        if let Ok(http) = &self.http {
            http.cut();
        }
        self.settled.cancel();
    }

    pub(crate) const fn wiring(&self) -> &Wiring {
        match &self.machine {
            Machine::Streaming(shell) => shell.wiring(),
            Machine::Polling(shell) => shell.wiring(),
        }
    }

    async fn work(&self) {
        match &self.machine {
            Machine::Streaming(shell) => self.stream(shell).await,
            Machine::Polling(shell) => self.poll(shell).await,
        }
    }

    async fn stream(&self, shell: &StreamShell<StreamPolicy>) {
        let mut need = shell.need();
        loop {
            need = match need {
                StreamNeed::Start => shell.handle(StreamInput::Start, &self.world),
                StreamNeed::Connection(connection) => {
                    let met = match &self.http {
                        Ok(http) => caught(self.read(http, shell, connection)).await.unwrap_or_else(panicked),
                        Err(met) => met.clone(),
                    };
                    shell.handle(met.ended(connection), &self.world)
                }
                StreamNeed::Wait(until) => {
                    self.world.wait(until, &self.stopped).await;
                    shell.handle(StreamInput::Timer, &self.world)
                }
                StreamNeed::Stopped => return,
            };
        }
    }

    /// Connects, and reads until the connection ends or the machine has dropped it. Returns the failure, which the
    /// machine ignores for a dropped connection.
    async fn read(&self, http: &Http<R::Transport>, shell: &StreamShell<StreamPolicy>, connection: u64) -> Met {
        let (environment, mut incoming) = match http.stream().await {
            Ok(stream) => stream,
            Err(met) => return met,
        };
        let mut need = shell.handle(StreamInput::Connected { connection, environment }, &self.world);
        let mut reader = EventReader::with_limit(self.size_limit);
        while need == StreamNeed::Connection(connection) {
            match incoming.read().await {
                Ok(true) => {}
                Ok(false) => return Met::fault(Fault::Close),
                Err(met) => return met,
            }
            let read = reader.read(incoming.piece(), |heard| {
                let input = match heard {
                    StreamEvent::Message(message) => StreamInput::Message { connection, message },
                    StreamEvent::Retry(retry) => StreamInput::Hint { connection, retry },
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

    async fn poll(&self, shell: &PollShell<Retry<Successes>>) {
        let mut need = shell.need();
        loop {
            need = match need {
                PollNeed::Start => shell.handle(PollInput::Start, &self.world),
                PollNeed::Response { poll, etag } => {
                    let response = match &self.http {
                        Ok(http) => {
                            caught(http.poll(etag.as_deref())).await.unwrap_or_else(|panic| Err(panicked(panic)))
                        }
                        Err(met) => Err(met.clone()),
                    };
                    let response = response.unwrap_or_else(Met::response);
                    shell.handle(PollInput::Responded { poll, response }, &self.world)
                }
                PollNeed::Wait(until) => {
                    self.world.wait(until, &self.stopped).await;
                    shell.handle(PollInput::Timer, &self.world)
                }
                PollNeed::Stopped => return,
            };
        }
    }
}

/// A panic of the transport or of a receiver counts as a failure of the connection.
fn panicked(panic: String) -> Met {
    Met { detail: Some(panic), ..Met::fault(Fault::Reset) }
}
