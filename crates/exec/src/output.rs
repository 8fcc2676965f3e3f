//! The output of a process, line by line, each with a time limit.

use std::fmt;
use std::io::{self, Read};
use std::process::ChildStdout;
use std::time::Duration;

use crate::pipe::{Deadline, is_readable};

/// The maximum length of a line, in bytes, which protects memory.
pub(crate) const LONGEST: usize = 64 << 10;

/// The part of a line that a message shows, in characters.
const SHOWN: usize = 200;

/// The output of a process.
///
/// The reading thread is that of the request. A separate one would cost another thread switch per response, as much as
/// the process itself.
pub(crate) struct Output {
    stdout: ChildStdout,
    /// The bytes read and not yet taken.
    read: Vec<u8>,
}

/// The reason why there is no line.
pub(crate) enum Silence {
    /// The time limit passed.
    Late,
    /// The output has ended.
    Over,
    /// The line has no end.
    TooLong(Vec<u8>),
    /// The output cannot be read.
    Unreadable(io::Error),
}

impl Output {
    pub(crate) const fn new(stdout: ChildStdout) -> Self {
        Self { stdout, read: Vec::new() }
    }

    /// The next line, without its end. A line that is present is returned at any time, also after the deadline: this
    /// process may have been stopped, or waited for a processor.
    pub(crate) fn next(&mut self, deadline: Deadline) -> Result<Vec<u8>, Silence> {
        let mut seen = 0;
        loop {
            if let Some(end) = self.read[seen..].iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.read.drain(..=seen + end).collect();
                line.pop();
                return Ok(line);
            }
            seen = self.read.len();
            if seen > LONGEST {
                return Err(Silence::TooLong(std::mem::take(&mut self.read)));
            }
            self.take_in(deadline.left())?;
        }
    }

    /// Reads the available output, without waiting.
    pub(crate) fn look(&mut self) {
        // The next request will meet any error.
        let _ = self.take_in(Duration::ZERO);
    }

    /// The first line that was read and not taken, if any.
    pub(crate) fn untaken(&self) -> Option<&[u8]> {
        self.read.split(|byte| *byte == b'\n').next().filter(|_| !self.read.is_empty())
    }

    /// Waits for the end of the output, within limits of time and size.
    pub(crate) fn drain(&mut self, limit: Duration) {
        const PIECES: usize = 16;
        let _ = (0..PIECES).find(|_| self.take_in(limit).is_err());
    }

    /// Reads as soon as there is output.
    fn take_in(&mut self, limit: Duration) -> Result<(), Silence> {
        const PIECE: usize = 16 << 10;
        if !is_readable(&self.stdout, limit).map_err(Silence::Unreadable)? {
            return Err(Silence::Late);
        }
        let mut piece = [0; PIECE];
        loop {
            match self.stdout.read(&mut piece) {
                // An unfinished line does not count.
                Ok(0) => return Err(Silence::Over),
                Ok(length) => {
                    self.read.extend_from_slice(&piece[..length]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Silence::Unreadable(error)),
            }
        }
    }
}

/// The beginning of a process's output, for a message: quoted, on one line, without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputExcerpt(String);

impl OutputExcerpt {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
        let mut shown = String::from("`");
        let mut characters = text.chars();
        for c in characters.by_ref().take(SHOWN) {
            if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
                shown.extend(c.escape_unicode());
            } else {
                shown.push(c);
            }
        }
        shown.push_str(if characters.next().is_some() || bytes.len() > 4 * SHOWN { "…`" } else { "`" });
        Self(shown)
    }
}

impl fmt::Display for OutputExcerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_response_that_is_present_is_returned_after_the_deadline_too() {
        use std::process::{Command, Stdio};

        let mut child = Command::new("echo").arg("answer").stdout(Stdio::piped()).spawn().unwrap();
        let mut output = Output::new(child.stdout.take().unwrap());
        assert!(child.wait().unwrap().success());
        let late = Deadline::after(Duration::ZERO);
        assert!(matches!(output.next(late), Ok(line) if line == b"answer"));
        // A process that another test forks holds the pipe open until it is replaced, so the end is waited for.
        let in_time = Deadline::after(Duration::from_secs(60));
        assert!(matches!(output.next(in_time), Err(Silence::Over)));
    }

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(OutputExcerpt::new(b"{\"a\":1}").to_string(), "`{\"a\":1}`");
        assert_eq!(OutputExcerpt::new(b"\x1b[31m\xff").to_string(), "`\\u{1b}[31m\u{fffd}`");
        let long = OutputExcerpt::new("ä".repeat(300).as_bytes()).to_string();
        assert_eq!(long, format!("`{}…`", "ä".repeat(200)));
        assert_eq!(OutputExcerpt::new(&[b'x'; 200]).to_string(), format!("`{}`", "x".repeat(200)));
    }
}
