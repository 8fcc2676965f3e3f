//! What a failed run shows: what was expected and where the file says so, the trace around it, the command that replays it.

use std::io::{self, Write};

use retrylab_laws::Report;
use retrylab_sim::{Divergence, Trace, Unmet, play};

use super::files::Scenario;
use crate::paste::CommandLine;
use crate::seed::{Seed, SeedSource};
use crate::setting::Setting;
use crate::style::QUIET;

pub(super) fn print(
    scenario: &Scenario,
    seed: Seed,
    settings: &[Setting],
    report: &Report,
    out: &mut dyn Write,
) -> io::Result<()> {
    for unmet in &report.unmet {
        let Unmet { key, .. } = unmet;
        writeln!(out, "\n{}", indent(&scenario.locations.show(key, &unmet.to_string(), "")))?;
    }
    if let Some(Divergence { index, first, second }) = &report.divergence {
        writeln!(out, "\n  two runs of the same file and seed differ from record {index} on:\n")?;
        for (run, record) in [("first ", first), ("second", second)] {
            let text = record.map_or_else(|| "over".to_string(), |record| last_line(&Trace::unfolded([record])));
            writeln!(out, "  {run}  {text}")?;
        }
    }
    let places = report.unmet.iter().map(|unmet| unmet.record);
    if let Some(place) = places.chain(report.divergence.map(|divergence| divergence.index)).min() {
        // A third run: the first two are gone.
        let around = play(&scenario.timeline, seed.value).map(|run| Trace::around(run, place)).unwrap_or_default();
        writeln!(out, "\n{}", indent(around.to_string().trim_end()))?;
    }
    writeln!(out, "\n  {QUIET}{}{QUIET:#}", replay(scenario, seed, settings))
}

/// The command line that plays this file again.
fn replay(scenario: &Scenario, seed: Seed, settings: &[Setting]) -> String {
    let mut line = CommandLine::new("run").word(scenario.input.word());
    if seed.source != SeedSource::File {
        line = line.option("--seed", seed.value.to_string());
    }
    for setting in settings {
        line = line.option("--set", setting.to_string());
    }
    line.word("--trace").text()
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
