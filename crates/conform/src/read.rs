//! The parser of vectors.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use retrylab_core::{ConfigOption, FailureKind, Instant};
use retrylab_spec::wire::shape_of;
use retrylab_spec::{PolicySpec, ResetSpec, TwoRegimes};
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use crate::seconds::{RANGE, draw, fits, nanos};
use crate::wire::{
    Constructor, Object, RawCustom, RawKind, RawOp, RawOption, RawPolling, RawReset, RawStep, RawStreaming, RawVector,
};
use crate::{Expectation, GivenFailure, Op, Step, Vector, Warning};

/// The maximum number of repeats of a step, which bounds the time.
const MOST_REPEATS: u32 = 10_000_000;

/// The maximum length of a line, which protects memory.
const LONGEST_LINE: usize = 64 << 20;

/// The tag of vectors whose expected delays exceed any duration: they mean the longest one.
const BEYOND_DURATION: &str = "beyond-duration";

/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The vectors of a file, in order. Blank lines are skipped; an invalid line is an error, and the next one is tried;
/// after an error of the reader, or a line of more than 64 MiB, there are no more.
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
    /// Parses a vector; `line` is only recorded.
    ///
    /// # Errors
    ///
    /// If the text is not a JSON object, a field is missing, unknown or invalid, time goes back, or no step has an
    /// expectation.
    pub fn parse(line: usize, text: &str) -> Result<Self, VectorError> {
        parse(line, text).map_err(|problem| VectorError { line, problem })
    }
}

/// An invalid line.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct VectorError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The error.
    #[source]
    pub problem: Problem,
}

/// The error of a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read further.
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The line is too long.
    #[error("longer than {} MiB, the limit of a vector", LONGEST_LINE >> 20)]
    TooLong,
    /// It is not JSON, or of the wrong shape.
    #[error("column {column}: {message}")]
    Json {
        /// The column, from 1.
        column: usize,
        /// The field, if one was being read, and the error of the JSON parser.
        message: String,
    },
    /// Parameters of another constructor.
    #[error("params: {message}")]
    Params {
        /// The field, if one was being read, and the error of the JSON parser.
        message: String,
    },
    /// The vector has no expectation, so every policy would pass it.
    #[error("steps: {}; at least one needs an expectation (failure, success or read)", nothing(*.steps))]
    NothingExpected {
        /// The number of steps, all of them advances.
        steps: usize,
    },
    /// A number outside its range.
    #[error("{field} is {}; it must be {allowed}", short(*.given))]
    Range {
        /// The field.
        field: String,
        /// The value given.
        given: f64,
        /// The allowed values.
        allowed: &'static str,
    },
    /// A step earlier than the one before.
    #[error("step {step}: at_s is {given}, but the step before is at {before}; time never goes back")]
    TimeGoesBack {
        /// The number of the step, from 1.
        step: usize,
        /// Seconds, as given.
        given: f64,
        /// Seconds of the step before.
        before: f64,
    },
    /// A step that lacks a field.
    #[error("step {step}: {op} needs {field}")]
    Missing {
        /// The number of the step, from 1.
        step: usize,
        /// Its operation.
        op: &'static str,
        /// The missing field, or the missing ones.
        field: &'static str,
    },
    /// A step has a field that its operation does not use.
    #[error("step {step}: {op} takes no {field}")]
    Superfluous {
        /// The number of the step, from 1.
        step: usize,
        /// Its operation.
        op: &'static str,
        /// The field.
        field: &'static str,
    },
}

/// A number without hundreds of zeros.
fn short(given: f64) -> String {
    if given.abs() < 1e16 { given.to_string() } else { format!("{given:e}") }
}

/// The problem of steps without expectations.
const fn nothing(steps: usize) -> &'static str {
    if steps == 0 { "there is none" } else { "every one only advances" }
}

fn parse(line: usize, text: &str) -> Result<Vector, Problem> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let json = |error: &serde_json::Error, message| Problem::Json { column: error.column().max(1), message };
    let read: Result<Object<RawVector>, _> = serde_path_to_error::deserialize(&mut reader);
    let Object(raw) = read.map_err(|error| json(error.inner(), said(&error)))?;
    reader.end().map_err(|error| json(&error, without_place(&error)))?;
    let spec = match raw.constructor {
        Constructor::Streaming => {
            let raw: RawStreaming = params(raw.params)?;
            PolicySpec::streaming_from_secs_f64(raw.initial_reconnect_delay.0)
        }
        Constructor::Polling => {
            let raw: RawPolling = params(raw.params)?;
            PolicySpec::polling_from_secs_f64(raw.poll_interval.0)
        }
        Constructor::Custom => custom(params(raw.params)?)?.into(),
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
    Ok(Vector { line, name: raw.name, tags: raw.tags, spec, expect_warning, tolerance_ns: raw.tolerance_ns, steps })
}

fn custom(raw: RawCustom) -> Result<TwoRegimes, Problem> {
    let cadence = span("operating_cadence", raw.operating_cadence)?;
    Ok(TwoRegimes {
        shape: shape_of(cadence),
        normal: (
            span("normal_initial_delay", raw.normal_initial_delay)?,
            span("normal_ceiling_delay", raw.normal_ceiling_delay)?,
        ),
        extended: (
            span("extended_initial_delay", raw.extended_initial_delay)?,
            span("extended_ceiling_delay", raw.extended_ceiling_delay)?,
        ),
        reset: match raw.reset_policy.0 {
            RawReset::AfterHealthyFor { seconds } => ResetSpec::HealthyFor(span("reset_policy.seconds", seconds)?),
            RawReset::AfterConsecutiveSuccesses { count } => ResetSpec::Successes(count),
        },
        cadence,
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
            (None, Some(status)) => FailureKind::for_source_status(status),
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

/// The field that was being read, and its error. For a text that is not JSON the column suffices.
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
            // The name of an unknown field is already in the text.
            Segment::Map { key } if what.contains(&format!("field `{key}`")) => {}
            Segment::Map { key } => fields.push_str(&format!("{key}: ")),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    fields + &what
}

/// The expected type, in terms of JSON instead of Rust.
fn in_words(text: &str) -> String {
    let Some((start, expected)) = text.rsplit_once(", expected ") else { return text.to_owned() };
    let expected = match expected {
        "a sequence" => "a list",
        "f64" => "a number",
        "i64" => "an integer from -9223372036854775808 to 9223372036854775807",
        "u64" => "an integer from 0 to 18446744073709551615",
        "u32" => "an integer from 0 to 4294967295",
        "a boolean" => "true or false",
        "a string" | "string or map" => "text",
        other => other,
    };
    format!("{start}, expected {expected}")
}

/// The error without its place: the line is known, and the column is given beside it.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
