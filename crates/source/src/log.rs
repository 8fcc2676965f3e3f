//! The lines that a source logs, with their levels.

use core::fmt;
use core::time::Duration;

use retrylab_core::{ConfigWarning, FailureKind, Fault};

use crate::cause::Cause;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For whoever looks for a fault.
    Debug,
    /// What happens in a healthy life.
    Info,
    /// What is expected to pass by itself.
    Warning,
    /// What somebody should look at.
    Error,
}

impl Level {
    /// The lower-case name that traces use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A line of the log.
///
/// `Display` is the whole line: the message, with the detail in brackets where there is one. The line of a failure ends
/// with what follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// How much it matters.
    pub level: Level,
    /// What it says.
    pub message: LogMessage,
    /// What only the one who met it knows: the text of an error of the operating system, an address.
    pub detail: Option<String>,
}

impl LogRecord {
    /// A line at the level that its message has by default.
    #[must_use]
    pub fn new(message: LogMessage) -> Self {
        Self { level: message.level(), message, detail: None }
    }

    /// With a detail.
    #[must_use]
    pub fn with_detail(self, detail: Option<String>) -> Self {
        Self { detail, ..self }
    }
}

impl fmt::Display for LogRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => {
                self.message.describe(f)?;
                write!(f, " ({detail})")?;
                self.message.conclude(f)
            }
            None => self.message.fmt(f),
        }
    }
}

/// What a source has to say. Each failure's line states the wait that follows it, as it is waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LogMessage {
    /// The configuration was replaced.
    Configuration(ConfigWarning),
    /// A stream begins; the detail is its address.
    StartingStream,
    /// Polling begins, with the interval that was configured, in seconds; the detail is its address.
    StartingPolling(f64),
    /// The address cannot be used; the detail says why. The source never starts.
    UnusableAddress,
    /// The first data has come.
    Initialized,
    /// The user stops the source.
    Stopping,
    /// A message was handled, a poll's data was stored; after a `put` the detail says how much there is of each kind.
    Handled,
    /// A poll found nothing new.
    NotModified,
    /// What was handled is a change of something that is not known here.
    UnknownPath,
    /// A message of a name that is not known here.
    UnknownEvent,
    /// A message could not be handled; the line of the failure follows.
    Unhandled,
    /// The server answered with an error status.
    Http {
        /// Which status.
        status: u16,
        /// How it was classified.
        kind: FailureKind,
        /// Of what.
        request: Request,
        /// What comes next.
        delay: Next,
    },
    /// The server closed the stream.
    ServerClosed {
        /// What comes next.
        delay: Next,
    },
    /// The stream's data cannot be parsed.
    Unparseable {
        /// What comes next.
        delay: Next,
    },
    /// Anything else on a stream.
    StreamError {
        /// What it failed of.
        fault: Fault,
        /// What comes next.
        delay: Next,
    },
    /// Anything else of a poll.
    PollError {
        /// What it failed of.
        cause: Cause,
        /// What comes next.
        delay: Next,
    },
    /// A callback of a repeating task failed; the detail is its error.
    CallbackFailed,
    /// Something that runs was started again.
    AlreadyStarted,
    /// A start wait this long, in seconds, is more than is sensible.
    LongStartWait(f64),
    /// The start wait is over and there is no data yet.
    StartWaitOver,
}

/// What comes after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Another attempt, after this wait.
    Retry(Duration),
    /// No further attempt.
    GiveUp,
    /// It is not told, where lines are compared that differ in nothing else.
    Untold,
}

impl From<Option<Duration>> for Next {
    fn from(delay: Option<Duration>) -> Self {
        delay.map_or(Self::GiveUp, Self::Retry)
    }
}

/// What was asked of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// A stream.
    Stream,
    /// A poll.
    Poll,
}

impl LogMessage {
    /// The level. It is not a function of the failure's kind: data that cannot be parsed is a normal failure, and an
    /// error.
    #[must_use]
    pub const fn level(&self) -> Level {
        match self {
            Self::Handled | Self::NotModified => Level::Debug,
            Self::StartingStream
            | Self::StartingPolling(_)
            | Self::Initialized
            | Self::Stopping
            | Self::Unhandled
            | Self::AlreadyStarted => Level::Info,
            Self::Configuration(_)
            | Self::UnknownPath
            | Self::UnknownEvent
            | Self::Http { kind: FailureKind::Normal, .. }
            | Self::ServerClosed { .. }
            | Self::StreamError { .. }
            | Self::LongStartWait(_)
            | Self::StartWaitOver => Level::Warning,
            Self::UnusableAddress
            | Self::Http { kind: FailureKind::Unexpected, .. }
            | Self::Unparseable { .. }
            | Self::PollError { .. }
            | Self::CallbackFailed => Level::Error,
        }
    }

