//! Pipes to and from a process, each with a time limit.

use std::io::{self, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// The end of the time for a request and its response.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    start: Instant,
    limit: Duration,
}

#[expect(clippy::disallowed_methods, reason = "only the real clock tells a process that hangs from one that is slow")]
impl Deadline {
    /// This long after now.
    pub(crate) fn after(limit: Duration) -> Self {
        Self { start: Instant::now(), limit }
    }

    /// The time left.
    pub(crate) fn left(self) -> Duration {
        self.limit.saturating_sub(self.start.elapsed())
    }
}

/// The standard input of a process.
pub(crate) struct Input(ChildStdin);

/// The reason why a line was not written.
pub(crate) enum Unwritten {
    /// The pipe is full, and the process does not read.
    Unread,
    /// The other end is closed.
    Closed,
}

impl Input {
    /// # Errors
    ///
    /// If the system cannot write to it without blocking.
    pub(crate) fn new(stdin: ChildStdin) -> io::Result<Self> {
        // This affects our end alone: the process reads from its own as before.
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&stdin, true)?;
        Ok(Self(stdin))
    }

    /// Writes a line as soon as there is room.
    pub(crate) fn write(&mut self, line: &[u8], deadline: Deadline) -> Result<(), Unwritten> {
        let mut rest = line;
        while !rest.is_empty() {
            match self.0.write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match is_writable(&self.0, deadline.left()) {
                        Ok(true) => {}
                        Ok(false) => return Err(Unwritten::Unread),
                        Err(_) => return Err(Unwritten::Closed),
                    }
                }
                Err(_) => return Err(Unwritten::Closed),
            }
        }
        Ok(())
    }
}

/// Whether a read would not block, after waiting at most this long.
#[cfg(unix)]
pub(crate) fn is_readable(stdout: &ChildStdout, limit: Duration) -> io::Result<bool> {
    is_ready(rustix::event::PollFd::new(stdout, rustix::event::PollFlags::IN), limit)
}

/// Whether there is room to write, or the other end is closed, after waiting at most this long.
#[cfg(unix)]
fn is_writable(stdin: &ChildStdin, limit: Duration) -> io::Result<bool> {
    is_ready(rustix::event::PollFd::new(stdin, rustix::event::PollFlags::OUT), limit)
}

#[cfg(unix)]
fn is_ready(pipe: rustix::event::PollFd<'_>, limit: Duration) -> io::Result<bool> {
    use rustix::event::{Timespec, poll};
    use rustix::io::Errno;

    // A limit that does not fit is no limit.
    let limit = Timespec::try_from(limit).ok();
    let mut pipes = [pipe];
    loop {
        match poll(&mut pipes, limit.as_ref()) {
            Err(Errno::INTR) => {}
            ready => return Ok(ready? > 0),
        }
    }
}

/// Other systems cannot wait for a pipe with a limit.
#[cfg(not(unix))]
pub(crate) fn is_readable(_: &ChildStdout, _: Duration) -> io::Result<bool> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system cannot wait for a process with a time limit"))
}

#[cfg(not(unix))]
fn is_writable(_: &ChildStdin, _: Duration) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_write_to_a_full_pipe_ends_at_the_time_limit() {
        let mut child = Command::new("sleep").arg("3600").stdin(Stdio::piped()).spawn().unwrap();
        let mut input = Input::new(child.stdin.take().unwrap()).unwrap();
        let unread = |input: &mut Input, line: &[u8]| {
            matches!(input.write(line, Deadline::after(Duration::from_millis(1))), Err(Unwritten::Unread))
        };
        // More than any pipe holds, so that there is no room even for the last request.
        assert!(unread(&mut input, &vec![b'x'; 16 << 20]));
        assert!(unread(&mut input, b"bye\n"));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(matches!(input.write(b"bye\n", Deadline::after(Duration::from_secs(60))), Err(Unwritten::Closed)));
    }
}
