//! JSON output: one value a line.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

use retrylab_core::nanos;
use retrylab_sim::{Finding, Requirement};
use retrylab_spec::Locations;
use serde::{Serialize, Serializer};

pub(crate) fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// A duration as integer nanoseconds, for fields with `serialize_with`.
pub(crate) fn ns<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(nanos(*time))
}

/// A finding, with the place of its key in the file.
#[derive(Serialize)]
pub(crate) struct Unmet<'a> {
    key: Cow<'a, str>,
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nth: Option<u64>,
    #[serde(flatten)]
    finding: Violation<'a>,
}

impl<'a> Unmet<'a> {
    pub(crate) fn new(finding: &'a Finding, locations: &Locations) -> Self {
        let key = finding.requirement.key();
        let nth = match finding.requirement {
            Requirement::Expectation { value, .. } => value,
            Requirement::Law { .. } => None,
        };
        Self { line: locations.line(&key), key, nth, finding: finding.into() }
    }
}

/// A finding of any verb.
#[derive(Serialize)]
pub(crate) struct Violation<'a> {
    expected: Cow<'a, str>,
    got: &'a str,
    /// The number of the record in the full stream, from 0; none if no record shows it.
    record: Option<u64>,
    attempt: u64,
    at_ns: u64,
}

impl<'a> From<&'a Finding> for Violation<'a> {
    fn from(finding: &'a Finding) -> Self {
        let Finding { got, record, attempt, at, .. } = finding;
        Self { expected: finding.required(), got, record: *record, attempt: *attempt, at_ns: nanos(*at) }
    }
}
