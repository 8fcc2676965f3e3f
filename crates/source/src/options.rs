//! Where implementations of these sources differ, and a user may choose.

use crate::log::{Level, LogMessage};
use crate::status::ErrorKind;

/// What a user may choose about a source. The default is what the rules of this project follow.
///
/// ```
/// use retrylab_source::{HttpLevel, SourceOptions, ValidAfter};
///
/// let options = SourceOptions { valid_after: ValidAfter::AnyMessage, ..SourceOptions::default() };
/// assert_eq!(options.http_level, HttpLevel::ByKind);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceOptions {
    /// What becomes of a stream's own retry hint.
    pub server_retry: ServerRetry,
    /// Which message makes a stream valid.
    pub valid_after: ValidAfter,
    /// The level of the line about an HTTP failure.
    pub http_level: HttpLevel,
    /// What kind of error a poll's unreadable body is.
    pub malformed_body: MalformedBody,
    /// When the next poll after a good one begins.
    pub poll_timing: PollTiming,
}

/// What becomes of the field `retry:` of an event stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ServerRetry {
    /// Nothing: the server does not decide the wait.
    #[default]
    Ignored,
    /// It goes to the policy with the failure that ends the stream. [`Hinted`](crate::Hinted) makes it its base.
    Honoured,
}

/// Which message makes a stream valid, and its source ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ValidAfter {
    /// One that brings everything.
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

/// What kind of error a poll's unreadable body is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MalformedBody {
    /// [`ErrorKind::Unknown`].
    #[default]
    Unknown,
    /// [`ErrorKind::InvalidData`].
    InvalidData,
}

/// When the next poll after a good one begins. Both are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PollTiming {
    /// An interval after the last one has ended.
    #[default]
    Gap,
    /// At the next multiple of the interval after the last one began. What was missed is not made up for.
    FixedCadence,
}

impl SourceOptions {
    /// The level of a line.
    pub(crate) const fn level(&self, message: &LogMessage) -> Level {
        match (message, self.http_level) {
            (LogMessage::Http { .. }, HttpLevel::Error) => Level::Error,
            (LogMessage::Http { .. }, HttpLevel::Warning) => Level::Warning,
            _ => message.level(),
        }
    }
}

impl MalformedBody {
    pub(crate) const fn kind(self) -> ErrorKind {
        match self {
            Self::Unknown => ErrorKind::Unknown,
            Self::InvalidData => ErrorKind::InvalidData,
        }
    }
}
