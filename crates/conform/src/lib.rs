//! Conformance vectors: recorded call sequences with the exact responses, one JSON object per line; and [every short
//! one](exhaustive), against the reference model.
//!
//! ```
//! use retrylab_conform::{Tally, VectorVerdict, Vectors, check};
//!
//! let file = r#"{"name": "first failure", "constructor": "streaming", "params": {"initial_reconnect_delay": 1},
//!     "steps": [{"op": "failure", "kind": "normal", "at_s": 0, "jitter_unit": 0.5,
//!                "expect_delay_s": 0.75, "expect_extended": false}]}"#
//!     .replace('\n', " ");
//! let mut tally = Tally::default();
//! for vector in Vectors::read(file.as_bytes()) {
//!     let vector = vector?;
//!     let verdict = check(&vector);
//!     assert_eq!(verdict, VectorVerdict::Passed);
//!     tally.add(&vector, &verdict);
//! }
//! assert_eq!(tally.to_string(), "1 vector, 1 step, 0 failed, 0 skipped");
//! # Ok::<(), retrylab_conform::VectorError>(())
//! ```
//!
//! # The format
//!
//! | field | meaning |
//! |---|---|
//! | `name` | unique, for people |
//! | `constructor` | `streaming`, `polling` or `custom` |
//! | `params` | of `streaming`: `initial_reconnect_delay`; of `polling`: `poll_interval`; of `custom`: `normal_initial_delay`, `normal_ceiling_delay`, `extended_initial_delay`, `extended_ceiling_delay`, `operating_cadence`, and `reset_policy` with `type` `after_healthy_for` and `seconds` or `after_consecutive_successes` and `count`. Seconds; of the first two also `"nan"`, `"inf"`, `"-inf"` |
//! | `expect_warning` | `option` and `default_s` of the warning at construction; absent or null: none |
//! | `tolerance_ns` | the tolerance of a delay; absent: 1; null: delays are not compared |
//! | `tags` | `exponent-cap` marks an artefact of capped exponents, and is skipped; other tags only describe |
//! | `group`, `family`, `note` | for people |
//! | `steps` | in order, below |
//!
//! A step has `op`, and `at_s`: seconds on a monotonic clock that may stand still but never goes back.
//!
//! | `op` | meaning | also |
//! |---|---|---|
//! | `failure` | records a failure | `kind` (`normal`, `unexpected`) or `status` to be classified; `jitter_unit`, the draw in [0, 1) |
//! | `success` | records a success | |
//! | `read` | reads the delay | |
//! | `advance` | lets time pass; expects nothing | |
//!
//! [`record()`] makes vectors from a seed, with the responses of the built-in rules, and [`write()`] gives each its
//! line.
//!
//! After every step but `advance`, `expect_delay_s` and `expect_extended` must hold, and for the built-in rules also
//! `expect_attempts`, where given. `repeat` applies a step that many times, then compares.

#![forbid(unsafe_code)]

mod check;
pub mod exhaustive;
mod json;
mod read;
mod record;
mod seconds;
mod tally;
mod wire;
mod write;

use std::time::Duration;

use retrylab_core::{ConfigOption, ConfigWarning, Instant};
use retrylab_spec::PolicySpec;
use serde::Serialize;

pub use check::{
    Answers, Difference, GivenFailure, Mismatch, SKIPPED_TAG, VectorSubject, VectorVerdict, check, check_answers,
    check_subject,
};
pub use read::{Problem, VectorError, Vectors};
pub use record::record;
pub use tally::Tally;
pub use write::write;

/// One checked vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// Its line, from 1.
    pub line: usize,
    /// Its name for people.
    pub name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The policy that the subject builds: a preset or two regimes.
    pub spec: PolicySpec,
    /// The warning at construction.
    pub expect_warning: Option<Warning>,
    /// The tolerance of a delay, in nanoseconds. `None`: delays are not compared.
    pub tolerance_ns: Option<u64>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A configured value that was replaced by its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The option.
    #[serde(serialize_with = "json::option")]
    pub option: ConfigOption,
    /// The default.
    #[serde(rename = "default_ns", serialize_with = "json::ns")]
    pub default: Duration,
}

impl From<ConfigWarning> for Warning {
    fn from(warning: ConfigWarning) -> Self {
        Self { option: warning.option, default: warning.default }
    }
}

/// One step of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation.
    pub op: Op,
    /// The time.
    pub at: Instant,
    /// The number of repeats, at least 1.
    pub repeat: u32,
    /// The expectations after it; `None` if there are none.
    pub expect: Option<Expectation>,
}

/// The operation of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A failure, with its kind and its one draw.
    Failure(GivenFailure),
    /// A success.
    Success,
    /// A read of the delay, which changes nothing.
    Read,
    /// Time passes.
    Advance,
}

/// The expectations after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The next delay in nanoseconds, saturating.
    pub delay_ns: u64,
    /// Whether the subject is in the extended regime.
    pub extended: bool,
    /// Failures counted on the present ladder. Informative: checked for the built-in rules alone.
    pub attempts: Option<u32>,
}
