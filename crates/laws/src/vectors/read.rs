//! From lines of JSON to checked vectors.

use std::io::{self, BufRead};
use std::time::Duration;

use retrylab_core::{BuiltInReset, ConfigOption, FailureKind, HealthyFor, Instant, Successes};
use serde::de::DeserializeOwned;

use super::seconds::{draw, nanos};
use super::wire::{
    Constructor, RawCustom, RawKind, RawOp, RawOption, RawPolling, RawReset, RawStep, RawStreaming, RawVector,
};
use super::{Expectation, Op, Setup, Step, Vector, Warning};

/// The most a step may be repeated; a longer one would only keep a machine busy.
const MOST_REPEATS: u32 = 10_000_000;

/// The vectors of a file, in order. Blank lines are skipped; a line that cannot be understood is an error and the next
/// one is tried; after an error of the reader there is nothing more.
#[derive(Debug)]
pub struct Vectors<R> {
    /// `None` after an error of the reader.
    lines: Option<io::Lines<R>>,
    line: usize,
}

impl<R: BufRead> Vectors<R> {
    /// Reads vectors from JSON lines.
    pub fn read(reader: R) -> Self {
        Self { lines: Some(reader.lines()), line: 0 }
    }
}

impl<R: BufRead> Iterator for Vectors<R> {
    type Item = Result<Vector, VectorError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let text = self.lines.as_mut()?.next()?;
            self.line += 1;
            match text {
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => return Some(Vector::parse(self.line, &text)),
                Err(error) => {
                    self.lines = None;
                    return Some(Err(VectorError { line: self.line, problem: Problem::Read(error) }));
                }
            }
        }
    }
}

impl Vector {
    /// The vector that `text` describes; `line` is only remembered.
    ///
    /// # Errors
    ///
    /// If the text is no JSON object, a field is missing, unknown or has no allowed value, or time goes back.
    pub fn parse(line: usize, text: &str) -> Result<Self, VectorError> {
        parse(line, text).map_err(|problem| VectorError { line, problem })
    }
}

/// A line that is no vector.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct VectorError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    #[source]
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read on.
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// No JSON, or not of the right shape.
    #[error("column {column}: {message}")]
    Json {
        /// Where in the line, from 1.
        column: usize,
        /// What the reader of JSON says.
        message: String,
    },
    /// Parameters that do not fit the constructor.
    #[error("params: {message}")]
    Params {
        /// What the reader of JSON says.
        message: String,
    },
    /// A number outside its range.
    #[error("{field} is {given}; it has to be {allowed}")]
    Range {
        /// Which field.
        field: String,
        /// The value given.
        given: f64,
        /// Which values are allowed.
        allowed: &'static str,
    },
    /// A step earlier than the one before.
    #[error("step {step}: at_s is {given}, but the step before is at {before}; time never goes back")]
    TimeGoesBack {
        /// Which step, from 1.
        step: usize,
        /// Seconds, as given.
        given: f64,
        /// Seconds of the step before.
        before: f64,
    },
    /// A step that lacks a field.
    #[error("step {step}: {op} needs {field}")]
    Missing {
        /// Which step, from 1.
        step: usize,
        /// Its operation.
        op: &'static str,
        /// Which field, or which of several.
        field: &'static str,
    },
    /// A step with a field that its operation has no use for.
    #[error("step {step}: {op} takes no {field}")]
    Superfluous {
        /// Which step, from 1.
        step: usize,
        /// Its operation.
        op: &'static str,
        /// Which field.
        field: &'static str,
    },
}

fn parse(line: usize, text: &str) -> Result<Vector, Problem> {
    let raw: RawVector = serde_json::from_str(text)
        .map_err(|error| Problem::Json { column: error.column(), message: without_place(&error) })?;
    let setup = match raw.constructor {
        Constructor::Streaming => {
            let raw: RawStreaming = params(raw.params)?;
            Setup::Streaming { initial_reconnect_delay: raw.initial_reconnect_delay.0 }
        }
        Constructor::Polling => {
            let raw: RawPolling = params(raw.params)?;
            Setup::Polling { poll_interval: raw.poll_interval.0 }
        }
        Constructor::Custom => custom(params(raw.params)?)?,
    };
    let expect_warning = match raw.expect_warning {
        None => None,
        Some(raw) => Some(Warning {
            option: match raw.option {
                RawOption::InitialReconnectDelay => ConfigOption::InitialReconnectDelay,
                RawOption::PollInterval => ConfigOption::PollInterval,
            },
            default: span("expect_warning.default_s", raw.default_s)?,
        }),
    };
    let mut steps = Vec::with_capacity(raw.steps.len());
    let mut before = 0.0;
    for (raw, number) in raw.steps.iter().zip(1..) {
        steps.push(step(number, raw, before)?);
        before = raw.at_s;
    }
    Ok(Vector { line, name: raw.name, tags: raw.tags, setup, expect_warning, tolerance_ns: raw.tolerance_ns, steps })
}

