//! Conformance vectors: recorded call sequences with the exact answers, one JSON object a line.
//!
//! ```
//! use retrylab_laws::vectors::{Tally, Verdict, Vectors, check};
//!
//! let file = r#"{"name": "first failure", "constructor": "streaming", "params": {"initial_reconnect_delay": 1},
//!     "steps": [{"op": "failure", "kind": "normal", "at_s": 0, "jitter_unit": 0.5,
//!                "expect_delay_s": 0.75, "expect_extended": false}]}"#
//!     .replace('\n', " ");
//! let mut tally = Tally::default();
//! for vector in Vectors::read(file.as_bytes()) {
//!     let vector = vector?;
//!     let verdict = check(&vector);
//!     assert_eq!(verdict, Verdict::Passed);
//!     tally.add(&vector, &verdict);
//! }
//! assert_eq!(tally.to_string(), "1 vector, 1 step, 0 failed, 0 skipped");
//! # Ok::<(), retrylab_laws::vectors::VectorError>(())
//! ```
//!
//! # The format
//!
//! | field | meaning |
//! |---|---|
//! | `name` | unique, for people |
//! | `constructor` | `streaming`, `polling` or `custom` |
//! | `params` | of `streaming`: `initial_reconnect_delay`; of `polling`: `poll_interval`; of `custom`: `normal_initial_delay`, `normal_ceiling_delay`, `extended_initial_delay`, `extended_ceiling_delay`, `operating_cadence`, and `reset_policy` with `type` `after_healthy_for` and `seconds` or `after_consecutive_successes` and `count`. Seconds; of the first two also `"nan"`, `"inf"`, `"-inf"` |
//! | `expect_warning` | `option` and `default_s` of the warning that construction has to give; absent or null: none |
//! | `tolerance_ns` | how far a delay may be off; absent: 1; null: delays are not compared |
//! | `tags` | `exponent-cap` marks an artefact of capped exponents, and is skipped; the others only describe |
//! | `group`, `family`, `note` | for people |
//! | `steps` | in order, below |
//!
//! A step has `op`, and `at_s`: seconds on a monotonic clock that may stand still but never goes back.
//!
//! | `op` | meaning | also |
//! |---|---|---|
//! | `failure` | records a failure | `kind` (`normal`, `unexpected`) or `status` to be classified; `jitter_unit`, the draw in [0, 1) |
//! | `success` | records a success | |
//! | `read` | only looks | |
//! | `advance` | lets time pass; expects nothing | |
//!
//! [`record()`] makes vectors from a seed, with the answers of the built-in rules, and [`write()`] gives each its line.
//!
//! After every step but `advance`, `expect_delay_s` and `expect_extended` must hold, and for the built-in rules also
//! `expect_attempts`, where given. `repeat` applies a step that many times, then compares.

mod check;
mod read;
mod record;
mod seconds;
mod tally;
mod wire;
mod write;

use std::time::Duration;

use retrylab_core::{BuiltInReset, ConfigOption, ConfigWarning, Instant, RetryRules};

pub use check::{
    Answers, Difference, GivenFailure, Mismatch, SKIPPED_TAG, Subject, Verdict, check, check_answers, check_subject,
};
pub use read::{Problem, VectorError, Vectors};
pub use record::record;
pub use tally::Tally;
pub use write::write;

/// One checked vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// The line it stood on, from 1.
    pub line: usize,
    /// What people call it.
    pub name: String,
    /// What is special about it.
    pub tags: Vec<String>,
    /// How the subject is built.
    pub setup: Setup,
    /// The warning that construction has to give.
    pub expect_warning: Option<Warning>,
    /// How many nanoseconds a delay may be off. `None`: delays are not compared.
    pub tolerance_ns: Option<u64>,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// How the subject of a vector is built. Seconds are as configured, usable or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setup {
    /// As [`RetryRules::streaming`](retrylab_core::RetryRules::streaming) does.
    Streaming {
        /// Seconds.
        initial_reconnect_delay: f64,
    },
    /// As [`RetryRules::polling`](retrylab_core::RetryRules::polling) does.
    Polling {
        /// Seconds.
        poll_interval: f64,
    },
    /// Bounds taken as given, but that a ceiling below its initial is raised to it.
    Custom {
        /// First wait and ceiling of the normal regime.
        normal: (Duration, Duration),
        /// First wait and ceiling of the extended regime.
        extended: (Duration, Duration),
        /// When health clears the state.
        reset: BuiltInReset,
        /// The wait between healthy operations.
        cadence: Duration,
    },
}

impl Setup {
    /// The built-in rules that it stands for, and the warning that their construction gave.
    #[must_use]
    pub fn rules(&self) -> (RetryRules, Option<ConfigWarning>) {
        match *self {
            Self::Streaming { initial_reconnect_delay } => {
                let (rules, warning) = RetryRules::streaming(initial_reconnect_delay);
                (rules.into(), warning)
            }
            Self::Polling { poll_interval } => {
                let (rules, warning) = RetryRules::polling(poll_interval);
                (rules.into(), warning)
            }
            Self::Custom { normal, extended, reset, cadence } => {
                let rules = RetryRules::builder(reset)
                    .normal(normal.0, normal.1)
                    .extended(extended.0, extended.1)
                    .cadence(cadence)
                    .build();
                (rules, None)
            }
        }
    }
}

/// A configured value that was replaced by its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Which option.
    pub option: ConfigOption,
    /// What was used instead.
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
    /// What happens.
    pub op: Op,
    /// When.
    pub at: Instant,
    /// How many times, at least 1.
    pub repeat: u32,
    /// What must hold afterwards; `None` if nothing is looked at.
    pub expect: Option<Expectation>,
}

/// What happens in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A failure, classified, with its one draw.
    Failure(GivenFailure),
    /// A success.
    Success,
    /// A look at the delay, which changes nothing.
    Read,
    /// Time passes.
    Advance,
}

/// What must hold after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The next delay in nanoseconds, saturating.
    pub delay_ns: u64,
    /// Whether the subject is in the extended regime.
    pub extended: bool,
    /// Failures counted on the present ladder. Informative: only the built-in rules are held to it.
    pub attempts: Option<u32>,
}
