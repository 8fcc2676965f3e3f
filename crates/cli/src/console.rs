//! The command's environment: three streams, some variables, and whether a person watches.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, StderrLock, StdinLock, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};

use crate::seed;
use crate::style::WARNING;
use crate::verb::source;

/// The input and output of a verb. Verbs write styled text; the streams keep or strip the styles.
pub struct Console<'a> {
    /// The source of `-`.
    pub stdin: &'a mut dyn Read,
    /// Results.
    pub out: &'a mut dyn Write,
    /// Warnings, errors and progress.
    pub err: &'a mut dyn Write,
    /// The seed variable of the environment.
    pub seed_variable: Option<OsString>,
    /// The environment's credential for real endpoints.
    pub credential: Option<OsString>,
    /// Whether a progress bar is visible.
    pub progress: bool,
}

impl<'a> Console<'a> {
    /// A console on these streams, with an empty environment and no progress bar.
    pub fn new(stdin: &'a mut dyn Read, out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self { stdin, out, err, seed_variable: None, credential: None, progress: false }
    }

    /// Prints a warning.
    pub(crate) fn warn(&mut self, warning: impl fmt::Display) -> io::Result<()> {
        writeln!(self.err, "{WARNING}warning:{WARNING:#} {warning}")
    }
}

/// The streams of this process.
pub(crate) struct Process {
    stdin: BufReader<StdinLock<'static>>,
    out: BufWriter<AutoStream<StdoutLock<'static>>>,
    err: Patient<AutoStream<StderrLock<'static>>>,
    progress: bool,
}

impl Process {
    pub(crate) fn new() -> Self {
        let out = io::stdout().lock();
        let err = io::stderr().lock();
        let progress = err.is_terminal();
        let (refusal, terminal) = (env::var_os("NO_COLOR"), env::var_os("TERM"));
        let colour = |seen| colour(seen, refusal.as_deref(), terminal.as_deref());
        let (out_colour, err_colour) = (colour(out.is_terminal()), colour(progress));
        Self {
            stdin: BufReader::new(io::stdin().lock()),
            out: BufWriter::new(AutoStream::new(out, out_colour)),
            err: Patient::new(AutoStream::new(err, err_colour)),
            progress,
        }
    }

    pub(crate) fn console(&mut self) -> Console<'_> {
        Console {
            stdin: &mut self.stdin,
            out: &mut self.out,
            err: &mut self.err,
            seed_variable: env::var_os(seed::VARIABLE),
            credential: env::var_os(source::CREDENTIAL),
            progress: self.progress,
        }
    }
}

/// Colour only on a terminal that can show it, and never with `NO_COLOR` (any value but the empty one, see
/// <https://no-color.org>).
fn colour(seen: bool, refusal: Option<&OsStr>, terminal: Option<&OsStr>) -> ColorChoice {
    let refused = refusal.is_some_and(|value| !value.is_empty());
    let dumb = terminal.is_some_and(|name| name == "dumb");
    if seen && !refused && !dumb { ColorChoice::Always } else { ColorChoice::Never }
}

/// Ignores a closed pipe: an unread warning is no reason to stop.
struct Patient<W> {
    inner: W,
    closed: bool,
}

impl<W: Write> Patient<W> {
    fn new(inner: W) -> Self {
        Self { inner, closed: false }
    }

    fn unless_closed<T>(&mut self, otherwise: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.closed {
            return Ok(otherwise);
        }
        match write(&mut self.inner) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(otherwise)
            }
            other => other,
        }
    }
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipe whose reader takes one write and closes it.
    struct Head(Vec<u8>);

    impl Write for Head {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.0.is_empty() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn colour_needs_a_terminal_that_supports_it_and_no_no_color() {
        let colour = |seen, refusal: Option<&str>, terminal: Option<&str>| {
            colour(seen, refusal.map(OsStr::new), terminal.map(OsStr::new)) == ColorChoice::Always
        };
        assert!(colour(true, None, Some("xterm")));
        assert!(colour(true, Some(""), None));
        assert!(!colour(false, None, Some("xterm")));
        assert!(!colour(true, Some("1"), Some("xterm")));
        assert!(!colour(true, None, Some("dumb")));
    }

    #[test]
    fn a_closed_error_stream_is_no_error() {
        let mut err = Patient::new(Head(Vec::new()));
        for line in ["one", "two", "three"] {
            err.write_all(line.as_bytes()).unwrap();
        }
        err.flush().unwrap();
        assert_eq!(err.inner.0, b"one");
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let error = Patient::new(Full).write_all(b"one").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
