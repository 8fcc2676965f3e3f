//! One line of a trace, as a plain value.

use core::fmt;

use core::time::Duration;
use retrylab_core::{ConfigWarning, Failure, FailureKind, GiveUp, Instant, Regime, nanos};
use retrylab_source::{Cause, Level, LogMessage, SourceError, State};
use retrylab_spec::duration;

use crate::step::{Given, Input, Response};

/// Something that happened in a run: an input of the client with its response, or an aside. All times are nanoseconds.
///
/// A record is at most [`Record::BYTES`] bytes, so the figures that only an outcome has are read by methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Its place in the run's full stream, from 0. A stream that is filtered keeps the numbers.
    pub number: u64,
    /// True time from the start.
    pub time_ns: u64,
    /// What the client's monotonic clock showed.
    pub clock_ns: u64,
    /// The attempt it belongs to, counted in the run from 1; 0 before the first.
    pub attempt: u64,
    /// The event.
    pub event: Event,
    /// The regime after it, for policies that know. After a policy gave up, that of what comes next.
    pub regime: Option<Regime>,
    /// The figures that are present; each absent one is 0.
    figures: u8,
    rung: u32,
    wait_ns: u64,
    base_ns: u64,
    jitter_ns: u64,
    draw: u64,
    retry_after_ns: u64,
}

/// The receiver of a run's records, one by one in their order: a list, or any reader that keeps less.
pub trait Sink {
    /// Takes the next record.
    fn put(&mut self, record: Record);
}

impl Sink for Vec<Record> {
    #[inline]
    fn put(&mut self, record: Record) {
        self.push(record);
    }
}

const WAIT: u8 = 1;
const BASE: u8 = 1 << 1;
const JITTER: u8 = 1 << 2;
const DRAW: u8 = 1 << 3;
const RETRY_AFTER: u8 = 1 << 4;
const RUNG: u8 = 1 << 5;

/// The events of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The configuration was replaced.
    Warning(ConfigWarning),
    /// A stream is connected that has no message yet.
    Connected,
    /// A stream is connected, and its first message came with it. An input that no trace shows, since the message does.
    Opened,
    /// A stream's first message was handled: a success.
    Message,
    /// The same, and the message was a change and not all data.
    Patch,
    /// The bytes of a live stream stopped; its client notices when the read timeout fires.
    Silent,
    /// A poll succeeded.
    Ok,
    /// A poll found that nothing changed since the last one: a success.
    NotModified,
    /// The policy allows no attempt at all.
    Refused,
    /// An attempt or a live stream failed, and the policy retries.
    Failure {
        /// The cause.
        cause: Cause,
        /// Its classification.
        kind: FailureKind,
    },
    /// An attempt or a live stream failed, and the policy gave up.
    GaveUp {
        /// The cause.
        cause: Cause,
        /// Its classification.
        kind: FailureKind,
        /// Why there is no further attempt.
        why: GiveUp,
    },
    /// The client's clock jumped forward by this many nanoseconds.
    Step(u64),
    /// The client's clock stopped for this many nanoseconds.
    Suspend(u64),
    /// The date moved by this many nanoseconds.
    WallStep(i64),
    /// The user stopped the client.
    Stop,
    /// Listeners received a status; in full traces only.
    Status {
        /// How the client is doing.
        state: State,
        /// What went wrong, if something did just now.
        error: Option<SourceError>,
    },
    /// A line was logged; in full traces only.
    Log {
        /// Its level.
        level: Level,
        /// Its content.
        message: LogMessage,
    },
    /// The run is over.
    End(EndReason),
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Nothing more can happen.
    Finished,
    /// The file's `until` was reached.
    Until,
    /// The policy gave up.
    GaveUp,
    /// The user stopped the client.
    Stopped,
    /// The limit of events was reached: the run did not end by itself.
    EventLimit,
    /// The limit of true time was reached: the run did not end by itself.
    TimeLimit,
}

impl Record {
    /// The size of a record.
    pub const BYTES: usize = 128;

    /// A record without figures, the first of its run, of a policy that does not explain itself.
    #[inline]
    #[must_use]
    pub const fn new(event: Event, time_ns: u64, clock_ns: u64, attempt: u64) -> Self {
        Self::placed(event, time_ns, clock_ns, attempt, 0, (None, None))
    }

    /// A record of this place in its stream, of a client that stands there.
    #[inline]
    pub(crate) const fn placed(
        event: Event,
        time_ns: u64,
        clock_ns: u64,
        attempt: u64,
        number: u64,
        place: (Option<Regime>, Option<u32>),
    ) -> Self {
        let (figures, rung) = match place.1 {
            Some(rung) => (RUNG, rung),
            None => (0, 0),
        };
        Self {
            number,
            time_ns,
            clock_ns,
            attempt,
            event,
            regime: place.0,
            figures,
            rung,
            wait_ns: 0,
            base_ns: 0,
            jitter_ns: 0,
            draw: 0,
            retry_after_ns: 0,
        }
    }

