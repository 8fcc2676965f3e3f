//! The content of a timeline file, as plain values.

mod expect;
mod outcome;
mod server_wait;

use core::time::Duration;
use std::time::SystemTime;

pub use self::expect::{CallOutcome, Expect, ExpectAt, Repeated};
pub use self::outcome::{CUT_END, ConnectFault, Draw, End, Entry, FirstMessage, Outcome};
pub use self::server_wait::{HeaderText, ServerWait};

use crate::policy::PolicySpec;
use crate::stack::Stack;

/// An unchecked file: plain data that a parser, a generator or a shrinker fills in.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The purpose of the file, in one sentence.
    pub why: String,
    /// The sources: links, issue numbers, sections of a specification.
    pub cite: Vec<String>,
    /// The command that found it, for a counterexample of a search.
    pub found_by: Option<String>,
    /// The seed of the jitter; the caller may override it.
    pub seed: Option<u64>,
    /// The client.
    pub client: Client,
    /// The attempts in order: all `[[timeline]]` tables, one after the other.
    pub script: Vec<Play>,
    /// The outcomes after the script.
    pub then: Then,
    /// Spans of true time with one outcome for every attempt.
    pub windows: Vec<Window>,
    /// Events of the client's clock.
    pub clock: Vec<ClockEvent>,
    /// The date at the start, as RFC 3339 text, for dates in headers.
    pub wall: Option<String>,
    /// True time at which the run ends, that instant included.
    pub until: Option<Duration>,
    /// True time at which the client's user stops it.
    pub stop: Option<Duration>,
    /// The limits of the run.
    pub limits: Limits,
    /// Other layers that retry around the client or inside it. They are not played.
    pub stack: Option<Stack>,
    /// Names of faulty formulas that the file must catch: with one of them, it must fail.
    pub catches: Vec<String>,
    /// The expectations.
    pub expect: Option<Expect>,
}

impl Draft {
    /// A draft with a purpose and a client, and nothing else.
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
    /// The date at the start; `None` if it is absent or invalid.
    #[must_use]
    pub fn date(&self) -> Option<SystemTime> {
        self.wall.as_deref()?.parse::<jiff::Timestamp>().ok()?.try_into().ok()
    }
}

/// The client.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// The policy.
    pub kind: PolicySpec,
    /// Whether its jitter is replaced.
    pub jitter: JitterChoice,
}

impl Client {
    /// A client with its own jitter.
    #[must_use]
    pub const fn new(kind: PolicySpec) -> Self {
        Self { kind, jitter: JitterChoice::Own }
    }

    /// The client in the form of a [`Timeline`](crate::Timeline): a policy that describes its own jitter has "none" in
    /// the description.
    #[must_use]
    pub fn as_played(mut self) -> Self {
        crate::canonical::canonical_client(&mut self);
        self
    }
}

/// The source of the jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JitterChoice {
    /// The policy's own, from addressed draws.
    Own,
    /// Every draw is 0.
    None,
    /// The policy's own, from addressed draws of 8 bits. With bases of whole or half seconds every wait is a multiple
    /// of 1/512 s, which is exact in floating point.
    Coarse,
}

impl JitterChoice {
    /// The choices with a name in files; the policy's own jitter is the absent key.
    pub const NAMED: [(Self, &'static str); 2] = [(Self::None, "none"), (Self::Coarse, "coarse")];
}

/// The maximum depth of nested repeats.
pub const MAX_NESTING: usize = 16;

/// A part of the script.
#[derive(Clone, Debug, PartialEq)]
pub enum Play {
    /// One attempt.
    Attempt(Entry),
    /// A part, repeated; repeats nest.
    Repeat {
        /// The number of rounds, at least one.
        times: u64,
        /// The repeated part; never empty.
        play: Vec<Play>,
    },
}

/// The outcomes after the script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    /// No further attempt starts; the wait after the last failure is recorded, not waited.
    #[default]
    Stop,
    /// The last entry is the outcome of every further attempt.
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

/// A span of true time with one outcome for every attempt that starts in it. It replaces the script and uses no entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// First instant of the window.
    pub from: Duration,
    /// First instant after it.
    pub until: Duration,
    /// The outcome of its attempts.
    pub entry: Entry,
    /// The end of open streams at `from`, if the window cuts them.
    pub cut: Option<End>,
}

/// An event of a clock at a point of true time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockEvent {
    /// True time from the start.
    pub at: Duration,
    /// The event.
    pub change: ClockChange,
}

/// An event of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// The client's monotonic clock jumps forward; timers that it passes fire at once.
    Step(Duration),
    /// Only true time passes: the client's clock stands still for this long.
    Suspend(Duration),
    /// The date moves, forward or back, in nanoseconds; timers are not affected.
    WallStep(i64),
}

/// The limits of a run, which end it with status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of events.
    pub events: u64,
    /// The maximum true time.
    pub time: Duration,
}

impl Default for Limits {
    /// 10 million events, 10 years of 365 days.
    fn default() -> Self {
        Self { events: 10_000_000, time: Duration::from_secs(10 * 365 * 86_400) }
    }
}
