//! What attempts meet.

use core::time::Duration;

use retrylab_core::Fault;

use super::server_wait::ServerWait;

/// What one attempt meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// What comes of the attempt.
    pub outcome: Outcome,
    /// True time between the start of the attempt and its outcome.
    pub latency: Duration,
    /// The address of the draw of this entry's first failure, if it is not the ordinal of the failure in the run.
    pub draw: Option<u64>,
}

impl Entry {
    /// An attempt with this outcome, at once, with the draw that is its turn.
    #[must_use]
    pub const fn new(outcome: Outcome) -> Self {
        Self { outcome, latency: Duration::ZERO, draw: None }
    }
}

/// What comes of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Streaming: connected, first message handled at once.
    Up {
        /// How long the stream lasts from its first message, and how it ends; `None`: it stays up.
        lasts: Option<(Duration, End)>,
        /// What its first message is.
        first: FirstMessage,
    },
    /// Streaming: connected, heartbeats, never a message.
    Idle {
        /// How long the connection lasts.
        lasts: Duration,
        /// How it ends.
        end: End,
    },
    /// Polling: success.
    Ok,
    /// An HTTP status: a failure, except polling 304 after an `ok`.
    Status {
        /// 100 to 599, not 200.
        status: u16,
        /// The wait that the server asks for.
        retry_after: Option<ServerWait>,
    },
    /// No connection.
    Fault(ConnectFault),
    /// Polling: a body that cannot be parsed.
    Malformed,
    /// No answer: fails as a timeout this long (true time) after the start.
    Hang(Duration),
}

/// The first message of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMessage {
    /// All the data there is.
    Put,
    /// One item of it, as from a server that takes the client for one that has the rest.
    Patch,
}

impl FirstMessage {
    /// Each with its name in files.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Put, "put"), (Self::Patch, "patch")];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// How a live stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server closes it cleanly.
    Close,
    /// The connection breaks off.
    Reset,
    /// Bytes stop; the outcome comes 300 s later on the client's clock.
    Timeout,
    /// The TLS layer fails.
    Tls,
    /// A message that cannot be parsed.
    Malformed,
}

/// How a window that cuts ends the live streams, unless it says otherwise.
pub const CUT_END: End = End::Reset;

impl End {
    /// Every end with its name in files.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Close, "close"),
        (Self::Reset, "reset"),
        (Self::Timeout, "timeout"),
        (Self::Tls, "tls"),
        (Self::Malformed, "malformed"),
    ];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The fault that the client sees.
    #[must_use]
    pub const fn fault(self) -> Fault {
        match self {
            Self::Close => Fault::Close,
            Self::Reset => Fault::Reset,
            Self::Timeout => Fault::Timeout,
            Self::Tls => Fault::Tls,
            Self::Malformed => Fault::Malformed,
        }
    }
}

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectFault {
    /// Nobody listens there.
    Refused,
    /// The connection breaks off before an answer.
    Reset,
    /// The TLS handshake fails.
    Tls,
    /// The name does not resolve.
    Dns,
    /// Connecting takes too long.
    Timeout,
}

impl ConnectFault {
    /// Every fault with its name in files.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Refused, "refused"),
        (Self::Reset, "reset"),
        (Self::Tls, "tls"),
        (Self::Dns, "dns"),
        (Self::Timeout, "timeout"),
    ];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The fault that the client sees.
    #[must_use]
    pub const fn fault(self) -> Fault {
        match self {
            Self::Refused => Fault::Refused,
            Self::Reset => Fault::Reset,
            Self::Tls => Fault::Tls,
            Self::Dns => Fault::Dns,
            Self::Timeout => Fault::Timeout,
        }
    }
}
