//! The process of a subject: one question, one answer, each within the time limit.

use std::io::Write;
use std::process::{Child, ChildStdin};
use std::time::Duration;

use wait_timeout::ChildExt;

use crate::fault::{Fault, Request, StartError, Wrong};
use crate::program::Program;
use crate::request::{BYE, Op};
use crate::said::{Excerpt, Output, Silence};

/// How long a process may take to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// How much longer the first answer may take: it waits for the program to be up.
const START: Duration = Duration::from_secs(10);

/// A process that runs.
pub(crate) struct Process {
    child: Child,
    /// `None` once it has been told to go.
    stdin: Option<ChildStdin>,
    output: Output,
    limit: Duration,
    /// How many requests there were.
    asked: u64,
    /// The last request.
    line: String,
    /// Whether it still deserves to be asked.
    sound: bool,
}

impl Process {
    pub(crate) fn start(program: &Program, limit: Duration) -> Result<Self, StartError> {
        let failed = |error: &dyn ToString| StartError { program: program.to_string(), error: error.to_string() };
        let mut child = program.command().spawn().map_err(|error| failed(&error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            end(&mut child);
            return Err(failed(&"it has no standard streams"));
        };
        let (stdin, output) = (Some(stdin), Output::new(stdout));
        Ok(Self { child, stdin, output, limit, asked: 0, line: String::new(), sound: true })
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
        let written = self.stdin.as_mut().map(|stdin| stdin.write_all(self.line.as_bytes()));
        if !matches!(written, Some(Ok(()))) {
            return Err(self.ended());
        }
        let limit = if self.asked == 1 { self.limit.saturating_add(START) } else { self.limit };
        let line = self.output.next(limit).map_err(|silence| match silence {
            Silence::Late => Wrong::NoAnswer { limit },
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

    /// Nothing comes out or goes in any more.
    fn ended(&mut self) -> Wrong {
        match self.child.wait_timeout(GRACE) {
            Ok(Some(status)) => Wrong::Ended { status: status.to_string() },
            Ok(None) => Wrong::Closed,
            Err(error) => Wrong::Unreadable { error: error.to_string() },
        }
    }
}

/// Says good-bye and waits for a moment; a process that stays, or that did wrong, is killed. It is reaped in any case.
impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.stdin.take()
            && self.sound
            && stdin.write_all(BYE.as_bytes()).is_ok()
        {
            drop(stdin);
            self.output.drain(GRACE);
            // The end of its output comes a little before its own.
            let _ = self.child.wait_timeout(GRACE);
        }
        end(&mut self.child);
    }
}

/// Kills a process unless it has ended, and reaps it.
fn end(child: &mut Child) {
    // Both fail only if it has been reaped.
    let _ = child.kill();
    let _ = child.wait();
}
