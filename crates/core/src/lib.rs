//! The decision at the heart of every retry loop: given an outcome, the time and one random draw, how long to wait.
//!
//! This crate never reads a clock, never draws randomness, never sleeps, logs or allocates. Outcome, time and draw are
//! arguments, so the object that a service ships is the object that a simulator plays. It is `no_std` without `alloc`.
//!
//! Reading map:
//!
//! * [`RetryRules`] and [`RetryState`]: the two-regime state machine. [`Retry`] bundles both for one client.
//! * [`ResetRule`]: when health clears the state ([`HealthyFor`], [`Successes`], or your own).
//! * [`FailureKind`]: how a failure is classified; [`Regime`]: which ladder the state is on.
//! * [`Policy`]: the interface of every policy, in production, simulator, property test and fleet.
//! * [`Ladder`] and [`Jitter`], combined by [`Backoff`]: building blocks for other policies.
//! * [`CallRules`] and [`CallState`], bundled by [`Call`]: the bounded call, whose limits compose with any [`Budget`].
//! * [`Exponential`], [`Constant`], [`Linear`] and [`Fibonacci`]: bounded calls by the shape of their waits, in one line.
//! * [`IntoPolicy`]: rules and builders where a policy is needed. [`Limited`]: a budget and a deadline for any policy.
//! * [`Classify`]: maps an error to a failure. Classifiers are closures and values that compose.
//! * [`Idempotency`] and [`Sent`]: whether an operation may safely be sent again.
//! * [`Instant`]: a point on the caller's monotonic clock.
//!
//! ```
//! use core::time::Duration;
//! use retrylab_core::{FailureKind, Instant, RetryRules};
//!
//! let rules = RetryRules::streaming(Duration::from_secs(1));
//! let mut state = rules.start();
//! // A draw of zero subtracts nothing: the longest wait.
//! rules.record_failure(&mut state, FailureKind::Normal, Instant::ZERO, 0);
//! assert_eq!(state.next_delay(), Duration::from_secs(1));
//! rules.record_failure(&mut state, FailureKind::Unexpected, Instant::from_secs(1), 0);
//! assert_eq!(state.next_delay(), Duration::from_secs(300));
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "quickcheck")]
mod arbitrary;
mod backoff;
mod budget;
mod call;
mod calls;
mod classifier;
mod classify;
mod configure;
mod idempotency;
mod into_policy;
mod jitter;
mod ladder;
mod limited;
mod policy;
mod reset;
mod reset_by;
mod retry;
mod rules;
mod server_delay;
mod state;
mod time;

pub use backoff::{Backoff, BackoffState};
#[cfg(target_has_atomic = "64")]
pub use budget::RatioBudget;
#[cfg(target_has_atomic = "32")]
pub use budget::TokenBucket;
pub use budget::{Both, Budget, BudgetError, Unlimited};
pub use call::{Call, CallRules, CallRulesBuilder, CallRulesError, CallState};
pub use calls::{CallOptions, Constant, Exponential, Fibonacci, Linear};
pub use classifier::{AllTerminal, AllTransient, Classification, Classified, Classify, Or, WithIdempotency};
pub use classify::{FailureKind, Fault};
pub use configure::{ConfigOption, ConfigWarning};
pub use idempotency::{Idempotency, Sent};
pub use into_policy::IntoPolicy;
pub use jitter::Jitter;
pub use ladder::{Ladder, LadderError, MAX_LIST_RUNGS, Step};
pub use limited::Limited;
pub use policy::{Decision, Failure, GiveUp, Policy, Rung};
pub use reset::{BuiltInReset, BuiltInResetState, HealthyFor, HealthySince, ResetRule, SuccessCount, Successes};
pub use reset_by::ResetBy;
pub use retry::Retry;
pub use rules::{Bounds, RetryRules, RulesBuilder};
pub use server_delay::{Beyond, Least, ServerDelay};
pub use state::{Regime, RetryState};
pub use time::{Instant, nanos};
