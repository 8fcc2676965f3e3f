//! The process of a subject: one request, one response, each within the time limit.

use std::time::Duration;

use crate::fault::{SentRequest, StartError, SubjectFault, UnfinishedResponse, Wrong};
use crate::group::Group;
use crate::output::{Output, OutputExcerpt, Silence};
use crate::pipe::{Deadline, Input, Unwritten};
use crate::program::Program;
use crate::request::{BYE, Op};

/// The time for a process to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// The additional time for the first response, while the program starts.
const START: Duration = Duration::from_secs(10);

/// A running process.
pub(crate) struct Process {
    /// `None` once the last request was sent.
    input: Option<Input>,
    output: Output,
    limit: Duration,
    /// The number of requests so far.
    requests: u64,
    /// The last request.
    line: String,
    /// Whether requests may still be sent.
    sound: bool,
    group: Group,
}

impl Process {
    pub(crate) fn start(program: &Program, limit: Duration) -> Result<Self, StartError> {
        let failed = |error: &dyn ToString| StartError { program: program.to_string(), error: error.to_string() };
        let mut group = Group::spawn(program.command()).map_err(|error| failed(&error))?;
        let Some((stdin, stdout)) = group.pipes() else {
            return Err(failed(&"it has no standard streams"));
        };
        let input = Some(Input::new(stdin).map_err(|error| failed(&error))?);
        let output = Output::new(stdout);
        Ok(Self { input, output, limit, requests: 0, line: String::new(), sound: true, group })
    }

    /// Sends a request and parses the response with `parse`. After a fault no more requests are sent, because a
    /// late response would be taken for that of the next request.
    pub(crate) fn request<T>(
        &mut self,
        op: &Op<'_>,
        parse: impl FnOnce(&[u8], &Op<'_>) -> Result<T, Wrong>,
    ) -> Result<T, SubjectFault> {
        self.requests += 1;
        op.write(&mut self.line);
        self.response(op).and_then(|line| parse(&line, op)).map_err(|wrong| {
            self.sound &= matches!(wrong, Wrong::Refused { .. });
            self.fault(wrong)
        })
    }

    /// The fault at the last request.
    pub(crate) fn fault(&self, wrong: Wrong) -> SubjectFault {
        SubjectFault { request: SentRequest { number: self.requests, text: self.line.trim_end().to_owned() }, wrong }
    }

    fn response(&mut self, op: &Op<'_>) -> Result<Vec<u8>, Wrong> {
        self.output.look();
        self.no_other_output()?;
        let limit = if self.requests == 1 { self.limit.saturating_add(START) } else { self.limit };
        let deadline = Deadline::after(limit);
        let written = self.input.as_mut().map(|input| input.write(self.line.as_bytes(), deadline));
        match written {
            Some(Ok(())) => {}
            Some(Err(Unwritten::Unread)) => return Err(Wrong::Unread { limit }),
            Some(Err(Unwritten::Closed)) | None => return Err(self.ended()),
        }
        let line = self.output.next(deadline).map_err(|silence| match silence {
            Silence::Late => Wrong::NoAnswer { limit, begun: self.begun() },
            Silence::Over => self.ended(),
            Silence::TooLong(begin) => Wrong::TooLong { begin: OutputExcerpt::new(&begin), expected: op.expected() },
            Silence::Unreadable(error) => Wrong::Unreadable { error: error.to_string() },
        })?;
        self.no_other_output()?;
        Ok(line)
    }

    /// Any further output is unexpected, and would be taken for the next response.
    fn no_other_output(&self) -> Result<(), Wrong> {
        match self.output.untaken() {
            Some(line) => Err(Wrong::Unexpected { line: OutputExcerpt::new(line) }),
            None => Ok(()),
        }
    }

    /// The beginning of a response, if any.
    fn begun(&self) -> UnfinishedResponse {
        UnfinishedResponse(self.output.untaken().map(OutputExcerpt::new))
    }

    /// Closes both streams.
    fn ended(&mut self) -> Wrong {
        match self.group.wait(GRACE) {
            Ok(Some(status)) => Wrong::Ended { status: status.to_string(), begun: self.begun() },
            Ok(None) => Wrong::Closed { begun: self.begun() },
            Err(error) => Wrong::Unreadable { error: error.to_string() },
        }
    }
}

/// Sends the last request and waits for a moment. A process that still runs, or had a fault, is killed with its group.
impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take()
            && self.sound
            // A process without room for it does not receive it.
            && input.write(BYE.as_bytes(), Deadline::after(Duration::ZERO)).is_ok()
        {
            drop(input);
            self.output.drain(GRACE);
            // The end of its output comes slightly before its own.
            let _ = self.group.wait(GRACE);
        }
    }
}
