//! From lines of JSON to checked vectors.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use retrylab_core::{BuiltInReset, ConfigOption, FailureKind, HealthyFor, Instant, Successes};
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use super::seconds::{RANGE, draw, fits, nanos};
use super::wire::{
    Constructor, Object, RawCustom, RawKind, RawOp, RawOption, RawPolling, RawReset, RawStep, RawStreaming, RawVector,
};
use super::{Expectation, GivenFailure, Op, Setup, Step, Vector, Warning};

/// The most a step may be repeated; a longer one would only keep a machine busy.
const MOST_REPEATS: u32 = 10_000_000;

/// The longest line that is read: one that does not end must not take all memory.
const LONGEST_LINE: usize = 64 << 20;

/// The tag of vectors whose expected delays are longer than any duration: the longest one is meant.
const BEYOND_DURATION: &str = "beyond-duration";

/// What UTF-8 text may begin with, to say that it is UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The vectors of a file, in order. Blank lines are skipped; a line that cannot be understood is an error and the next
/// one is tried; after an error of the reader, or a line of more than 64 MiB, there is nothing more.
#[derive(Debug)]
pub struct Vectors<R> {
    /// `None` after an error of the reader.
    reader: Option<R>,
    line: usize,
}

impl<R: BufRead> Vectors<R> {
    /// Reads vectors from JSON lines.
    pub fn read(reader: R) -> Self {
        Self { reader: Some(reader), line: 0 }
    }
}

impl<R: BufRead> Iterator for Vectors<R> {
    type Item = Result<Vector, VectorError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let text = next_line(self.reader.as_mut()?).transpose()?;
            self.line += 1;
            match text {
                Ok(text) => {
                    let marked = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.line == 1);
                    let text = marked.unwrap_or(&text);
                    if !text.trim().is_empty() {
                        return Some(Vector::parse(self.line, text));
                    }
                }
                Err(problem) => {
                    self.reader = None;
                    return Some(Err(VectorError { line: self.line, problem }));
                }
            }
        }
    }
}

/// A line without its end; none at the end of the input.
fn next_line(reader: &mut impl BufRead) -> Result<Option<String>, Problem> {
    let mut bytes = Vec::new();
    reader.take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes).map_err(Problem::Read)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    if bytes.len() > LONGEST_LINE {
        return Err(Problem::TooLong);
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| Problem::Read(io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8")))
}

impl Vector {
    /// The vector that `text` describes; `line` is only remembered.
    ///
    /// # Errors
    ///
    /// If the text is no JSON object, a field is missing, unknown or has no allowed value, time goes back, or no step
    /// expects anything.
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
    /// The line goes on and on.
    #[error("longer than {} MiB, which no vector is", LONGEST_LINE >> 20)]
    TooLong,
    /// No JSON, or not of the right shape.
    #[error("column {column}: {message}")]
    Json {
        /// Where in the line, from 1.
        column: usize,
        /// The field, if one was being read, and what the reader of JSON says.
        message: String,
    },
    /// Parameters that do not fit the constructor.
    #[error("params: {message}")]
    Params {
        /// The field, if one was being read, and what the reader of JSON says.
        message: String,
    },
    /// A vector that every policy would pass.
    #[error("steps: {}; at least one has to expect something (failure, success or read)", nothing(*.steps))]
    NothingExpected {
        /// How many steps there are, all of them advances.
        steps: usize,
    },
    /// A number outside its range.
    #[error("{field} is {}; it has to be {allowed}", short(*.given))]
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

/// A number without hundreds of zeros.
fn short(given: f64) -> String {
    if given.abs() < 1e16 { given.to_string() } else { format!("{given:e}") }
}

/// What is wrong with steps that expect nothing.
const fn nothing(steps: usize) -> &'static str {
    if steps == 0 { "there is none" } else { "every one only advances" }
}

fn parse(line: usize, text: &str) -> Result<Vector, Problem> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let json = |error: &serde_json::Error, message| Problem::Json { column: error.column().max(1), message };
    let read: Result<Object<RawVector>, _> = serde_path_to_error::deserialize(&mut reader);
    let Object(raw) = read.map_err(|error| json(error.inner(), said(&error)))?;
    reader.end().map_err(|error| json(&error, without_place(&error)))?;
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
        Some(Object(raw)) => Some(Warning {
            option: match raw.option {
                RawOption::InitialReconnectDelay => ConfigOption::InitialReconnectDelay,
                RawOption::PollInterval => ConfigOption::PollInterval,
            },
            default: span("expect_warning.default_s", raw.default_s)?,
        }),
    };
    // A delay that is not compared may be anything.
    let any_delay = raw.tolerance_ns.is_none() || raw.tags.iter().any(|tag| tag == BEYOND_DURATION);
    let mut steps = Vec::with_capacity(raw.steps.len());
    let mut before = 0.0;
    for (Object(raw), number) in raw.steps.iter().zip(1..) {
        steps.push(step(number, raw, before, any_delay)?);
        before = raw.at_s;
    }
    if steps.iter().all(|step| step.expect.is_none()) {
        return Err(Problem::NothingExpected { steps: steps.len() });
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
        reset: match raw.reset_policy.0 {
            RawReset::AfterHealthyFor { seconds } => {
                BuiltInReset::HealthyFor(HealthyFor::new(span("reset_policy.seconds", seconds)?))
            }
            RawReset::AfterConsecutiveSuccesses { count } => BuiltInReset::Successes(Successes::new(count)),
        },
        cadence: span("operating_cadence", raw.operating_cadence)?,
    })
}

