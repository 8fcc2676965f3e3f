//! The outputs of a machine, as calls: none of them is stored or formatted for a caller that does not want it; and as
//! values, for a driver.

use std::collections::VecDeque;

use retrylab_core::Instant;

use crate::endpoint::Endpoint;
use crate::log::{Detail, Level, LogMessage, LogRecord};
use crate::outcome::{Recorded, StatusUpdate, StreamInit};

/// An output of a machine. `W` is the data that an attempt brings: a [`Message`](crate::Message) of a stream, the
/// [`Body`](crate::Body) of a poll.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceOutput<G, W> {
    /// Begin this attempt: open a connection, or request all data or the changes since the tag.
    Attempt {
        /// The number of the connection or poll.
        number: u64,
        /// The tag of the stored data, for a poll.
        etag: Option<String>,
    },
    /// Apply the data; the response is [`StreamInput::Applied`](crate::StreamInput::Applied) or
    /// [`PollInput::Applied`](crate::PollInput::Applied).
    Apply {
        /// The number of the connection or poll.
        number: u64,
        /// The data.
        data: W,
    },
    /// Check whether the store has data after this poll; the response is
    /// [`PollInput::StoreChecked`](crate::PollInput::StoreChecked).
    CheckStore {
        /// The number of the poll.
        poll: u64,
    },
    /// The retry state recorded this.
    Recorded(Recorded<G>),
    /// Report this.
    Status(StatusUpdate),
    /// Log this.
    Log(LogRecord),
    /// The server names this environment.
    Environment(String),
    /// An attempt to open a stream is over.
    Init(StreamInit),
    /// The first data has arrived.
    Ready,
    /// Drop this attempt; its outcome is ignored.
    Drop {
        /// The number of the connection or poll.
        number: u64,
    },
    /// Wait until then; the response is the input `Timer`.
    Wait {
        /// On the clock of the inputs.
        until: Instant,
    },
    /// The last output.
    Stopped,
}

/// The receiver of a machine's outputs, which come in their order. An output without a method of its own is ignored.
pub trait Outputs<G> {
    /// Begin the connection, or the poll, of this number.
    fn attempt(&mut self, number: u64);

    /// An outcome was recorded with the policy.
    fn recorded(&mut self, recorded: Recorded<G>);

    /// Report this status.
    fn status(&mut self, update: StatusUpdate);

    /// Log this line.
    fn log(&mut self, level: Level, message: LogMessage, detail: Option<Detail>);

    /// Wait until then.
    fn wait(&mut self, until: Instant);

    /// The last output.
    fn stopped(&mut self);

    /// Drop the connection, or the poll, of this number.
    fn drop_attempt(&mut self, number: u64) {
        let _ = number;
    }

    /// Ask the store whether it has data after this poll.
    fn check_store(&mut self, poll: u64) {
        let _ = poll;
    }

    /// An attempt to begin a stream is over.
    fn init(&mut self, init: StreamInit) {
        let _ = init;
    }

    /// There is data for the first time.
    fn ready(&mut self) {}
}

/// The outputs of a machine as values, to be taken one by one, with the address and the tag that it does not know.
pub(crate) struct Queue<'a, G, W> {
    pub(crate) endpoint: Option<&'a Endpoint>,
    pub(crate) etag: Option<String>,
    pub(crate) outputs: &'a mut VecDeque<SourceOutput<G, W>>,
}

impl<G, W> Queue<'_, G, W> {
    /// The server names this environment, if it names one.
    pub(crate) fn environment(&mut self, environment: Option<String>) {
        let environment = environment.filter(|environment| !environment.is_empty());
        self.outputs.extend(environment.map(SourceOutput::Environment));
    }
}

impl<G, W> Outputs<G> for Queue<'_, G, W> {
    fn attempt(&mut self, number: u64) {
        let etag = self.etag.take();
        self.outputs.push_back(SourceOutput::Attempt { number, etag });
    }

    fn recorded(&mut self, recorded: Recorded<G>) {
        self.outputs.push_back(SourceOutput::Recorded(recorded));
    }

    fn status(&mut self, update: StatusUpdate) {
        self.outputs.push_back(SourceOutput::Status(update));
    }

    fn log(&mut self, level: Level, message: LogMessage, detail: Option<Detail>) {
        let starts = matches!(message, LogMessage::StartingStream | LogMessage::StartingPolling(_));
        let address = self.endpoint.filter(|_| starts);
        let detail = address.map(|address| Detail::Text(address.to_string())).or(detail);
        self.outputs.push_back(SourceOutput::Log(LogRecord { level, message, detail }));
    }

    fn wait(&mut self, until: Instant) {
        self.outputs.push_back(SourceOutput::Wait { until });
    }

    fn stopped(&mut self) {
        self.outputs.push_back(SourceOutput::Stopped);
    }

    fn drop_attempt(&mut self, number: u64) {
        self.outputs.push_back(SourceOutput::Drop { number });
    }

    fn check_store(&mut self, poll: u64) {
        self.outputs.push_back(SourceOutput::CheckStore { poll });
    }

    fn init(&mut self, init: StreamInit) {
        self.outputs.push_back(SourceOutput::Init(init));
    }

    fn ready(&mut self) {
        self.outputs.push_back(SourceOutput::Ready);
    }
}
