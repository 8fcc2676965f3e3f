//! A source while it runs: what its task does, and how others stop it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use retrylab_core::{Fault, Retry, Successes};
use retrylab_driver_std::source::{Met, Watch};
use retrylab_source::{
    EventReader, Heard, LogMessage, LogRecord, PollInput, PollNeed, PollShell, StreamInput, StreamNeed, StreamPolicy,
    StreamShell, Wiring, guarded,
};
use tokio_util::sync::CancellationToken;

use super::http::Http;
use super::world::{AFTER_PANIC, World, caught};
use crate::time::{Sleeper, TokioSleeper};

/// What the source's task and its handle share.
pub(super) struct Running {
    pub(super) machine: Machine,
    pub(super) watch: Arc<Watch>,
    /// Why no request can be made of the configuration, or what makes them.
    pub(super) http: Result<Http, Met>,
    pub(super) world: World,
    /// Cancelled when it is stopped.
    pub(super) stopped: CancellationToken,
    /// Cancelled when there is data, and when there will never be any.
    pub(super) settled: CancellationToken,
    pub(super) size_limit: NonZeroUsize,
}

pub(super) enum Machine {
    Streaming(StreamShell<StreamPolicy>),
    Polling(PollShell<Retry<Successes>>),
}

/// Turns the source off when its task is gone, whoever ended it: a runtime that shuts down drops its tasks.
struct OffAtTheEnd(Arc<Running>);

impl Drop for OffAtTheEnd {
    fn drop(&mut self) {
        let _ = guarded(|| self.0.stop());
    }
}

impl Running {
    /// Runs until it is stopped; nothing else ends it. Stopping it drops whatever is awaited, and with it the connection.
    pub(super) fn run(self: Arc<Self>) -> impl Future<Output = ()> + Send {
        // Made before the future is first polled, which it may never be.
        let task = OffAtTheEnd(self);
        async move {
            let Running { stopped, .. } = &*task.0;
            // The machine knows what is to be done next, so whatever went to pieces begins again from there.
            while let Some(Err(panic)) = stopped.run_until_cancelled(caught(task.0.work())).await {
                task.0.watch.write(&LogRecord::new(LogMessage::CallbackFailed).with_detail(Some(panic)));
                stopped.run_until_cancelled(TokioSleeper.sleep(AFTER_PANIC)).await;
            }
        }
    }

    /// Stops it. Its task ends soon after.
    pub(super) fn stop(&self) {
        // Whatever goes to pieces there, the task ends.
        let _ = guarded(|| match &self.machine {
            Machine::Streaming(shell) => shell.stop(&self.world),
            Machine::Polling(shell) => shell.stop(&self.world),
        });
        self.stopped.cancel();
        self.settled.cancel();
    }

    pub(super) const fn wiring(&self) -> &Wiring {
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
                    self.world.wait(until).await;
                    shell.handle(StreamInput::Timer, &self.world)
                }
                StreamNeed::Stopped => return,
            };
        }
    }

    /// Connects, and reads until the connection is over or the machine has dropped it. Returns what it met, which the machine
    /// knows to ignore if it dropped the connection.
    async fn read(&self, http: &Http, shell: &StreamShell<StreamPolicy>, connection: u64) -> Met {
        let (environment, mut incoming) = match http.stream().await {
            Ok(stream) => stream,
            Err(met) => return met,
        };
        let mut need = shell.handle(StreamInput::Connected { connection, environment }, &self.world);
        let mut reader = EventReader::with_limit(self.size_limit);
        while need == StreamNeed::Connection(connection) {
            let piece = match incoming.read().await {
                Ok(Some(piece)) => piece,
                Ok(None) => return Met::fault(Fault::Close),
                Err(met) => return met,
            };
            let read = reader.read(&piece, |heard| {
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

    async fn poll(&self, shell: &PollShell<Retry<Successes>>) {
        let mut need = shell.need();
        loop {
            need = match need {
                PollNeed::Start => shell.handle(PollInput::Start, &self.world),
                PollNeed::Answer { poll, etag } => {
                    let asked = match &self.http {
                        Ok(http) => {
                            caught(http.poll(etag.as_deref())).await.unwrap_or_else(|panic| Err(panicked(panic)))
                        }
                        Err(met) => Err(met.clone()),
                    };
                    let answer = asked.unwrap_or_else(Met::answer);
                    shell.handle(PollInput::Answered { poll, answer }, &self.world)
                }
                PollNeed::Wait(until) => {
                    self.world.wait(until).await;
                    shell.handle(PollInput::Timer, &self.world)
                }
                PollNeed::Stopped => return,
            };
        }
    }
}

/// A panic of the transport is one more thing to be met.
fn panicked(panic: String) -> Met {
    Met { detail: Some(panic), ..Met::fault(Fault::Reset) }
}
