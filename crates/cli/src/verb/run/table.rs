//! One aligned line a scenario, and what they come to.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use retrylab_laws::Report;
use retrylab_scenario::{File, duration::Text};
use retrylab_sim::Metrics;

use super::files::Scenario;
use crate::seed::{Seed, SeedSource};
use crate::style::{ERROR, GOOD, QUIET, TITLE};
use crate::{Exit, Input, shown};

/// The lines, printed as the runs end; only the paths are known before.
pub(super) struct Table {
    path_width: usize,
}

/// A line.
pub(super) struct Row<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) report: &'a Report,
}

impl Table {
    pub(super) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        Self { path_width: paths.map(|path| path.chars().count()).max().unwrap_or(0).max("scenario".len()) }
    }

    pub(super) fn print_heading(&self, seeds: &[Seed], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", seeds_line(seeds))?;
        let (title, width) = (TITLE, self.path_width);
        let line = cells(["attempts", "longest wait", "extended", "recovery", "virtual time"].map(str::to_string));
        writeln!(out, "\n{title}        {:<width$}  {line}{title:#}", "scenario")
    }

    /// The lines that had to wait, with their heading, and what the whole comes to.
    pub(super) fn print_end(
        &self,
        seeds: &[Seed],
        rows: &[Row<'_>],
        totals: &Totals,
        resting: &[(Input, File)],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !rows.is_empty() {
            writeln!(out)?;
            self.print_heading(seeds, out)?;
        }
        rows.iter().try_for_each(|row| self.print(row, out))?;
        totals.print(resting, out)
    }

    pub(super) fn print(&self, row: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Row { scenario, report } = row;
        let (word, style) = match report {
            report if report.holds() && scenario.timeline.expect.is_none() => ("played", QUIET),
            report if report.holds() => ("held  ", GOOD),
            Report { divergence: Some(_), .. } => ("TWICE ", ERROR),
            _ => ("FAILED", ERROR),
        };
        let (path, width) = (&scenario.path, self.path_width);
        let line = cells(figures(&report.metrics));
        writeln!(out, "{style}{word}{style:#}  {path:<width$}  {}", line.trim_end())
    }
}

fn cells([attempts, wait, extended, recovery, time]: [String; 5]) -> String {
    format!("{attempts:>8}  {wait:>15}  {extended:>16}  {recovery:>10}  {time:>16}")
}

fn figures(metrics: &Metrics) -> [String; 5] {
    let unless_zero = |span: Duration| if span.is_zero() { "-".to_string() } else { Text(span).to_string() };
    let recovery = match (metrics.recoveries.is_empty(), metrics.longest_recovery()) {
        (true, _) => "-".to_string(),
        (false, None) => "never".to_string(),
        (false, Some(span)) => Text(span).to_string(),
    };
    [
        metrics.attempts.to_string(),
        unless_zero(metrics.longest_wait),
        unless_zero(metrics.in_extended),
        recovery,
        Text(metrics.ended_at).to_string(),
    ]
}

/// Which seeds the runs have. They differ only where files bring their own.
fn seeds_line(seeds: &[Seed]) -> String {
    let own = seeds.iter().filter(|seed| seed.source == SeedSource::File).count();
    let shared = seeds.iter().find(|seed| seed.source != SeedSource::File);
    match (shared, own, seeds) {
        (Some(shared), 0, _) => format!("seed {shared}"),
        (Some(shared), 1, _) => format!("seed {shared}; one file has its own"),
        (Some(shared), own, _) => format!("seed {shared}; {own} files have their own"),
        (None, 1, [seed]) => format!("seed {seed}"),
        (None, ..) => "seed of each file".to_string(),
    }
}

/// What all runs come to.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) played: usize,
    pub(super) held: usize,
    /// Runs that did not fail, of files that expect nothing.
    pub(super) silent: usize,
    pub(super) failed: usize,
    pub(super) diverged: usize,
    pub(super) virtual_time: Duration,
}

impl Totals {
    pub(super) fn add(&mut self, scenario: &Scenario, report: &Report) {
        self.played += 1;
        let expects = scenario.timeline.expect.is_some();
        self.held += usize::from(report.holds() && expects);
        self.silent += usize::from(report.holds() && !expects);
        self.failed += usize::from(!report.unmet.is_empty());
        self.diverged += usize::from(report.divergence.is_some());
        self.virtual_time = self.virtual_time.saturating_add(report.metrics.ended_at);
    }

    pub(super) const fn exit(&self) -> Exit {
        match self {
            Self { diverged: 1.., .. } => Exit::TwoTraces,
            Self { failed: 1.., .. } => Exit::NotHeld,
            _ => Exit::Held,
        }
    }

