//! The machine form: a line for each record (with `--trace`), a line for each file, the totals last.

use std::io::{self, Write};

use retrylab_core::nanos;
use retrylab_laws::Report;
use retrylab_scenario::File;
use retrylab_sim::{Record, json_line};
use serde::Serialize;

use super::files::Scenario;
use super::table::{Totals, reason};
use crate::Input;
use crate::seed::Seed;

pub(super) fn record(scenario: &Scenario, record: &Record, out: &mut dyn Write) -> io::Result<()> {
    let line = json_line(record)?;
    let file = serde_json::to_string(&scenario.input.argument())?;
    // Which file, before the record's own fields.
    writeln!(out, "{{\"file\":{file},{}", line.strip_prefix('{').unwrap_or(&line))
}

pub(super) fn report(scenario: &Scenario, seed: Seed, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let metrics = &report.metrics;
    let unmet = report.unmet.iter().map(|unmet| Unmet {
        key: &unmet.key,
        line: scenario.locations.line(&unmet.key),
        nth: unmet.nth,
        expected: &unmet.expected,
        got: &unmet.got,
        attempt: unmet.attempt,
        at_ns: nanos(unmet.at),
    });
    let verdict = match report {
        Report { divergence: Some(_), .. } => "two-traces",
        report if report.holds() && scenario.timeline.expect.is_none() => "played",
        report if report.holds() => "held",
        _ => "failed",
    };
    print(
        &Played {
            file: &scenario.input.argument(),
            verdict,
            seed: seed.value,
            seed_from: seed.source.name(),
            attempts: metrics.attempts,
            failures: metrics.failures,
            successes: metrics.successes,
            longest_wait_ns: nanos(metrics.longest_wait),
            in_normal_ns: nanos(metrics.in_normal),
            in_extended_ns: nanos(metrics.in_extended),
            recoveries_ns: metrics.recoveries.iter().map(|recovery| recovery.map(nanos)).collect(),
            virtual_time_ns: nanos(metrics.ended_at),
            ended: metrics.ended.map_or("", |reason| reason.name()),
            unmet: unmet.collect(),
            divergence: report.divergence.map(|divergence| divergence.index),
        },
        out,
    )
}

/// What follows the reports.
pub(super) fn end(not_played: &[(Input, File)], sum: &Totals, out: &mut dyn Write) -> io::Result<()> {
    not_played.iter().try_for_each(|(input, file)| resting(&input.argument(), file, out))?;
    totals(sum, out)
}

fn resting(path: &str, file: &File, out: &mut dyn Write) -> io::Result<()> {
    print(&Resting { file: path, verdict: "not-played", reason: reason(file) }, out)
}

fn totals(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let Totals { played, held, failed, diverged, virtual_time, .. } = *totals;
    print(&Sum { played, held, failed, diverged, virtual_time_ns: nanos(virtual_time) }, out)
}

fn print(line: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Played<'a> {
    file: &'a str,
    verdict: &'static str,
    seed: u64,
    seed_from: &'static str,
    attempts: u64,
    failures: u64,
    successes: u64,
    longest_wait_ns: u64,
    in_normal_ns: u64,
    in_extended_ns: u64,
    recoveries_ns: Vec<Option<u64>>,
    virtual_time_ns: u64,
    ended: &'static str,
    unmet: Vec<Unmet<'a>>,
    /// How many records were equal before the two runs differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence: Option<u64>,
}

#[derive(Serialize)]
struct Unmet<'a> {
    key: &'a str,
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nth: Option<u64>,
    expected: &'a str,
    got: &'a str,
    attempt: u64,
    at_ns: u64,
}

#[derive(Serialize)]
struct Resting<'a> {
    file: &'a str,
    verdict: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct Sum {
    played: usize,
    held: usize,
    failed: usize,
    diverged: usize,
    virtual_time_ns: u64,
}
