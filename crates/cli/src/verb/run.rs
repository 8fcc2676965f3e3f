//! `retrylab run`: scenarios played in virtual time.

use std::ffi::OsString;
use std::io::{self, Write};
use std::mem;
use std::ops::ControlFlow;
use std::time::Duration;

use clap::{Args, ValueEnum};
use retrylab_faults::{NotCaught, uncaught};
use retrylab_laws::{Claim, Replay, Subject, SubjectError, expected_laws, replay, report_until};
use retrylab_sim::{Event, Folder, Line, Record, Report, Trace};
use retrylab_spec::duration;

use crate::exec::{Claimed, Claiming, Exec};
use crate::options::{Output, SeedOption, Settings};
use crate::progress::Progress;
use crate::remote::Remote;
use crate::seed::Seed;
use crate::style::TITLE;
use crate::{Console, Exit, Format, Refusal, shown};

mod failure;
mod files;
mod json;
mod table;

pub use files::{BadFile, RunError};

use files::{Read, Scenario};
use table::{Row, Table, Totals};

/// The records between two redraws of the progress bar.
const RECORDS_A_TICK: u64 = 1 << 12;

/// Play scenarios in virtual time and check their expectations
///
/// Each file is played twice, and both runs must be equal. Paths are files or folders; every `.toml` below a folder is
/// a scenario, links followed. A file that is reached twice is played once. A file without `[expect]` needs `--trace`. A
/// file has to catch the faults in its `catches`, which are played as well.
///
/// Recovery is the time from the end of an outage to the client's first success after it, the longest of the file. Windows
/// that touch are one outage; a window that a live stream never notices is none.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  retrylab run
  retrylab run sims/streaming --filter flap
  retrylab run my-incident.toml --trace
  retrylab run my-incident.toml --with jitter-lost
  retrylab run sims/regressions --exec 'python3 my_policy.py'
  retrylab run my-incident.toml --set initial_reconnect_delay=5s --seed 42 --trace --format json")]
pub(crate) struct Run {
    /// Scenario files, or folders of them; `-` is standard input
    #[arg(value_name = "PATH", default_value = "sims")]
    paths: Vec<OsString>,
    #[command(flatten)]
    seed: SeedOption,
    /// Only files whose path contains this text
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    #[command(flatten)]
    exec: Exec,
    #[command(flatten)]
    claiming: Claiming,
    /// Play each file with this fault of the catalogue in its client, as `catches` names it
    #[arg(long, value_name = "FAULT", conflicts_with = "exec")]
    with: Option<String>,
    /// Pass over files of external policies, which only their owners can play
    #[arg(long)]
    allow_external: bool,
    /// Print the trace, record by record; `full`: with statuses and log lines
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "plain")]
    trace: Option<TraceKind>,
    #[command(flatten)]
    set: Settings,
    #[command(flatten)]
    output: Output,
}

/// The records of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TraceKind {
    /// Outcomes and clock events.
    Plain,
    /// Also statuses and log lines.
    Full,
}

impl Run {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let claimed = self.claiming.role(None, console)?;
        let Read { scenarios, resting } = files::read(self, claimed.as_ref(), console.stdin)?;
        let seeds = scenarios
            .iter()
            .map(|scenario| self.seed.choose(scenario.timeline.seed, console))
            .collect::<Result<Vec<_>, _>>()?;

