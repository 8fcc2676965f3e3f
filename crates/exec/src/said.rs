//! What a process says, line by line, each waited for with a limit.

use std::fmt;
use std::io::{self, Read};
use std::process::ChildStdout;
use std::time::Duration;

use crate::pipe::{Deadline, is_readable};

/// The longest line that is read, in bytes: one that does not end must not take all memory.
pub(crate) const LONGEST: usize = 64 << 10;

/// How much of a line a message shows.
const SHOWN: usize = 200;

/// The output of a process.
///
/// It is read by who waits for it. A thread in between would be a second change of threads for every answer, which costs
/// as much as the process does.
pub(crate) struct Output {
    stdout: ChildStdout,
    /// What has been read; a line that was taken is gone from it.
    read: Vec<u8>,
}

/// Why there is no line.
pub(crate) enum Silence {
    /// Not in time.
    Late,
    /// There will never be one.
    Over,
    /// There is a beginning, but no end.
    TooLong(Vec<u8>),
    /// The output cannot be read.
    Unreadable(io::Error),
}

impl Output {
    pub(crate) const fn new(stdout: ChildStdout) -> Self {
        Self { stdout, read: Vec::new() }
    }

    /// The next line, without its end. One that is there is taken however late it is looked for: it may be this process that
    /// was stopped, or had to wait for its turn.
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

    /// Reads what there is, without waiting.
    pub(crate) fn look(&mut self) {
        // Whatever is wrong will be met by who asks next.
        let _ = self.take_in(Duration::ZERO);
    }

    /// What has been read and not taken, if anything: the beginning of it, up to the end of a line.
    pub(crate) fn untaken(&self) -> Option<&[u8]> {
        self.read.split(|byte| *byte == b'\n').next().filter(|_| !self.read.is_empty())
    }

    /// Waits for the end of the output, but not for long, and not for much of it.
    pub(crate) fn drain(&mut self, limit: Duration) {
        const PIECES: usize = 16;
        let _ = (0..PIECES).find(|_| self.take_in(limit).is_err());
    }

    /// Reads what there is as soon as there is something.
    fn take_in(&mut self, limit: Duration) -> Result<(), Silence> {
        const PIECE: usize = 16 << 10;
        if !is_readable(&self.stdout, limit).map_err(Silence::Unreadable)? {
            return Err(Silence::Late);
        }
        let mut piece = [0; PIECE];
        loop {
            match self.stdout.read(&mut piece) {
                // A line without its end was never finished.
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

/// The beginning of what a process printed, as a message may show it: quoted, on one line, without what a terminal would
/// act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
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

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn an_answer_that_is_there_is_taken_even_if_it_is_looked_for_too_late() {
        use std::process::{Command, Stdio};

        let mut child = Command::new("echo").arg("answer").stdout(Stdio::piped()).spawn().unwrap();
        let mut output = Output::new(child.stdout.take().unwrap());
        assert!(child.wait().unwrap().success());
        let late = Deadline::after(Duration::ZERO);
        assert!(matches!(output.next(late), Ok(line) if line == b"answer"));
        assert!(matches!(output.next(late), Err(Silence::Over)));
    }

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(Excerpt::new(b"{\"a\":1}").to_string(), "`{\"a\":1}`");
        assert_eq!(Excerpt::new(b"\x1b[31m\xff").to_string(), "`\\u{1b}[31m\u{fffd}`");
        let long = Excerpt::new("ä".repeat(300).as_bytes()).to_string();
        assert_eq!(long, format!("`{}…`", "ä".repeat(200)));
        assert_eq!(Excerpt::new(&[b'x'; 200]).to_string(), format!("`{}`", "x".repeat(200)));
    }
}
