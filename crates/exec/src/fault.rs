//! What a subject does wrong.

use std::fmt;
use std::time::Duration;

use retrylab_scenario::decimal::{NoSeconds, Seconds};

use crate::said::Excerpt;

/// The first thing that a subject did wrong, and at which request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("request {request}: {wrong}")]
pub struct Fault {
    /// The request that was not answered as it has to be.
    pub request: Request,
    /// What was wrong.
    pub wrong: Wrong,
}

/// One line to a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Counted from 1 since the process was started.
    pub number: u64,
    /// The line, without its end.
    pub text: String,
}

/// Number and text.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.number, self.text)
    }
}

/// What was wrong with an answer, or with there being none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// Nothing came in time. What comes later is not looked at.
    #[error("no answer{begun} within {}s; an answer is one line, flushed at once", Seconds(*limit))]
    NoAnswer {
        /// The time limit.
        limit: Duration,
        /// What there is of an answer.
        begun: Begun,
    },
    /// It is full of what it has not read, and nothing more can be written to it.
    #[error("the request could not be written within {}s, since the process does not read its standard input", Seconds(*limit))]
    Unread {
        /// The time limit.
        limit: Duration,
    },
    /// The process ended.
    #[error("no answer{begun}, the process has ended ({status})")]
    Ended {
        /// As the system describes it.
        status: String,
        /// What there is of an answer.
        begun: Begun,
    },
    /// The process closed its output, or its input, and goes on.
    #[error("no answer{begun}, the process has closed its standard streams but has not ended")]
    Closed {
        /// What there is of an answer.
        begun: Begun,
    },
    /// Its output cannot be read.
    #[error("no answer, the output of the process cannot be read: {error}")]
    Unreadable {
        /// What the system says.
        error: String,
    },
    /// A line that goes on and on.
    #[error("the answer is longer than {} KiB and begins with {begin}; expected {expected}", crate::said::LONGEST >> 10)]
    TooLong {
        /// How it begins.
        begin: Excerpt,
        /// What an answer looks like.
        expected: &'static str,
    },
    /// A line that is no answer.
    #[error("the answer is {line}, which is not understood: {problem}; expected {expected}")]
    Garbage {
        /// The line.
        line: Excerpt,
        /// What the reader of JSON says.
        problem: String,
        /// What an answer looks like.
        expected: &'static str,
    },
    /// There is more output than answers.
    #[error(
        "there is more output than one line an answer: {line}; only answers may be printed, errors may go to stderr"
    )]
    Unasked {
        /// What nobody asked for.
        line: Excerpt,
    },
    /// A JSON object without what it has to have.
    #[error("the answer is {line}, which has no {field}; expected {expected}")]
    Missing {
        /// The line.
        line: Excerpt,
        /// What is not there.
        field: &'static str,
        /// What an answer looks like.
        expected: &'static str,
    },
    /// A delay that cannot be waited.
    #[error("delay_s is {given}, which is {problem}; allowed is a number of seconds from 0")]
    Delay {
        /// As it was written.
        given: Excerpt,
        /// What is wrong with it.
        problem: NoSeconds,
    },
    /// A reason to give up that there is not.
    #[error("give_up is {given}; allowed are attempts, elapsed, budget, terminal")]
    GiveUp {
        /// As it was written.
        given: Excerpt,
    },
    /// It does not build this policy. The process can go on with another.
    #[error("the subject refuses to build this policy: {why}")]
    Refused {
        /// In its words.
        why: Excerpt,
    },
    /// Not the subject's fault but of who asks: there is a newer policy, which replaced the one that was asked.
    #[error("not asked, since the policy that was to be asked has been replaced by a newer one in the same process")]
    Superseded,
}

/// The beginning of an answer that has no end, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun(pub Option<Excerpt>);

/// To be read after "no answer".
impl fmt::Display for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(begin) => write!(f, " but {begin} without the end of its line"),
            None => Ok(()),
        }
    }
}

/// There is no process to ask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot start `{program}`: {error}")]
pub struct StartError {
    /// What was to be started.
    pub program: String,
    /// What the system says.
    pub error: String,
}
