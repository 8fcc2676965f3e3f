//! JSON output: a line for each record (with `--trace`), a line for each file, the totals last.

use std::io::{self, Write};

use retrylab_sim::{Metrics, Record, Report};
use retrylab_spec::File;
use serde::Serialize;

use super::files::Scenario;
use super::table::{Totals, Verdict, reason};
use crate::Input;
use crate::json::{Unmet, line};
use crate::seed::Seed;

pub(super) fn record(scenario: &Scenario, record: &Record, out: &mut dyn Write) -> io::Result<()> {
    line(&Traced { file: &scenario.input.argument(), record }, out)
}

pub(super) fn report(scenario: &Scenario, seed: Seed, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let played = Played {
        file: &scenario.input.argument(),
        verdict: Verdict::of(scenario, report),
        seed,
        metrics: &report.metrics,
        unmet: report.findings.iter().map(|finding| Unmet::new(finding, &scenario.locations)).collect(),
        divergence: report.divergence.map(|divergence| divergence.index),
    };
    line(&played, out)
}

/// The lines after the reports.
pub(super) fn end(not_played: &[(Input, File)], totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    for (input, file) in not_played {
        line(&Resting { file: &input.argument(), verdict: "not-played", reason: reason(file) }, out)?;
    }
    line(totals, out)
}

#[derive(Serialize)]
struct Traced<'a> {
    file: &'a str,
    #[serde(flatten)]
    record: &'a Record,
}

#[derive(Serialize)]
struct Played<'a> {
    file: &'a str,
    verdict: Verdict,
    #[serde(flatten)]
    seed: Seed,
    #[serde(flatten)]
    metrics: &'a Metrics,
    unmet: Vec<Unmet<'a>>,
    /// The number of equal records before the first difference of the two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence: Option<u64>,
}

#[derive(Serialize)]
struct Resting<'a> {
    file: &'a str,
    verdict: &'static str,
    reason: String,
}