        let program = if scenarios.iter().any(|scenario| scenario.role.is_some()) { self.exec.start()? } else { None };
        // Traces come one after the other, so their result lines come at the end.
        let lines_at_once = self.trace.is_none();
        let table = Table::new(scenarios.iter().map(|scenario| &*scenario.path));
        if self.output.format == Format::Text && lines_at_once {
            table.print_heading(&seeds, console.out)?;
        }
        let mut progress = Progress::new(console.progress, Some(scenarios.len() as u64));
        let mut totals = Totals::default();
        let mut reports = Vec::new();
        // A multi-line report is followed by an empty line.
        let mut gap = false;
        for (scenario, seed) in scenarios.iter().zip(&seeds) {
            if gap {
                writeln!(console.out)?;
            }
            let mut report = match (&scenario.role, &program) {
                (Some(role), Some(subject)) => {
                    let role = self.claiming.rounded(role.clone());
                    let remote = Remote::new(Claimed { subject: subject.clone(), role });
                    let claim = remote.claim().map_err(|fault| SubjectError(fault.to_string()));
                    self.replay(scenario, *seed, claim, &remote, console)?
                }
                _ if let Some(faulty) = &scenario.faulty => {
                    let claim = Claim::of(&scenario.timeline.client);
                    self.replay(scenario, *seed, Ok(claim), faulty, console)?
                }
                _ => self.play(scenario, *seed, &mut progress, console)?,
            };
            // A file that fails says nothing of what it catches.
            if report.holds() && scenario.role.is_none() && scenario.faulty.is_none() {
                report.add(uncaught(&scenario.timeline, seed.value).iter().map(NotCaught::finding));
            }
            progress.advance();
            totals.add(scenario, &report);
            match self.output.format {
                Format::Json => json::report(scenario, *seed, &report, console.out)?,
                Format::Text => {
                    if lines_at_once {
                        table.print(&Row { scenario, report: &report }, console.out)?;
                    }
                    if !report.holds() {
                        failure::print(scenario, *seed, self, &report, console.out)?;
                    }
                    gap = self.trace.is_some() || !report.holds();
                }
            }
            // Each line is flushed, which also detects a closed output.
            console.out.flush()?;
            reports.push(report);
        }
        drop(progress);
        let rest = if lines_at_once { &[][..] } else { &reports };
        let rows: Vec<Row<'_>> =
            scenarios.iter().zip(rest).map(|(scenario, report)| Row { scenario, report }).collect();
        Refusal::unless_unread(match self.output.format {
            Format::Json => json::end(&resting, &totals, console.out),
            Format::Text => table.print_end(&seeds, &rows, &totals, &resting, console.out),
        })?;
        Ok(totals.exit())
    }

    /// Plays one scenario with a policy other than that of its client. A run that it does not play to its end fails.
    fn replay(
        &self,
        scenario: &Scenario,
        seed: Seed,
        claim: Result<Claim, SubjectError>,
        subject: &dyn Subject,
        console: &mut Console<'_>,
    ) -> Result<Report, Refusal> {
        let replayed = claim.and_then(|claim| {
            let laws = expected_laws(&scenario.timeline, &claim).map_err(|cannot| SubjectError(cannot.to_string()))?;
            replay(&scenario.timeline, seed.value, &claim, &laws, subject)
        });
        let Replay { report, run } = match replayed {
            Ok(replay) => replay,
            Err(fault) => {
                // Should it not start again, the next file shows it.
                let _ = subject.restart();
                return Ok(fault.report());
            }
        };
        let mut sink = self.sink();
        for record in run.iter().filter(|record| self.shows(record)) {
            sink.take(scenario, seed, record, console.out)?;
        }
        sink.finish(scenario, seed, console.out)?;
        Ok(report)
    }

    /// Whether the trace shows this record.
    const fn shows(&self, record: &Record) -> bool {
        match self.trace {
            Some(TraceKind::Plain) => record.is_plain(),
            Some(TraceKind::Full) => record.is_traced(),
            None => false,
        }
    }

    fn sink(&self) -> Sink {
        match (self.trace, self.output.format) {
            (None, _) => Sink::Nothing,
            (Some(_), Format::Text) => Sink::Text(Box::default()),
            (Some(_), Format::Json) => Sink::Json,
        }
    }

    /// Plays one scenario; with `--trace`, the trace comes before the result.
    fn play(
        &self,
        scenario: &Scenario,
        seed: Seed,
        progress: &mut Progress,
        console: &mut Console<'_>,
    ) -> Result<Report, Refusal> {
        let mut sink = self.sink();
        let mut seen = 0u64;
        let report = report_until(&scenario.timeline, seed.value, |record| {
            seen += 1;
            if seen.is_multiple_of(RECORDS_A_TICK) {
                progress.say(duration::print(Duration::from_secs(record.time_ns / 1_000_000_000)));
            }
            if let Event::Warning(warning) = record.event {
                // A warning that cannot be written is still in the trace.
                let _ = progress.aside(|| console.warn(format_args!("{}: {warning}", scenario.path)));
            }
            let taken = if self.shows(record) { sink.take(scenario, seed, record, console.out) } else { Ok(()) };
            taken.map_or_else(ControlFlow::Break, ControlFlow::Continue)
        })
        .map_err(|error| RunError::CannotPlay { file: scenario.path.clone(), error })?;
        let report = match report {
            ControlFlow::Break(error) => return Err(Refusal::Output(error)),
            ControlFlow::Continue(report) => report,
        };
        sink.finish(scenario, seed, console.out)?;
        Ok(report)
    }
}

/// The receiver of a run's records.
enum Sink {
    Nothing,
    Text(Box<Text>),
    Json,
}

/// A trace for people, printed in pieces.
#[derive(Default)]
struct Text {
    folder: Folder,
    trace: Trace,
    titled: bool,
}

/// The number of rows of a trace that are aligned together; later rows follow them where they fit.
const ROWS_AT_ONCE: usize = 4096;

impl Sink {
    fn take(&mut self, scenario: &Scenario, seed: Seed, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Text(text) => {
                let Text { folder, trace, .. } = &mut **text;
                folder.push(*record, &mut |line: Line| trace.push(&line));
                if trace.rows() < ROWS_AT_ONCE { Ok(()) } else { text.print(scenario, seed, out) }
            }
            Self::Json => json::record(scenario, record, out),
        }
    }

    fn finish(self, scenario: &Scenario, seed: Seed, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Nothing | Self::Json => Ok(()),
            Self::Text(mut text) => {
                let trace = &mut text.trace;
                mem::take(&mut text.folder).finish(&mut |line: Line| trace.push(&line));
                text.print(scenario, seed, out)
            }
        }
    }
}

impl Text {
    fn print(&mut self, scenario: &Scenario, seed: Seed, out: &mut dyn Write) -> io::Result<()> {
        if !self.titled {
            self.titled = true;
            let title = TITLE;
            writeln!(out, "{title}{}{title:#}, seed {seed}", scenario.path)?;
            writeln!(out, "{}\n", shown::text(&scenario.timeline.why))?;
        }
        write!(out, "{}", self.trace)?;
        self.trace.go_on();
        Ok(())
    }
}
