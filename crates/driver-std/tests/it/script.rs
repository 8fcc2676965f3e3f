//! An operation that does what a script says, and waits that are recorded.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use retrylab_core::{
    Backoff, Call, CallRules, CallRulesBuilder, CallRulesError, Classified, Fault, Instant, Jitter, Ladder,
};
use retrylab_driver_std::{Driver, RetryError};

pub(crate) const URL: &str = "https://example.org/flags";

pub(crate) const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// How one call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Transient,
    Terminal,
    Succeeds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    Reset(u32),
    NotFound(u32),
}

impl std::fmt::Display for CallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reset(call) => write!(f, "connection reset on call {call}"),
            Self::NotFound(call) => write!(f, "404 on call {call}"),
        }
    }
}

impl std::error::Error for CallError {}

pub(crate) fn classify(error: &CallError) -> Classified {
    match error {
        CallError::Reset(_) => Classified::from_fault(Fault::Reset),
        CallError::NotFound(_) => Classified::from_status(404),
    }
}

/// The rules without jitter and without a ceiling: `0.5 s · 2^(n - 1)`.
pub(crate) fn exact(attempts: u32) -> CallRulesBuilder {
    let ladder = Ladder::doubling(ms(500), Duration::MAX);
    CallRules::builder().attempts(attempts).backoff(Backoff::new(ladder, Jitter::None))
}

/// What came of a script, with how many calls and which waits.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) answer: Result<String, RetryError<CallError>>,
    pub(crate) calls: u32,
    pub(crate) waits: Vec<Duration>,
}

/// Plays a script, whose last entry repeats. The clock is that of the waits.
pub(crate) fn play(rules: Result<CallRules, CallRulesError>, script: &[Entry]) -> Played {
    let (calls, waits, now) = (Cell::new(0), RefCell::new(Vec::new()), Cell::new(Instant::ZERO));
    let operation = || {
        calls.set(calls.get() + 1);
        let call = calls.get();
        match script[script.len().min(call as usize) - 1] {
            Entry::Transient => Err(CallError::Reset(call)),
            Entry::Terminal => Err(CallError::NotFound(call)),
            Entry::Succeeds => Ok(format!("payload for {URL}")),
        }
    };
    let driver = Driver::new()
        .clock(|| now.get())
        .sleeper(|delay| {
            waits.borrow_mut().push(delay);
            now.set(now.get() + delay);
        })
        .entropy(|| 0)
        .classify(classify)
        .target(URL);
    let answer = rules.map_err(RetryError::from).and_then(|rules| driver.retry(Call::new(rules), operation));
    Played { answer, calls: calls.get(), waits: waits.take() }
}
