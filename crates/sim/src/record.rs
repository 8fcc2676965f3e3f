//! One line of a trace, as a plain value.

use core::fmt;

use core::time::Duration;
use retrylab_core::{ConfigWarning, FailureKind, GiveUp, Regime};
use retrylab_scenario::duration;
use retrylab_source::{Cause, Level, LogMessage, SourceError, State};

/// Something that happened in a run. All times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// True time from the start.
    pub time_ns: u64,
    /// What the client's monotonic clock showed.
    pub clock_ns: u64,
    /// What happened.
    pub event: Event,
    /// The attempt it belongs to, counted in the run from 1; 0 before the first.
    pub attempt: u64,
    /// The regime after it, for policies that know. After a policy gave up, that of what comes next.
    pub regime: Option<Regime>,
    /// The state's failure count after it, for policies that know. After a policy gave up, that of what comes next.
    pub rung: Option<u32>,
    /// After a failure: the rung's wait before jitter and cadence, for policies that know.
    pub base_ns: Option<u64>,
    /// After a failure: what the draw subtracted, even where the cadence hides it, for policies that know.
    pub jitter_ns: Option<u64>,
    /// After an outcome: the next delay. `None` after a failure means that the policy gave up.
    pub wait_ns: Option<u64>,
    /// After a failure: the draw that came with it. Laws need it; no trace shows it.
    pub draw: Option<u64>,
    /// After a failure: the wait that the server asked for, if it did. Laws need it; no trace shows it.
    pub asked_ns: Option<u64>,
}

/// What can happen in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The configuration was replaced.
    Warning(ConfigWarning),
    /// A stream is connected that has no message yet.
    Connected,
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
        /// What it failed of.
        cause: Cause,
        /// How it was classified.
        kind: FailureKind,
    },
    /// An attempt or a live stream failed, and the policy gave up.
    GaveUp {
        /// What it failed of.
        cause: Cause,
        /// How it was classified.
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
    /// Listeners were told of a status; in full traces only.
    Status {
        /// How the client is doing.
        state: State,
        /// What went wrong, if something did just now.
        error: Option<SourceError>,
    },
    /// A line was logged; in full traces only.
    Log {
        /// How much it matters.
        level: Level,
        /// What it says.
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
    /// How a failure was classified.
    #[must_use]
    pub const fn kind(&self) -> Option<FailureKind> {
        match self.event {
            Event::Failure { kind, .. } | Event::GaveUp { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// What a failure failed of.
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
            _ => (self.regime, self.rung),
        }
    }

    /// Whether the client recorded a success.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.event, Event::Message | Event::Patch | Event::Ok | Event::NotModified)
    }

    /// Whether the client recorded a failure.
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
