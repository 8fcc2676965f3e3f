//! What a timeline file says, as plain values.

mod expect;
mod outcome;
mod server_wait;

use core::time::Duration;
use std::time::SystemTime;

pub use self::expect::{CallOutcome, Expect, ExpectAt, Repeated};
pub use self::outcome::{CUT_END, ConnectFault, End, Entry, FirstMessage, Outcome};
pub use self::server_wait::{HeaderText, ServerWait};

use crate::policy::{CallSpec, Dialect, ResetSpec};
use crate::stack::Stack;

/// A whole file before it is checked: plain data that a parser, a generator or a shrinker fills in.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Why the file exists, in one sentence.
    pub why: String,
    /// Where the facts come from: links, issue numbers, sections of a specification.
    pub cite: Vec<String>,
    /// The command that found it, for a file that a search has written.
    pub found_by: Option<String>,
    /// The seed of the jitter, unless the caller says otherwise.
    pub seed: Option<u64>,
    /// The client that is played.
    pub client: Client,
    /// The attempts in order: all `[[timeline]]` tables, one after the other.
    pub script: Vec<Play>,
    /// What happens when the script has run out.
    pub then: Then,
    /// Spans of true time in which every attempt meets the same.
    pub windows: Vec<Window>,
    /// What happens to the client's clock.
    pub clock: Vec<ClockEvent>,
    /// The date at the start, as RFC 3339 text, for what needs a date.
    pub wall: Option<String>,
    /// True time at which the run ends, that instant included.
    pub until: Option<Duration>,
    /// True time at which the client's user stops it.
    pub stop: Option<Duration>,
    /// What ends a run that goes on for too long.
    pub limits: Limits,
    /// Other layers that retry around the client or inside of it. They are not played.
    pub stack: Option<Stack>,
    /// Names of faulty formulas that the file has to catch: played with one of them, it does not hold.
    pub catches: Vec<String>,
    /// What has to hold.
    pub expect: Option<Expect>,
}

impl Draft {
    /// A draft that says nothing but why it exists and who is played.
    #[must_use]
    pub fn new(why: impl Into<String>, client: Client) -> Self {
        Self {
            why: why.into(),
            cite: Vec::new(),
            found_by: None,
            seed: None,
            client,
            script: Vec::new(),
            then: Then::Stop,
            windows: Vec::new(),
            clock: Vec::new(),
            wall: None,
            until: None,
            stop: None,
            limits: Limits::default(),
            stack: None,
            catches: Vec::new(),
            expect: None,
        }
    }
}

impl Draft {
    /// The date at the start; `None` if there is none, or none that RFC 3339 knows.
    #[must_use]
    pub fn date(&self) -> Option<SystemTime> {
        self.wall.as_deref()?.parse::<jiff::Timestamp>().ok()?.try_into().ok()
    }
}

/// Who is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// Which policy.
    pub kind: ClientKind,
    /// Whether the policy's own jitter is replaced.
    pub jitter: JitterChoice,
}

impl Client {
    /// A client with its own jitter.
    #[must_use]
    pub const fn new(kind: ClientKind) -> Self {
        Self { kind, jitter: JitterChoice::Own }
    }

    /// The same client as a [`Timeline`](crate::Timeline) has it: what describes its own jitter has "none" as a part of its
    /// description.
    #[must_use]
    pub fn as_played(mut self) -> Self {
        crate::canonical::canonical_client(&mut self);
        self
    }
}

/// Which policy a client uses.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientKind {
    /// A stream that reconnects.
    Streaming {
        /// Absent: 1 s, without a warning.
        initial_reconnect_delay: Option<Seconds>,
    },
    /// A poller.
    Polling {
        /// Absent: 30 s, without a warning.
        poll_interval: Option<Seconds>,
    },
    /// Bounded calls, one after the other.
    Call(CallSpec),
    /// A stream that reconnects by a policy of its own.
    Reconnect {
        /// What holds for each outage.
        outage: CallSpec,
        /// What ends an outage.
        reset: ResetSpec,
    },
    /// A stream or a poller of another implementation.
    Dialect {
        /// Which.
        dialect: Dialect,
        /// The initial reconnect delay of a stream, the interval of a poller; absent: as for the built-in one.
        seconds: Option<Seconds>,
    },
    /// A policy that only its owner can build.
    External {
        /// The owner's name for it.
        name: String,
        /// What it is played as.
        played_as: Shape,
    },
}