    /// What it says of what comes next, if it tells of a failure.
    #[must_use]
    pub const fn next(&self) -> Option<Next> {
        match self {
            Self::Http { delay, .. }
            | Self::ServerClosed { delay }
            | Self::Unparseable { delay }
            | Self::StreamError { delay, .. }
            | Self::PollError { delay, .. } => Some(*delay),
            _ => None,
        }
    }

    /// The message without the wait that it states.
    #[must_use]
    pub const fn outline(mut self) -> Self {
        if let Self::Http { delay, .. }
        | Self::ServerClosed { delay }
        | Self::Unparseable { delay }
        | Self::StreamError { delay, .. }
        | Self::PollError { delay, .. } = &mut self
        {
            *delay = Next::Untold;
        }
        self
    }

    /// Whether the line wants a stack trace beside it, where there is one.
    #[must_use]
    pub const fn wants_trace(&self) -> bool {
        matches!(self, Self::PollError { .. } | Self::CallbackFailed)
    }
}

impl fmt::Display for LogMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe(f)?;
        self.conclude(f)
    }
}

impl LogMessage {
    /// What happened.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(warning) => write!(f, "{warning}"),
            Self::StartingStream => f.write_str("Starting the stream"),
            Self::StartingPolling(interval) => write!(f, "Starting to poll every {interval}s"),
            Self::UnusableAddress => f.write_str("The base URI cannot be used, so there will be no data"),
            Self::Initialized => f.write_str("Initialized ok"),
            Self::Stopping => f.write_str("Stopping"),
            Self::Handled => f.write_str("Data handled"),
            Self::NotModified => f.write_str("Data not modified"),
            Self::UnknownPath => f.write_str("Ignored a change of an unknown path"),
            Self::UnknownEvent => f.write_str("Ignored an event of an unknown name"),
            Self::Unhandled => f.write_str("An event could not be handled, so the stream starts anew"),
            Self::Http { status, request, .. } => {
                let hint = if matches!(status, 401 | 403) { " (invalid SDK key)" } else { "" };
                let request = match request {
                    Request::Stream => "stream connection",
                    Request::Poll => "polling request",
                };
                write!(f, "Received HTTP error {status}{hint} for {request}")
            }
            Self::ServerClosed { .. } => f.write_str("The server closed the stream connection"),
            Self::Unparseable { .. } => {
                write!(f, "Unparseable data on stream connection: {}", describe(Fault::Malformed))
            }
            Self::StreamError { fault, .. } => write!(f, "Error on stream connection: {}", describe(*fault)),
            Self::PollError { cause, .. } => {
                f.write_str("Error encountered when updating flags: ")?;
                match cause {
                    Cause::Status(status) => write!(f, "status {status} without data"),
                    Cause::Fault(fault) => f.write_str(describe(*fault)),
                }
            }
            Self::CallbackFailed => f.write_str("The callback of a repeating task failed"),
            Self::AlreadyStarted => f.write_str("Already started; starting again changes nothing"),
            Self::LongStartWait(seconds) => {
                write!(f, "A start wait of {seconds}s blocks for long; 60s is the most that is sensible")
            }
            Self::StartWaitOver => f.write_str("Not initialized when the start wait was over; still retrying"),
        }
    }

    /// What follows a failure; nothing for every other line.
    fn conclude(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http { delay, .. }
            | Self::ServerClosed { delay }
            | Self::Unparseable { delay }
            | Self::StreamError { delay, .. }
            | Self::PollError { delay, .. } => fmt::Display::fmt(delay, f),
            Self::Configuration(_)
            | Self::StartingStream
            | Self::StartingPolling(_)
            | Self::UnusableAddress
            | Self::Initialized
            | Self::Stopping
            | Self::Handled
            | Self::NotModified
            | Self::UnknownPath
            | Self::UnknownEvent
            | Self::Unhandled
            | Self::CallbackFailed
            | Self::AlreadyStarted
            | Self::LongStartWait(_)
            | Self::StartWaitOver => Ok(()),
        }
    }
}

/// As a line ends: the wait in seconds with one decimal, correctly rounded, ties to even.
impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry(delay) => write!(f, " - will retry in {:.1}s", delay.as_secs_f64()),
            Self::GiveUp => f.write_str(" - giving up"),
            Self::Untold => Ok(()),
        }
    }
}

/// A fault in words.
const fn describe(fault: Fault) -> &'static str {
    match fault {
        Fault::Dns => "the host name was not resolved",
        Fault::Refused => "the connection was refused",
        Fault::Reset => "the connection broke off",
        Fault::Timeout => "timed out",
        Fault::Tls => "the TLS handshake failed",
        Fault::Certificate => "the certificate was not accepted",
        Fault::Close => "the server closed the connection",
        Fault::ContentType => "the answer has the wrong content type",
        Fault::Malformed => "the data cannot be parsed",
        Fault::MissingKey => "the data lacks something",
        Fault::Store => "the data could not be stored",
    }
}
