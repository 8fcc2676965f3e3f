//! One aligned line per scenario, and the totals.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use retrylab_sim::{Metrics, Report};
use retrylab_spec::{File, duration::Text};
use serde::Serialize;

use super::files::Scenario;
use crate::json::ns;
use crate::seed::{Seed, SeedSource};
use crate::style::{ERROR, GOOD, QUIET, TITLE};
use crate::{Exit, Input, shown};

/// The lines, printed as the runs end; only the paths are known in advance.
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

    /// Prints the collected lines, with their heading, and the totals.
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
        let (word, style) = match Verdict::of(scenario, report) {
            Verdict::Played => ("played", QUIET),
            Verdict::Held => ("held  ", GOOD),
            Verdict::TwoTraces => ("DIFFER", ERROR),
            Verdict::Failed => ("FAILED", ERROR),
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

/// The seeds of the runs. They differ only for files with their own.
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

/// The verdict of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// There are no expectations.
    Played,
    Held,
    Failed,
    TwoTraces,
}

impl Verdict {
    pub(super) fn of(scenario: &Scenario, report: &Report) -> Self {
        match report {
            Report { divergence: Some(_), .. } => Self::TwoTraces,
            report if !report.holds() => Self::Failed,
            _ if scenario.timeline.expect.is_none() => Self::Played,
            _ => Self::Held,
        }
    }
}

/// The totals of all runs.
#[derive(Default, Serialize)]
pub(super) struct Totals {
    pub(super) played: usize,
    pub(super) held: usize,
    /// Runs that did not fail, of files without expectations.
    #[serde(skip)]
    pub(super) silent: usize,
    pub(super) failed: usize,
    pub(super) diverged: usize,
    #[serde(rename = "virtual_time_ns", serialize_with = "ns")]
    pub(super) virtual_time: Duration,
}

impl Totals {
    pub(super) fn add(&mut self, scenario: &Scenario, report: &Report) {
        self.played += 1;
        let verdict = Verdict::of(scenario, report);
        self.held += usize::from(verdict == Verdict::Held);
        self.silent += usize::from(verdict == Verdict::Played);
        self.failed += usize::from(!report.findings.is_empty());
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

/// The reason why a file is not played, in a few words.
pub(super) fn reason(file: &File) -> String {
    match file {
        File::WaitsFor { part, .. } => format!("waits for {}", part.name()),
        File::Outside { reason, .. } => format!("outside: {reason}"),
        File::External(timeline) => match &timeline.client.kind {
            retrylab_spec::PolicySpec::External { name, .. } => format!("external policy: {name}"),
            _ => "external policy".to_string(),
        },
        File::Played(_) => "played".to_string(),
    }
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
    use retrylab_sim::{Divergence, Event, Finding, Record, Requirement};
    use retrylab_spec::parse;

    use super::*;

    fn scenario(expect: &str) -> Scenario {
        let text = format!("why = \"A test.\"\nclient.kind = \"streaming\"\nthen = \"succeed\"\n{expect}");
        let parsed = parse("a.toml", &text).expect("a timeline");
        let File::Played(timeline) = parsed.file else { panic!("it is played") };
        let input = Input::File("a.toml".into());
        Scenario { input, path: "a.toml".to_string(), timeline, locations: parsed.locations, role: None, faulty: None }
    }

    #[test]
    fn a_run_with_two_traces_does_not_hold_and_is_not_counted_as_without_expectations() {
        let record = Record::new(Event::Ok, 0, 0, 1);
        let requirement = Requirement::of_key("expect.attempts");
        let finding = Finding::at(&record, requirement, "2".to_owned(), "1".to_owned());
        let report =
            |findings: &[Finding], divergence| Report { findings: findings.to_vec(), divergence, ..Report::default() };
        let twice = Some(Divergence { index: 0, first: None, second: None });
        let (expects, silent) = (scenario("expect.attempts = 1"), scenario(""));
        let mut totals = Totals::default();
        totals.add(&expects, &report(&[], None));
        totals.add(&expects, &report(&[], twice));
        totals.add(&expects, &report(std::slice::from_ref(&finding), None));
        totals.add(&expects, &report(&[finding], twice));
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
