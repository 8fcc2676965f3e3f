//! Outcomes of attempts.

use core::time::Duration;

use retrylab_core::Fault;

use super::server_wait::ServerWait;

/// An entry of the script: one attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The outcome.
    pub outcome: Outcome,
    /// True time between the start of the attempt and its outcome.
    pub latency: Duration,
    /// The draw of this entry's failures, if its address is not the number of the failure in the run.
    pub draw: Option<Draw>,
}

/// The draw of the failures of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draw {
    /// The address of the draw of the first failure. Each further failure of the entry uses the next address.
    Address(u64),
    /// The draw itself, the same for each failure of the entry.
    Value(u64),
}

impl Draw {
    /// The draw of the failure that comes this many failures of the entry later.
    #[must_use]
    pub const fn later(self, failures: u64) -> Self {
        match self {
            Self::Address(first) => Self::Address(first.wrapping_add(failures)),
            Self::Value(_) => self,
        }
    }
}

impl Entry {
    /// An entry with this outcome, at once, with the default draw.
    #[must_use]
    pub const fn new(outcome: Outcome) -> Self {
        Self { outcome, latency: Duration::ZERO, draw: None }
    }
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Streaming: connected, first message handled at once.
    Up {
        /// The time of the stream from its first message, and its end; `None`: it stays up.
        lasts: Option<(Duration, End)>,
        /// Its first message.
        first: FirstMessage,
    },
    /// Streaming: connected, heartbeats, never a message.
    Idle {
        /// The time of the connection.
        lasts: Duration,
        /// Its end.
        end: End,
    },
    /// Polling: success.
    Ok,
    /// An HTTP status: a failure, except polling 304 after an `ok`.
    Status {
        /// 100 to 599, not 200.
        status: u16,
        /// The server's `retry_after`.
        retry_after: Option<ServerWait>,
    },
    /// No connection.
    Fault(ConnectFault),
    /// Polling: a body that cannot be parsed.
    Malformed,
    /// No response: fails as a timeout this long (true time) after the start.
    Hang(Duration),
}

/// The first message of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMessage {
    /// All data.
    Put,
    /// One item, as from a server that assumes the rest is there.
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

/// The end of an open stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server closes it cleanly.
    Close,
    /// The connection is reset.
    Reset,
    /// Bytes stop; the outcome comes 300 s later on the client's clock.
    Timeout,
    /// The TLS layer fails.
    Tls,
    /// A message that cannot be parsed.
    Malformed,
}

/// The default end of streams that a window cuts.
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

    /// The client's fault.
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

/// The reason why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectFault {
    /// The connection is refused.
    Refused,
    /// The connection is reset before a response.
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

    /// The client's fault.
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