    /// Takes the figures of an input and of the response to it.
    #[inline]
    pub(crate) fn respond(&mut self, input: &Input, response: &Response) {
        self.wait_ns = self.set(WAIT, response.wait().map(nanos));
        if let Given::Failure { failure, draw } = input.given {
            self.draw = self.set(DRAW, Some(draw));
            self.retry_after_ns = self.set(RETRY_AFTER, failure.retry_after.map(nanos));
            if let (Some(rung), None) = (response.rung, response.gave_up()) {
                self.base_ns = self.set(BASE, Some(nanos(rung.base)));
                self.jitter_ns = self.set(JITTER, Some(nanos(rung.jitter)));
            }
        }
    }

    /// The state's failure count after it, for policies that know. After a policy gave up, that of what comes next.
    #[inline]
    #[must_use]
    pub const fn rung(&self) -> Option<u32> {
        if self.figures & RUNG == 0 { None } else { Some(self.rung) }
    }

    /// The same with this failure count.
    #[inline]
    #[must_use]
    pub const fn with_rung(mut self, rung: Option<u32>) -> Self {
        (self.figures, self.rung) = match rung {
            Some(rung) => (self.figures | RUNG, rung),
            None => (self.figures & !RUNG, 0),
        };
        self
    }

    /// After an outcome: the next delay. `None` after a failure means that the policy gave up.
    #[inline]
    #[must_use]
    pub const fn wait_ns(&self) -> Option<u64> {
        self.figure(WAIT, self.wait_ns)
    }

    /// After a failure: the rung's wait before jitter and cadence, for policies that know.
    #[inline]
    #[must_use]
    pub const fn base_ns(&self) -> Option<u64> {
        self.figure(BASE, self.base_ns)
    }

    /// After a failure: the part that the draw subtracted, even where the cadence hides it, for policies that know.
    #[inline]
    #[must_use]
    pub const fn jitter_ns(&self) -> Option<u64> {
        self.figure(JITTER, self.jitter_ns)
    }

    /// The draw that came with a failure. An input; no trace shows it.
    #[inline]
    #[must_use]
    pub const fn draw(&self) -> Option<u64> {
        self.figure(DRAW, self.draw)
    }

    /// The wait that the server requested with a failure. An input; no trace shows it.
    #[inline]
    #[must_use]
    pub const fn retry_after_ns(&self) -> Option<u64> {
        self.figure(RETRY_AFTER, self.retry_after_ns)
    }

    #[inline]
    const fn figure(&self, which: u8, value: u64) -> Option<u64> {
        if self.figures & which == 0 { None } else { Some(value) }
    }

    /// The same with this wait.
    #[inline]
    #[must_use]
    pub fn with_wait_ns(mut self, wait_ns: Option<u64>) -> Self {
        self.wait_ns = self.set(WAIT, wait_ns);
        self
    }

    /// The same with this base.
    #[inline]
    #[must_use]
    pub fn with_base_ns(mut self, base_ns: Option<u64>) -> Self {
        self.base_ns = self.set(BASE, base_ns);
        self
    }

    /// The same with this jitter.
    #[inline]
    #[must_use]
    pub fn with_jitter_ns(mut self, jitter_ns: Option<u64>) -> Self {
        self.jitter_ns = self.set(JITTER, jitter_ns);
        self
    }

    /// The same with this draw.
    #[inline]
    #[must_use]
    pub fn with_draw(mut self, draw: Option<u64>) -> Self {
        self.draw = self.set(DRAW, draw);
        self
    }

    /// The same with this wait of the server's.
    #[inline]
    #[must_use]
    pub fn with_retry_after_ns(mut self, retry_after_ns: Option<u64>) -> Self {
        self.retry_after_ns = self.set(RETRY_AFTER, retry_after_ns);
        self
    }

    #[inline]
    fn set(&mut self, which: u8, value: Option<u64>) -> u64 {
        if value.is_some() {
            self.figures |= which;
        } else {
            self.figures &= !which;
        }
        value.unwrap_or(0)
    }

    /// The input of the policy here; `None` if there was none.
    #[must_use]
    pub fn input(&self) -> Option<Input> {
        let given = match self.event {
            Event::Connected | Event::Opened => Given::Connected,
            Event::Message | Event::Patch | Event::Ok | Event::NotModified => Given::Success,
            Event::Failure { cause, kind } | Event::GaveUp { cause, kind, .. } => {
                let retry_after = self.retry_after_ns().map(Duration::from_nanos);
                let failure = Failure { kind, retry_after, fault: cause.fault() };
                Given::Failure { failure, draw: self.draw }
            }
            _ => return None,
        };
        Some(Input { at: Instant::from_nanos(self.clock_ns), given })
    }

