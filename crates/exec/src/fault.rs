//! The faults of a subject.

use std::fmt;
use std::time::Duration;

use retrylab_spec::decimal::{NoSeconds, Seconds};

use crate::output::OutputExcerpt;

/// The first fault of a subject, with its request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("request {request}: {wrong}")]
pub struct SubjectFault {
    /// The request without a valid response.
    pub request: SentRequest,
    /// The fault.
    pub wrong: Wrong,
}

/// A request: one line to a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentRequest {
    /// Its number, from 1 since the process started.
    pub number: u64,
    /// The line, without its end.
    pub text: String,
}

/// The number and the line.
impl fmt::Display for SentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.number, self.text)
    }
}

/// A fault in a response, or a missing one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// No response arrived in time. A late one is ignored.
    #[error("no response{begun} within {}s; a response is one line, flushed at once", Seconds(*limit))]
    NoAnswer {
        /// The time limit.
        limit: Duration,
        /// The beginning of a response, if any.
        begun: UnfinishedResponse,
    },
    /// The pipe is full of unread requests, and nothing more can be written to it.
    #[error("the request could not be written within {}s, since the process does not read its standard input", Seconds(*limit))]
    Unread {
        /// The time limit.
        limit: Duration,
    },
    /// The process ended.
    #[error("no response{begun}; the process has ended ({status})")]
    Ended {
        /// The exit status in the system's words.
        status: String,
        /// The beginning of a response, if any.
        begun: UnfinishedResponse,
    },
    /// The process closed its output or its input, and still runs.
    #[error("no response{begun}; the process has closed its standard streams but has not ended")]
    Closed {
        /// The beginning of a response, if any.
        begun: UnfinishedResponse,
    },
    /// Its output cannot be read.
    #[error("no response; the output of the process cannot be read: {error}")]
    Unreadable {
        /// The system's error.
        error: String,
    },
    /// The line is too long.
    #[error("the response is longer than {} KiB and begins with {begin}; expected {expected}", crate::output::LONGEST >> 10)]
    TooLong {
        /// Its beginning.
        begin: OutputExcerpt,
        /// The expected form.
        expected: &'static str,
    },
    /// The line is not a valid response.
    #[error("the response is {line}, which is invalid: {problem}; expected {expected}")]
    Garbage {
        /// The line.
        line: OutputExcerpt,
        /// The error of the JSON parser, or of the check.
        problem: String,
        /// The expected form.
        expected: &'static str,
    },
    /// There is more output than responses.
    #[error("unexpected output after the response: {line}; only responses may be printed on standard output")]
    Unexpected {
        /// The unexpected line.
        line: OutputExcerpt,
    },
    /// A required field is missing.
    #[error("the response is {line}, which has no {field}; expected {expected}")]
    Missing {
        /// The line.
        line: OutputExcerpt,
        /// The missing field.
        field: &'static str,
        /// The expected form.
        expected: &'static str,
    },
    /// The delay is invalid.
    #[error("delay_s is {given}, which is {problem}; allowed is a number of seconds from 0")]
    Delay {
        /// The text in the response.
        given: OutputExcerpt,
        /// The problem with it.
        problem: NoSeconds,
    },
    /// The reason to give up is unknown.
    #[error("give_up is {given}; allowed are attempts, elapsed, budget, terminal")]
    GiveUp {
        /// The text in the response.
        given: OutputExcerpt,
    },
    /// The subject does not build this policy. The process can continue with another.
    #[error("the subject refuses to build this policy: {why}")]
    Refused {
        /// The subject's reason.
        why: OutputExcerpt,
    },
    /// No fault of the subject: the caller used a policy that a newer one has replaced.
    #[error("no request was sent: a newer policy in the same process has replaced this one")]
    Superseded,
}

/// The beginning of an unfinished response, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedResponse(pub Option<OutputExcerpt>);

/// The text after "no response".
impl fmt::Display for UnfinishedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(begin) => write!(f, " but {begin} without the end of its line"),
            None => Ok(()),
        }
    }
}

/// The reason why a process could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot start `{program}`: {error}")]
pub struct StartError {
    /// The program.
    pub program: String,
    /// The system's error.
    pub error: String,
}