fn custom(raw: RawCustom) -> Result<Setup, Problem> {
    Ok(Setup::Custom {
        normal: (
            span("normal_initial_delay", raw.normal_initial_delay)?,
            span("normal_ceiling_delay", raw.normal_ceiling_delay)?,
        ),
        extended: (
            span("extended_initial_delay", raw.extended_initial_delay)?,
            span("extended_ceiling_delay", raw.extended_ceiling_delay)?,
        ),
        reset: match raw.reset_policy {
            RawReset::AfterHealthyFor { seconds } => {
                BuiltInReset::HealthyFor(HealthyFor::new(span("reset_policy.seconds", seconds)?))
            }
            RawReset::AfterConsecutiveSuccesses { count } => BuiltInReset::Successes(Successes::new(count)),
        },
        cadence: span("operating_cadence", raw.operating_cadence)?,
    })
}

fn step(number: usize, raw: &RawStep, before: f64) -> Result<Step, Problem> {
    let name = raw.op.name();
    let missing = |field| Problem::Missing { step: number, op: name, field };
    let superfluous = |field| Err(Problem::Superfluous { step: number, op: name, field });
    let field = |field| format!("step {number}: {field}");

    let at = span(&field("at_s"), raw.at_s)?;
    if raw.at_s < before {
        return Err(Problem::TimeGoesBack { step: number, given: raw.at_s, before });
    }
    let op = if raw.op == RawOp::Failure {
        let kind = match (raw.kind, raw.status) {
            (Some(RawKind::Normal), None) => FailureKind::Normal,
            (Some(RawKind::Unexpected), None) => FailureKind::Unexpected,
            (None, Some(status)) => FailureKind::from_status(status),
            (None, None) => return Err(missing("kind or status")),
            (Some(_), Some(_)) => return superfluous("status beside its kind"),
        };
        let unit = raw.jitter_unit.ok_or_else(|| missing("jitter_unit"))?;
        let draw = draw(unit).ok_or_else(|| Problem::Range {
            field: field("jitter_unit"),
            given: unit,
            allowed: "0 or more and less than 1",
        })?;
        Op::Failure { kind, draw }
    } else {
        for (given, field) in
            [(raw.kind.is_some(), "kind"), (raw.status.is_some(), "status"), (raw.jitter_unit.is_some(), "jitter_unit")]
        {
            if given {
                return superfluous(field);
            }
        }
        match raw.op {
            RawOp::Success => Op::Success,
            RawOp::Read => Op::Read,
            RawOp::Failure | RawOp::Advance => Op::Advance,
        }
    };
    let expect = if op == Op::Advance {
        for (given, field) in [
            (raw.expect_delay_s.is_some(), "expect_delay_s"),
            (raw.expect_extended.is_some(), "expect_extended"),
            (raw.expect_attempts.is_some(), "expect_attempts"),
        ] {
            if given {
                return superfluous(field);
            }
        }
        None
    } else {
        let delay = raw.expect_delay_s.ok_or_else(|| missing("expect_delay_s"))?;
        span(&field("expect_delay_s"), delay)?;
        Some(Expectation {
            delay_ns: nanos(delay),
            extended: raw.expect_extended.ok_or_else(|| missing("expect_extended"))?,
            attempts: raw.expect_attempts,
        })
    };
    let repeat = raw.repeat.unwrap_or(1);
    if !(1..=MOST_REPEATS).contains(&repeat) {
        return Err(Problem::Range {
            field: field("repeat"),
            given: f64::from(repeat),
            allowed: "from 1 to 10 million",
        });
    }
    Ok(Step { op, at: Instant::ZERO + at, repeat, expect })
}

/// A span of time in seconds that is not negative. Spans beyond 584 years count as that.
fn span(field: &str, seconds: f64) -> Result<Duration, Problem> {
    if seconds >= 0.0 {
        Ok(Duration::from_nanos(nanos(seconds)))
    } else {
        Err(Problem::Range { field: field.to_owned(), given: seconds, allowed: "0 or more seconds" })
    }
}

fn params<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, Problem> {
    serde_json::from_value(value).map_err(|error| Problem::Params { message: error.to_string() })
}

/// What went wrong, without the place: the line is known, and the column is named beside it.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
