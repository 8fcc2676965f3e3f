//! The lines of a source's log, with their levels.

use core::fmt;
use core::time::Duration;

use retrylab_core::{ConfigWarning, FailureKind, Fault};

use crate::cause::Cause;

/// The level of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For debugging.
    Debug,
    /// Normal operation.
    Info,
    /// A failure that is expected to pass.
    Warning,
    /// A failure that needs attention.
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
/// `Display` is the whole line: the message, with the detail in brackets if there is one. The line of a failure ends
/// with the next step.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// The level.
    pub level: Level,
    /// The message.
    pub message: LogMessage,
    /// A detail that only the driver knows: the text of an error of the operating system, an address.
    pub detail: Option<Detail>,
}

/// A detail of a line, which its reader formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The text of an error, an address.
    Text(String),
    /// How much data there is of each kind.
    Counts {
        /// How many flags there are.
        flags: usize,
        /// How many segments there are.
        segments: usize,
    },
}

impl From<String> for Detail {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Counts { flags, segments } => write!(f, "flags: {flags}, segments: {segments}"),
        }
    }
}

impl LogRecord {
    /// A line with this message, at its default level.
    #[must_use]
    pub fn new(message: LogMessage) -> Self {
        Self { level: message.level(), message, detail: None }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with_detail(self, detail: Option<impl Into<Detail>>) -> Self {
        Self { detail: detail.map(Into::into), ..self }
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

/// The messages of a source. A failure's line states the wait that follows, with its jitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LogMessage {
    /// A configured value was replaced.
    Configuration(ConfigWarning),
    /// A stream begins; the detail is its address.
    StartingStream,
    /// Polling begins, with the interval that was configured, in seconds; the detail is its address.
    StartingPolling(f64),
    /// The address cannot be used; the detail is the reason. The source never starts.
    UnusableAddress,
    /// The first data has arrived.
    Initialized,
    /// The user stops the source.
    Stopping,
    /// A message was handled, or a poll's data was stored; after a `put` the detail is the number of items of each
    /// kind.
    Handled,
    /// A poll brought nothing new.
    NotModified,
    /// The change concerns data that is not kept here.
    UnknownPath,
    /// The message has an unknown name.
    UnknownEvent,
    /// A message could not be handled; the line of the failure follows.
    Unhandled,
    /// The server answered with an error status.
    Http {
        /// The status.
        status: u16,
        /// How it was classified.
        kind: FailureKind,
        /// The request.
        request: Request,
        /// The next step.
        delay: Next,
    },
    /// The server closed the stream.
    ServerClosed {
        /// The next step.
        delay: Next,
    },
    /// The stream's data cannot be parsed.
    Unparseable {
        /// The next step.
        delay: Next,
    },
    /// Any other failure of a stream.
    StreamError {
        /// The cause.
        fault: Fault,
        /// The next step.
        delay: Next,
    },
    /// Any other failure of a poll.
    PollError {
        /// The cause.
        cause: Cause,
        /// The next step.
        delay: Next,
    },
    /// A callback of a repeating task failed; the detail is its error.
    CallbackFailed,
    /// A running source was started again.
    AlreadyStarted,
    /// The start wait, in seconds, is above the recommended maximum.
    LongStartWait(f64),
    /// The start wait passed without data.
    StartWaitOver,
}

/// The step after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Another attempt, after this wait.
    Retry(Duration),
    /// No further attempt.
    GiveUp,
    /// Omitted, for comparisons that ignore it.
    Untold,
}

impl From<Option<Duration>> for Next {
    fn from(delay: Option<Duration>) -> Self {
        delay.map_or(Self::GiveUp, Self::Retry)
    }
}

/// A request to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// A stream.
    Stream,
    /// A poll.
    Poll,
}

impl LogMessage {
    /// The level. It does not follow from the failure's kind: data that cannot be parsed is a normal failure, and an
    /// error.
    #[inline]
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

    /// The next step, if the message is of a failure.
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

    /// The message without the wait.
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

    /// Whether a stack trace, if there is one, belongs with the line.
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
    /// The event.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(warning) => write!(f, "{warning}"),
            Self::StartingStream => f.write_str("Starting the stream"),
            Self::StartingPolling(interval) => write!(f, "Starting to poll every {interval}s"),
            Self::UnusableAddress => f.write_str("The base URI is invalid, so there will be no data"),
            Self::Initialized => f.write_str("Initialized ok"),
            Self::Stopping => f.write_str("Stopping"),
            Self::Handled => f.write_str("Data handled"),
            Self::NotModified => f.write_str("Data not modified"),
            Self::UnknownPath => f.write_str("Ignored a change at an unknown path"),
            Self::UnknownEvent => f.write_str("Ignored an event with an unknown name"),
            Self::Unhandled => f.write_str("An event could not be handled, so the stream restarts"),
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
                write!(f, "A start wait of {seconds}s is long; at most 60s is recommended")
            }
            Self::StartWaitOver => f.write_str("Not initialized within the start wait; still retrying"),
        }
    }

    /// The next step after a failure; nothing for every other line.
    fn conclude(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.next().map_or(Ok(()), |next| fmt::Display::fmt(&next, f))
    }
}

/// The end of a line: the wait in seconds with one decimal, correctly rounded, ties to even.
impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry(delay) => write!(f, " - will retry in {:.1}s", delay.as_secs_f64()),
            Self::GiveUp => f.write_str(" - giving up"),
            Self::Untold => Ok(()),
        }
    }
}

/// The text of a fault.
const fn describe(fault: Fault) -> &'static str {
    match fault {
        Fault::Dns => "the host name was not resolved",
        Fault::Refused => "the connection was refused",
        Fault::Reset => "the connection was reset",
        Fault::Timeout => "timed out",
        Fault::Tls => "the TLS handshake failed",
        Fault::Certificate => "the certificate was not accepted",
        Fault::Close => "the server closed the connection",
        Fault::ContentType => "the response has the wrong content type",
        Fault::Malformed => "the data cannot be parsed",
        Fault::MissingKey => "the data lacks a required key",
        Fault::Store => "the data could not be stored",
    }
}