fn step(number: usize, raw: &RawStep, before: f64, any_delay: bool) -> Result<Step, Problem> {
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
        Op::Failure(GivenFailure { kind, status: raw.status, draw })
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
        if !(any_delay && delay >= 0.0) {
            span(&field("expect_delay_s"), delay)?;
        }
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

/// A span of time in seconds that is not negative and not beyond 584 years.
fn span(field: &str, seconds: f64) -> Result<Duration, Problem> {
    if fits(seconds) {
        Ok(Duration::from_nanos(nanos(seconds)))
    } else {
        Err(Problem::Range { field: field.to_owned(), given: seconds, allowed: RANGE })
    }
}

fn params<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, Problem> {
    let read: Result<Object<T>, _> = serde_path_to_error::deserialize(value);
    read.map(|Object(params)| params).map_err(|error| Problem::Params { message: said(&error) })
}

/// The field that was being read, and what went wrong with it. Of what is no JSON the column says it all.
fn said(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let what = in_words(&without_place(error.inner()));
    if !error.inner().is_data() {
        return what;
    }
    let mut fields = String::new();
    for segment in error.path() {
        match segment {
            // Counted as in every other message.
            Segment::Seq { index } if fields == "steps: " => fields = format!("step {}: ", index + 1),
            Segment::Seq { index } => fields.push_str(&format!("{} in the list: ", index + 1)),
            // That a field is unknown names it already.
            Segment::Map { key } if what.contains(&format!("field `{key}`")) => {}
            Segment::Map { key } => fields.push_str(&format!("{key}: ")),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    fields + &what
}

/// What is expected, in the words of JSON instead of those of Rust.
fn in_words(text: &str) -> String {
    let Some((start, expected)) = text.rsplit_once(", expected ") else { return text.to_owned() };
    let expected = match expected {
        "a sequence" => "a list",
        "f64" => "a number",
        "i64" => "a whole number from -9223372036854775808 to 9223372036854775807",
        "u64" => "a whole number from 0 to 18446744073709551615",
        "u32" => "a whole number from 0 to 4294967295",
        "a boolean" => "true or false",
        "a string" | "string or map" => "text",
        other => other,
    };
    format!("{start}, expected {expected}")
}

/// What went wrong, without the place: the line is known, and the column is named beside it.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
