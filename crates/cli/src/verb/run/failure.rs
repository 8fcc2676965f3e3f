//! The report of a failed run: the failed expectation and its line, the trace around it, the command that replays it.

use std::io::{self, Write};

use retrylab_sim::{Divergence, Report, Trace};

use super::Run;
use super::files::Scenario;
use crate::paste::CommandLine;
use crate::seed::{Seed, SeedSource};
use crate::style::QUIET;

pub(super) fn print(
    scenario: &Scenario,
    seed: Seed,
    run: &Run,
    report: &Report,
    out: &mut dyn Write,
) -> io::Result<()> {
    for finding in &report.findings {
        let (key, text) = (finding.requirement.key(), finding.to_string());
        writeln!(out, "\n{}", indent(&scenario.locations.show(&key, &text, "")))?;
    }
    if let Some(Divergence { index, first, second }) = &report.divergence {
        writeln!(out, "\n  two runs of the same file and seed differ from record {index} on:\n")?;
        for (run, record) in [("first ", first), ("second", second)] {
            let text = record.map_or_else(|| "over".to_string(), |record| last_line(&Trace::unfolded([record])));
            writeln!(out, "  {run}  {text}")?;
        }
    }
    let around = Trace::unfolded(report.shown());
    writeln!(out, "\n{}", indent(around.to_string().trim_end()))?;
    writeln!(out, "\n  {QUIET}{}{QUIET:#}", replay(scenario, seed, run))
}

/// The command line that plays this file again.
fn replay(scenario: &Scenario, seed: Seed, run: &Run) -> String {
    let mut line = CommandLine::new("run").word(scenario.input.word());
    if scenario.role.is_some() {
        line = line.options(run.exec.words().chain(run.claiming.words()));
    }
    if let Some(fault) = &run.with {
        line = line.option("--with", fault.as_str());
    }
    if seed.source != SeedSource::File {
        line = line.option("--seed", seed.value.to_string());
    }
    run.set.on(line).word("--trace").text()
}

fn last_line(trace: &Trace) -> String {
    trace.to_string().lines().last().unwrap_or_default().trim().to_string()
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| if line.is_empty() { String::new() } else { format!("  {line}") })
        .collect::<Vec<_>>()
        .join("\n")
}
