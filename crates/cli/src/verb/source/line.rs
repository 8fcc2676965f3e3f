//! One event as a line.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use anstyle::Style;
use retrylab_core::{FailureKind, Instant, nanos};
use retrylab_source::{Cause, Level, State, Status};
use serde::Serialize;

use crate::Format;
use crate::count::counted;
use crate::json::line;
use crate::rounded::Rounded;
use crate::style::{GOOD, QUIET, TITLE, WARNING};

/// An event, and the status after it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) at: Instant,
    pub(super) status: Status,
    pub(super) level: Level,
    pub(super) message: String,
    /// The wait until the next attempt, if one is due.
    pub(super) wait: Option<Duration>,
    pub(super) reason: Option<Reason>,
    /// The data after it; `None`: there is none.
    pub(super) data: Option<Data>,
    /// Whether this line is the first with this data.
    pub(super) data_changed: bool,
}

/// The reason for a wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    pub(super) cause: Cause,
    pub(super) kind: FailureKind,
}

/// The amount of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Data {
    pub(super) flags: usize,
    pub(super) segments: usize,
    /// The highest version of any item.
    pub(super) version: u64,
}

/// The widths of all columns but the last: `9h 59m 59.999s`, `INITIALIZING`, `20m 00.000s`, `content-type normal`.
const WIDTHS: [usize; 4] = [14, 12, 11, 19];

/// The titles of the columns.
pub(super) fn print_titles(out: &mut dyn Write) -> io::Result<()> {
    let [elapsed, state, wait, reason] = WIDTHS;
    writeln!(
        out,
        "{TITLE}{:>elapsed$}  {:<state$}  {:>wait$}  {:<reason$}  event{TITLE:#}",
        "elapsed", "state", "wait", "reason"
    )
}

impl Line {
    /// Sets the start of the times.
    pub(super) fn print(&self, format: Format, began: Instant, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => self.print_text(began, out),
            Format::Json => line(&self.json(began), out),
        }
    }

    fn print_text(&self, began: Instant, out: &mut dyn Write) -> io::Result<()> {
        let [elapsed_width, state_width, wait_width, reason_width] = WIDTHS;
        let style = style(self.status.state);
        let elapsed = Rounded::new(self.at.since(began), 3);
        let wait = self.wait.map_or_else(|| "-".to_owned(), |wait| Rounded::new(wait, 3).to_string());
        let reason = self.reason.map_or_else(|| "-".to_owned(), |reason| reason.to_string());
        write!(
            out,
            "{QUIET}{elapsed:>elapsed_width$}{QUIET:#}  {style}{:<state_width$}{style:#}  {wait:>wait_width$}  \
             {reason:<reason_width$}  {}",
            self.status.state, self.message
        )?;
        match self.data.filter(|_| self.data_changed) {
            Some(data) => writeln!(out, ": {data}"),
            None => writeln!(out),
        }
    }

    fn json(&self, began: Instant) -> Json<'_> {
        Json {
            elapsed_ns: nanos(self.at.since(began)),
            state: self.status.state.name(),
            since_ns: nanos(self.status.since.since(began)),
            level: self.level.name(),
            message: &self.message,
            wait_ns: self.wait.map(nanos),
            cause: self.reason.map(|reason| reason.cause.to_string()),
            kind: self.reason.map(|reason| reason.kind.to_string()),
            error: self.status.error.map(|error| error.to_string()),
            flags: self.data.map(|data| data.flags),
            segments: self.data.map(|data| data.segments),
            version: self.data.map(|data| data.version),
        }
    }
}

/// Fields in the order in which they are printed.
#[derive(Serialize)]
struct Json<'a> {
    elapsed_ns: u64,
    state: &'static str,
    since_ns: u64,
    level: &'static str,
    message: &'a str,
    wait_ns: Option<u64>,
    cause: Option<String>,
    kind: Option<String>,
    error: Option<String>,
    flags: Option<usize>,
    segments: Option<usize>,
    version: Option<u64>,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} {}", self.cause, self.kind))
    }
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { flags, segments, version } = *self;
        write!(f, "{}, {}, version {version}", counted(flags, "flag"), counted(segments, "segment"))
    }
}

const fn style(state: State) -> Style {
    match state {
        State::Initializing => Style::new(),
        State::Valid => GOOD,
        State::Interrupted => WARNING,
        State::Off => QUIET,
    }
}