/// What kind of operation a client repeats, which decides the outcomes it can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Connections that stay open: `up`, `idle`.
    Streaming,
    /// Requests at an interval: `ok`, `malformed`.
    Polling,
    /// Requests one after the other, each with its own attempts: `ok`, `malformed`.
    Call,
}

impl Shape {
    /// Every shape with its name in files.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Streaming, "streaming"), (Self::Polling, "polling"), (Self::Call, "call")];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl ClientKind {
    /// Which outcomes the client can meet.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        match self {
            Self::Streaming { .. } | Self::Reconnect { .. } => Shape::Streaming,
            Self::Polling { .. } => Shape::Polling,
            Self::Call(_) => Shape::Call,
            Self::Dialect { dialect, .. } => dialect.shape(),
            Self::External { played_as, .. } => *played_as,
        }
    }
}

/// Where jitter comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JitterChoice {
    /// The policy's own, from addressed draws.
    Own,
    /// Every draw is 0.
    None,
    /// The policy's own, from addressed draws of 8 bits. With bases of whole or half seconds every wait is a multiple of
    /// 1/512 s, so that a subject that counts in floating point can be exact.
    Coarse,
}

impl JitterChoice {
    /// The choices that a file names; the policy's own jitter is named by saying nothing.
    pub const NAMED: [(Self, &'static str); 2] = [(Self::None, "none"), (Self::Coarse, "coarse")];
}

/// A configured number of seconds, as a person wrote it. Numbers are equal when they are the same value to a
/// constructor: every NaN is equal to every other, and `0.0` is not `-0.0`.
#[derive(Clone, Copy, Debug)]
pub enum Seconds {
    /// Text such as `"1m 30s"`.
    Text(Duration),
    /// A TOML number, `nan` and `inf` included.
    Number(f64),
}

impl Seconds {
    /// What the constructors take.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        match self {
            Self::Text(span) => span.as_secs_f64(),
            Self::Number(seconds) => seconds,
        }
    }
}

impl PartialEq for Seconds {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            _ => false,
        }
    }
}

/// How many repeats may stand inside each other.
pub const MAX_NESTING: usize = 16;

/// A part of the script.
#[derive(Clone, Debug, PartialEq)]
pub enum Play {
    /// One attempt.
    Attempt(Entry),
    /// The same part several times; repeats nest.
    Repeat {
        /// How often, at least once.
        times: u64,
        /// What is repeated; never empty.
        play: Vec<Play>,
    },
}

/// What happens when the script has run out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    /// No further attempt starts; the wait after the last failure is recorded, not waited.
    #[default]
    Stop,
    /// The last entry answers every further attempt.
    RepeatLast,
    /// Every further attempt succeeds, and a stream stays up.
    Succeed,
}

impl Then {
    /// Every choice with its name in files.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Stop, "stop"), (Self::RepeatLast, "repeat-last"), (Self::Succeed, "succeed")];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A span of true time in which every attempt that starts meets the same. It wins over the script and consumes no entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// First instant of the window.
    pub from: Duration,
    /// First instant after it.
    pub until: Duration,
    /// What attempts that start in it meet.
    pub entry: Entry,
    /// How live streams end at `from`, if the window cuts them.
    pub cut: Option<End>,
}

/// Something that happens to a clock at a point of true time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockEvent {
    /// True time from the start.
    pub at: Duration,
    /// What happens.
    pub change: ClockChange,
}

/// What happens to a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// The client's monotonic clock jumps forward; timers that it passes fire at once.
    Step(Duration),
    /// Only true time passes: the client's clock stands still for this long.
    Suspend(Duration),
    /// The date moves, forward or back, in nanoseconds; no timer notices.
    WallStep(i64),
}

/// What ends a run that goes on for too long, with status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most events.
    pub events: u64,
    /// The most true time.
    pub time: Duration,
}

impl Default for Limits {
    /// 10 million events, 10 years of 365 days.
    fn default() -> Self {
        Self { events: 10_000_000, time: Duration::from_secs(10 * 365 * 86_400) }
    }
}