    pub(super) fn print(&self, resting: &[(Input, File)], out: &mut dyn Write) -> io::Result<()> {
        let Self { played, held, silent, failed, diverged, virtual_time } = self;
        writeln!(out)?;
        if !resting.is_empty() {
            writeln!(out, "not played:")?;
            let names: Vec<String> = resting.iter().map(|(input, _)| input.name()).collect();
            let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
            for (name, (_, file)) in names.iter().zip(resting) {
                writeln!(out, "  {name:<width$}  {QUIET}{}{QUIET:#}", shown::line(&reason(file)))?;
            }
            writeln!(out)?;
        }
        write!(out, "{played} played ({} of virtual time): {held} held, {failed} failed", Text(*virtual_time))?;
        if *silent > 0 {
            write!(out, ", {silent} without expectations")?;
        }
        if *diverged > 0 {
            write!(out, ", {diverged} gave two traces")?;
        }
        let mut kinds = BTreeMap::<String, usize>::new();
        for (_, file) in resting {
            *kinds.entry(kind(file)).or_default() += 1;
        }
        if !resting.is_empty() {
            let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            write!(out, "; {} not played ({})", resting.len(), kinds.join(", "))?;
        }
        writeln!(out)
    }
}

/// Why a file is not played, in a few words.
pub(super) fn reason(file: &File) -> String {
    match file {
        File::WaitsFor { part, .. } => format!("waits for {}", part.name()),
        File::Outside { reason, .. } => format!("outside: {reason}"),
        File::External(timeline) => match &timeline.client.kind {
            // Only its owner's command can play it.
            retrylab_scenario::ClientKind::External { name, .. } => {
                match timeline.found_by.as_deref().and_then(played_by) {
                    Some(check) => format!("policy of its owner: `{check} <this file> --cases 0` plays it"),
                    None => format!("policy of its owner: {name}"),
                }
            }
            _ => "policy of its owner".to_string(),
        },
        File::Played(_) => "played".to_string(),
    }
}

/// The command line that has found a file of a policy in another process, without how long it searched.
fn played_by(found_by: &str) -> Option<&str> {
    let found_by = Some(found_by).filter(|found_by| found_by.starts_with("retrylab check --exec"))?;
    Some(found_by.rsplit_once(" --cases ").map_or(found_by, |(before, _)| before))
}

fn kind(file: &File) -> String {
    match file {
        File::WaitsFor { part, .. } => format!("waiting for {}", part.name()),
        File::Outside { .. } => "outside".to_string(),
        File::External(_) => "external".to_string(),
        File::Played(_) => "played".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use retrylab_scenario::parse;
    use retrylab_sim::{Divergence, Unmet};

    use super::*;

    fn scenario(expect: &str) -> Scenario {
        let text = format!("why = \"A test.\"\nclient.kind = \"streaming\"\nthen = \"succeed\"\n{expect}");
        let parsed = parse("a.toml", &text).expect("a timeline");
        let File::Played(timeline) = parsed.file else { panic!("it is played") };
        let input = Input::File("a.toml".into());
        Scenario { input, path: "a.toml".to_string(), timeline, locations: parsed.locations }
    }

    #[test]
    fn a_run_that_gave_two_traces_did_not_hold_and_is_not_without_expectations() {
        let unmet = Unmet {
            key: "expect.attempts".to_string(),
            nth: None,
            expected: "2".to_string(),
            got: "1".to_string(),
            record: 0,
            attempt: 1,
            at: Duration::ZERO,
        };
        let report =
            |unmet: &[Unmet], divergence| Report { unmet: unmet.to_vec(), metrics: Metrics::default(), divergence };
        let twice = Some(Divergence { index: 0, first: None, second: None });
        let (expects, silent) = (scenario("expect.attempts = 1"), scenario(""));
        let mut totals = Totals::default();
        totals.add(&expects, &report(&[], None));
        totals.add(&expects, &report(&[], twice));
        totals.add(&expects, &report(std::slice::from_ref(&unmet), None));
        totals.add(&expects, &report(&[unmet], twice));
        totals.add(&silent, &report(&[], None));
        totals.add(&silent, &report(&[], twice));
        let mut out = Vec::new();
        totals.print(&[], &mut out).expect("a vector takes everything");
        assert_eq!(
            String::from_utf8(out).expect("UTF-8").trim(),
            "6 played (0s of virtual time): 1 held, 2 failed, 1 without expectations, 3 gave two traces"
        );
        assert_eq!(totals.exit(), Exit::TwoTraces);
    }
}
