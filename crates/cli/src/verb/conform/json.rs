//! The machine form: one line for each vector that did not pass, the totals last.

use std::io::{self, Write};

use retrylab_core::nanos;
use retrylab_laws::vectors::{Difference, Mismatch, SKIPPED_TAG, Tally, Vector, Warning};
use serde::Serialize;

pub(super) fn failed(mismatch: &Mismatch, text: String, out: &mut dyn Write) -> io::Result<()> {
    let Mismatch { line, vector, step, difference } = mismatch;
    print(
        &Failed { verdict: "failed", vector, line: *line, step: *step, difference: Compared::from(*difference), text },
        out,
    )
}

pub(super) fn skipped(vector: &Vector, out: &mut dyn Write) -> io::Result<()> {
    print(&Skipped { verdict: "skipped", vector: &vector.name, line: vector.line, tag: SKIPPED_TAG }, out)
}

/// `stopped`: there are vectors that were not played, since the subject broke.
pub(super) fn tally(tally: &Tally, stopped: bool, out: &mut dyn Write) -> io::Result<()> {
    let Tally { vectors, steps, failed, skipped } = *tally;
    print(&Totals { vectors, steps, failed, skipped, stopped }, out)
}

fn print(line: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Failed<'a> {
    verdict: &'static str,
    vector: &'a str,
    line: usize,
    step: Option<usize>,
    #[serde(flatten)]
    difference: Compared,
    text: String,
}

#[derive(Serialize)]
struct Skipped<'a> {
    verdict: &'static str,
    vector: &'a str,
    line: usize,
    tag: &'static str,
}

#[derive(Serialize)]
struct Totals {
    vectors: usize,
    steps: usize,
    failed: usize,
    skipped: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopped: bool,
}

#[derive(Serialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
enum Compared {
    Warning {
        got: Option<Warned>,
        expected: Option<Warned>,
    },
    Delay {
        got_ns: u64,
        expected_ns: u64,
        tolerance_ns: u64,
    },
    Regime {
        got: &'static str,
        expected: &'static str,
    },
    Attempts {
        got: u32,
        expected: u32,
    },
    Answer {
        got_ns: u64,
        expected_ns: u64,
    },
    GaveUp {
        got: &'static str,
    },
    /// Of a subject that cannot be asked any more, or does not build the policy; `text` says why.
    Subject,
    /// Only `text` says more.
    Other,
}

#[derive(Serialize)]
struct Warned {
    option: &'static str,
    default_ns: u64,
}

impl From<Warning> for Warned {
    fn from(warning: Warning) -> Self {
        Self { option: warning.option.name(), default_ns: nanos(warning.default) }
    }
}

impl From<Difference> for Compared {
    fn from(difference: Difference) -> Self {
        match difference {
            Difference::Warning { got, expected } => {
                Self::Warning { got: got.map(Warned::from), expected: expected.map(Warned::from) }
            }
            Difference::Delay { got, expected, tolerance_ns } => {
                Self::Delay { got_ns: nanos(got), expected_ns: nanos(expected), tolerance_ns }
            }
            Difference::Regime { got, expected } => Self::Regime { got: got.name(), expected: expected.name() },
            Difference::Attempts { got, expected } => Self::Attempts { got, expected },
            Difference::Answer { got, expected } => Self::Answer { got_ns: nanos(got), expected_ns: nanos(expected) },
            Difference::GaveUp(why) => Self::GaveUp { got: why.name() },
            Difference::Broke => Self::Subject,
            _ => Self::Other,
        }
    }
}
