//! An operation that does what a script says, and waits that are recorded.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use retrylab_core::{Backoff, Call, CallRules, CallRulesBuilder, Classified, Fault, Instant, Jitter, Ladder};
use retrylab_driver::RetryError;
use retrylab_driver::blocking;

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
        CallError::Reset(_) => Classified::for_call_fault(Fault::Reset),
        CallError::NotFound(_) => Classified::for_call_status(404),
    }
}

/// The rules without jitter and without a ceiling: `0.5 s · 2^(n - 1)`.
pub(crate) fn exact(attempts: u32) -> CallRulesBuilder {
    let ladder = Ladder::doubling(ms(500), Duration::MAX);
    CallRules::builder().attempts(attempts).backoff(Backoff::new(ladder, Jitter::None))
}

/// The result of a script, with the number of calls and the waits.
#[derive(Debug, PartialEq)]
pub(crate) struct Played {
    pub(crate) answer: Result<String, RetryError<CallError>>,
    pub(crate) calls: u32,
    pub(crate) waits: Vec<Duration>,
}

/// A script that is played. Its clock is that of its waits.
struct Stage<'a> {
    script: &'a [Entry],
    calls: Cell<u32>,
    waits: RefCell<Vec<Duration>>,
    now: Cell<Instant>,
}

impl<'a> Stage<'a> {
    const fn new(script: &'a [Entry]) -> Self {
        Self { script, calls: Cell::new(0), waits: RefCell::new(Vec::new()), now: Cell::new(Instant::ZERO) }
    }

    /// The next entry; the last one repeats.
    fn call(&self) -> Result<String, CallError> {
        let call = self.calls.get() + 1;
        self.calls.set(call);
        match self.script[self.script.len().min(call as usize) - 1] {
            Entry::Transient => Err(CallError::Reset(call)),
            Entry::Terminal => Err(CallError::NotFound(call)),
            Entry::Succeeds => Ok(format!("payload for {URL}")),
        }
    }

    fn wait(&self, delay: Duration) {
        self.waits.borrow_mut().push(delay);
        self.now.set(self.now.get() + delay);
    }

    fn played(self, answer: Result<String, RetryError<CallError>>) -> Played {
        Played { answer, calls: self.calls.get(), waits: self.waits.take() }
    }
}

/// Plays a script to each driver, which do the same.
pub(crate) fn play(rules: CallRulesBuilder, script: &[Entry]) -> Played {
    let call = || rules.build().map(Call::new).map_err(RetryError::from);
    let stage = Stage::new(script);
    let driver = blocking::Driver::new().clock(|| stage.now.get()).sleeper(|delay| stage.wait(delay));
    let driver = driver.entropy(|| 0).classify(classify).target(URL);
    let answer = call().and_then(|call| driver.retry(call, || stage.call()));
    let played = stage.played(answer);
    #[cfg(feature = "tokio")]
    assert_eq!(play_in_a_task(&call, script), played);
    played
}

#[cfg(feature = "tokio")]
fn play_in_a_task(call: &dyn Fn() -> Result<Call, RetryError<CallError>>, script: &[Entry]) -> Played {
    let stage = Stage::new(script);
    let driver = retrylab_driver::tokio::Driver::new().clock(|| stage.now.get()).sleeper(|delay| {
        stage.wait(delay);
        std::future::ready(())
    });
    let driver = driver.entropy(|| 0).classify(classify).target(URL);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let answer = call().and_then(|call| runtime.block_on(driver.retry(call, async || stage.call())));
    stage.played(answer)
}
