//! The process of a subject: one question, one answer, each within the time limit.

use std::time::Duration;

use crate::fault::{Begun, Fault, Request, StartError, Wrong};
use crate::group::Group;
use crate::pipe::{Deadline, Input, Unwritten};
use crate::program::Program;
use crate::request::{BYE, Op};
use crate::said::{Excerpt, Output, Silence};

/// How long a process may take to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// How much longer the first answer may take: it waits for the program to be up.
const START: Duration = Duration::from_secs(10);

/// A process that runs.
pub(crate) struct Process {
    /// `None` once it has been told to go.
    input: Option<Input>,
    output: Output,
    limit: Duration,
    /// How many requests there were.
    asked: u64,
    /// The last request.
    line: String,
    /// Whether it still deserves to be asked.
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
        Ok(Self { input, output, limit, asked: 0, line: String::new(), sound: true, group })
    }

    /// Asks, and takes the answer as `understand` does. After a fault nothing more can be asked: a late answer would be
    /// taken for that of the next request.
    pub(crate) fn ask<T>(
        &mut self,
        op: &Op<'_>,
        understand: impl FnOnce(&[u8], &Op<'_>) -> Result<T, Wrong>,
    ) -> Result<T, Fault> {
        self.asked += 1;
        op.write(&mut self.line);
        self.answer(op).and_then(|line| understand(&line, op)).map_err(|wrong| {
            self.sound &= matches!(wrong, Wrong::Refused { .. });
            self.fault(wrong)
        })
    }

    /// The fault at the last request.
    pub(crate) fn fault(&self, wrong: Wrong) -> Fault {
        Fault { request: Request { number: self.asked, text: self.line.trim_end().to_owned() }, wrong }
    }

    fn answer(&mut self, op: &Op<'_>) -> Result<Vec<u8>, Wrong> {
        self.output.look();
        self.only_answers()?;
        let limit = if self.asked == 1 { self.limit.saturating_add(START) } else { self.limit };
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
            Silence::TooLong(begin) => Wrong::TooLong { begin: Excerpt::new(&begin), expected: op.expected() },
            Silence::Unreadable(error) => Wrong::Unreadable { error: error.to_string() },
        })?;
        self.only_answers()?;
        Ok(line)
    }

    /// Whatever else there is was not asked for, and would be taken for the next answer.
    fn only_answers(&self) -> Result<(), Wrong> {
        match self.output.untaken() {
            Some(line) => Err(Wrong::Unasked { line: Excerpt::new(line) }),
            None => Ok(()),
        }
    }

    /// What there is of an answer.
    fn begun(&self) -> Begun {
        Begun(self.output.untaken().map(Excerpt::new))
    }

    /// Nothing comes out or goes in any more.
    fn ended(&mut self) -> Wrong {
        match self.group.wait(GRACE) {
            Ok(Some(status)) => Wrong::Ended { status: status.to_string(), begun: self.begun() },
            Ok(None) => Wrong::Closed { begun: self.begun() },
            Err(error) => Wrong::Unreadable { error: error.to_string() },
        }
    }
}

/// Says good-bye and waits for a moment. What stays, or did wrong, is killed with its group.
impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take()
            && self.sound
            // Who has no room for it does not hear it.
            && input.write(BYE.as_bytes(), Deadline::after(Duration::ZERO)).is_ok()
        {
            drop(input);
            self.output.drain(GRACE);
            // The end of its output comes a little before its own.
            let _ = self.group.wait(GRACE);
        }
    }
}
