//! Expectations.

use core::time::Duration;

use retrylab_core::{ConfigOption, Regime};

/// The expectations of a file, at least one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// The next delay after each recorded failure that is retried, complete and exact.
    pub delays: Option<Vec<Repeated>>,
    /// The next delay after each recorded outcome, complete and exact.
    pub waits: Option<Vec<Repeated>>,
    /// Attempts started in the run.
    pub attempts: Option<u64>,
    /// The regime at the end.
    pub regime: Option<Regime>,
    /// The failure count at the end.
    pub rung: Option<u32>,
    /// At points of true time, ascending.
    pub at: Vec<ExpectAt>,
    /// The result of the last call.
    pub outcome: Option<CallOutcome>,
    /// Names of laws that the trace must obey.
    pub laws: Vec<String>,
    /// Configuration warnings, in order; no others are allowed.
    pub warnings: Vec<ConfigOption>,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It succeeded.
    Ok,
    /// Its failures were transient, and a limit ended it.
    Exhausted,
    /// A failure was terminal.
    Terminal,
    /// It was refused before its first attempt.
    Refused,
}

impl CallOutcome {
    /// Every outcome with its name in files.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Ok, "ok"), (Self::Exhausted, "exhausted"), (Self::Terminal, "terminal"), (Self::Refused, "refused")];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The same value several times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The value.
    pub value: Duration,
    /// The number in a row, at least one.
    pub times: u64,
}

/// An expectation after all events up to and including an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectAt {
    /// True time from the start.
    pub at: Duration,
    /// The regime at that instant.
    pub regime: Option<Regime>,
    /// The failure count at that instant.
    pub rung: Option<u32>,
}