    /// Whether a plain trace shows it: neither a status nor a line of the log, nor an input that its response shows.
    #[inline]
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.is_traced() && !self.event.is_aside()
    }

    /// Whether a full trace shows it.
    #[inline]
    #[must_use]
    pub const fn is_traced(&self) -> bool {
        !matches!(self.event, Event::Opened)
    }

    /// The classification of a failure.
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> Option<FailureKind> {
        match self.event {
            Event::Failure { kind, .. } | Event::GaveUp { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// The cause of a failure.
    #[inline]
    #[must_use]
    pub const fn cause(&self) -> Option<Cause> {
        match self.event {
            Event::Failure { cause, .. } | Event::GaveUp { cause, .. } => Some(cause),
            _ => None,
        }
    }

    /// The regime and the rung as a trace shows them. A policy that gave up may have started over, and where that left it
    /// says nothing about the failure.
    pub(crate) const fn shown_place(&self) -> (Option<Regime>, Option<u32>) {
        match self.event {
            Event::GaveUp { .. } => (None, None),
            _ => (self.regime, self.rung()),
        }
    }

    /// Whether the client recorded a success.
    #[inline]
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.event, Event::Message | Event::Patch | Event::Ok | Event::NotModified)
    }

    /// Whether the client recorded a failure.
    #[inline]
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        self.kind().is_some()
    }
}

impl Event {
    /// The event's name without its figures, for machines.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Warning(_) => "warning",
            Self::Connected => "connected",
            Self::Opened => "opened",
            Self::Message => "message",
            Self::Patch => "patch",
            Self::Silent => "silent",
            Self::Ok => "ok",
            Self::NotModified => "not-modified",
            Self::Refused => "refused",
            Self::Failure { .. } => "failure",
            Self::GaveUp { .. } => "gave-up",
            Self::Step(_) => "step",
            Self::Suspend(_) => "suspend",
            Self::WallStep(_) => "wall-step",
            Self::Stop => "stop",
            Self::Status { .. } => "status",
            Self::Log { .. } => "log",
            Self::End(_) => "end",
        }
    }
}

impl Event {
    /// The event without the wait that a log line states, which differs from one failure to the next.
    #[must_use]
    pub const fn outline(self) -> Self {
        match self {
            Self::Log { level, message } => Self::Log { level, message: message.outline() },
            other => other,
        }
    }

    /// Whether it belongs to a full trace only.
    #[inline]
    #[must_use]
    pub const fn is_aside(&self) -> bool {
        matches!(self, Self::Status { .. } | Self::Log { .. })
    }
}

/// As the trace's text shows it: a failure by its cause.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |ns| duration::Text(Duration::from_nanos(ns));
        match self {
            Self::Failure { cause, .. } => write!(f, "{cause}"),
            Self::GaveUp { cause, why, .. } => write!(f, "{cause}, gave up ({why})"),
            Self::Warning(warning) => write!(f, "warning: {} {}", warning.option, warning.given),
            Self::Step(by) => write!(f, "clock steps +{}", span(*by)),
            Self::Suspend(length) => write!(f, "suspend {}", span(*length)),
            Self::WallStep(by) => {
                let sign = if *by < 0 { '-' } else { '+' };
                write!(f, "date steps {sign}{}", span(by.unsigned_abs()))
            }
            Self::Status { state, error: Some(error) } => write!(f, "status {state} ({error})"),
            Self::Status { state, error: None } => write!(f, "status {state}"),
            Self::Log { level, message } => write!(f, "{level}: {message}"),
            Self::End(reason) => write!(f, "end: {reason}"),
            Self::Refused => f.write_str("refused before the first attempt"),
            Self::Connected
            | Self::Opened
            | Self::Message
            | Self::Patch
            | Self::Silent
            | Self::Ok
            | Self::NotModified
            | Self::Stop => f.write_str(self.name()),
        }
    }
}

impl EndReason {
    /// Whether the run was cut off instead of ending.
    #[must_use]
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::EventLimit | Self::TimeLimit)
    }

    /// The reason's name, for machines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Until => "until",
            Self::GaveUp => "gave-up",
            Self::Stopped => "stopped",
            Self::EventLimit => "event-limit",
            Self::TimeLimit => "time-limit",
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Finished => "nothing more happens",
            Self::Until => "until",
            Self::GaveUp => "the policy gave up",
            Self::Stopped => "stopped",
            Self::EventLimit => "too many events",
            Self::TimeLimit => "too much time",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_128_bytes() {
        assert_eq!((size_of::<Record>(), Record::BYTES), (128, 128));
    }
}
