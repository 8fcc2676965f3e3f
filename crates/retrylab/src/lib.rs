//! Retry policies to ship, and to fly through outages in virtual time before they meet one. This is the only crate that a
//! program depends on; what it needs beside the policies is a feature.
//!
//! | to | feature | start with |
//! |---|---|---|
//! | ship a retry, on the calling thread | | [`BlockingRetryable`], [`Exponential`] |
//! | ship one on tokio | `tokio` | `Retryable` |
//! | reconnect for ever, with two regimes | | [`RetryRules`], [`Retry`] |
//! | test a policy of any kind | `testkit` | `check`, `play`, `simulate` |
//! | follow a server's data | `http`, `tokio-http` | the module `source` |
//! | retry in a tower client: tonic, hyper | `tower` | the module `tower` |
//! | retry in a client of reqwest-middleware | `retry-policies` | the module `retry_policies` |
//! | run a policy in another language | `exec` | the module `exec` |
//!
//! ```
//! use retrylab::{BlockingRetryable, Exponential, millis, secs};
//!
//! # fn connect() -> std::io::Result<&'static str> { Ok("connected") }
//! let answer = connect.retry(Exponential::new(millis(200), secs(10)).attempts(5)).call()?;
//! assert_eq!(answer, "connected");
//! # Ok::<(), retrylab::RetryError<std::io::Error>>(())
//! ```
//!
//! An error that no classifier knows is worth another attempt, whichever way an operation is retried; see [`Classify`]. Which
//! statuses and faults are, and for whom, is in one table at [`FailureKind`].
#![cfg_attr(
    feature = "testkit",
    doc = r#"
What a policy does in an outage is known before the outage:

```
use retrylab::{Exponential, secs, simulate};

let policy = Exponential::new(secs(2), secs(30)).attempts(6);
let run = simulate(policy).outage(503, secs(60)).then_ok().run();
assert_eq!(run.attempts(), 6);
```
"#
)]
#![forbid(unsafe_code)]

mod spans;

/// Retries on the calling thread.
pub mod blocking {
    pub use retrylab_driver::blocking::{Cancel, Driver, Sleeper, ThreadSleeper, retry};
}

/// Retries on tokio's time.
#[cfg(feature = "tokio")]
pub mod tokio {
    pub use retrylab_driver::tokio::{
        AsyncSleeper, AttemptTimedOut, CancellationToken, Driver, Retryable, TokioClock, TokioSleeper, retry,
    };
}

/// A layer for clients that are tower services.
#[cfg(feature = "tower")]
pub use retrylab_driver::tower;

/// A policy for clients that take one of the crate retry-policies.
#[cfg(feature = "retry-policies")]
pub use retrylab_driver::retry_policies;

/// Data sources: a copy of what a server has, kept by a stream or by polls.
#[cfg(feature = "http")]
pub mod source {
    pub use retrylab_driver::source::*;
    pub use retrylab_source::*;
}

/// Policies in another process, in any language.
#[cfg(feature = "exec")]
pub mod exec {
    pub use retrylab_exec::*;
    pub use retrylab_spec::PolicySpec;
}

#[cfg(feature = "tokio")]
pub use retrylab_driver::tokio::Retryable;

pub use retrylab_core::{
    AllTerminal, AllTransient, Backoff, Beyond, Both, Bounds, Budget, BudgetError, BuiltInReset, Call, CallRules,
    CallRulesBuilder, CallRulesError, Classification, Classified, Classify, ConfigOption, ConfigWarning, Constant,
    Decision, Exponential, Failure, FailureKind, Fault, Fibonacci, GiveUp, HealthyFor, Idempotency, Instant,
    IntoPolicy, Jitter, Ladder, LadderError, Least, Limited, Linear, Policy, RatioBudget, Regime, ResetBy, ResetRule,
    Retry, RetryRules, Rung, Sent, ServerDelay, Successes, TokenBucket, Unlimited,
};
pub use retrylab_driver::{
    BlockingRetryable, Clock, Entropy, IoErrors, LONGEST_WAIT, Monotonic, OnRetry, RetryError, Retrying, SystemEntropy,
    WithRetry,
};
#[cfg(feature = "testkit")]
pub use retrylab_testkit::{
    self as testkit, Check, CheckFailed, Factory, Run, Simulation, SimulationError, all, check, laws, play, played,
    scenario, simulate,
};
#[cfg(all(feature = "testkit", feature = "tokio"))]
pub use retrylab_testkit::{Operation, OperationError, check_async};

pub use crate::spans::{millis, secs};

/// The programs of the README, against this crate alone.
#[cfg(all(doctest, feature = "testkit", feature = "tokio-http"))]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
