//! Options where implementations of these sources differ.

use crate::log::{Level, LogMessage};
use crate::status::ErrorKind;

/// The options of a source. The default follows the rules of this project.
///
/// ```
/// use retrylab_source::{HttpLevel, SourceOptions, ValidAfter};
///
/// let options = SourceOptions { valid_after: ValidAfter::AnyMessage, ..SourceOptions::default() };
/// assert_eq!(options.http_level, HttpLevel::ByKind);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceOptions {
    /// The treatment of a stream's own retry hint.
    pub server_retry: ServerRetry,
    /// The message that makes a stream valid.
    pub valid_after: ValidAfter,
    /// The level of the line about an HTTP failure.
    pub http_level: HttpLevel,
    /// The error kind of a poll's unreadable body.
    pub malformed_body: MalformedBody,
    /// The start of the next poll after a good one.
    pub poll_timing: PollTiming,
}

/// The treatment of the field `retry:` of an event stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ServerRetry {
    /// Ignored: the server does not decide the wait.
    #[default]
    Ignored,
    /// Passed to the policy with the failure that ends the stream. [`StreamPolicy`](crate::StreamPolicy) can make it the
    /// base.
    Honoured,
}

/// The message that makes a stream valid, and its source ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ValidAfter {
    /// One that replaces all data.
    #[default]
    Put,
    /// Any that was handled.
    AnyMessage,
}

/// The level of the line about an HTTP failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HttpLevel {
    /// A warning for a normal failure, an error for an unexpected one.
    #[default]
    ByKind,
    /// Always an error.
    Error,
    /// Always a warning.
    Warning,
}

/// The error kind of a poll's unreadable body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MalformedBody {
    /// [`ErrorKind::Unknown`].
    #[default]
    Unknown,
    /// [`ErrorKind::InvalidData`].
    InvalidData,
}

/// The start of the next poll after a good one. Both options are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PollTiming {
    /// One interval after the end of the last poll.
    #[default]
    Gap,
    /// At the next multiple of the interval after the start of the last poll. Missed polls are skipped.
    FixedCadence,
}

impl SourceOptions {
    /// The level of a line.
    #[inline]
    pub(crate) const fn level(&self, message: &LogMessage) -> Level {
        match (message, self.http_level) {
            (LogMessage::Http { .. }, HttpLevel::Error) => Level::Error,
            (LogMessage::Http { .. }, HttpLevel::Warning) => Level::Warning,
            _ => message.level(),
        }
    }
}

impl MalformedBody {
    #[inline]
    pub(crate) const fn kind(self) -> ErrorKind {
        match self {
            Self::Unknown => ErrorKind::Unknown,
            Self::InvalidData => ErrorKind::InvalidData,
        }
    }
}
