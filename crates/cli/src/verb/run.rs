//! `retrylab run`: scenarios played in virtual time.

use std::ffi::OsString;
use std::io::{self, Write};
use std::mem;
use std::ops::ControlFlow;
use std::time::Duration;

use clap::{Args, ValueEnum};
use retrylab_laws::{Report, report_until};
use retrylab_scenario::duration;
use retrylab_sim::{Event, Folder, Line, Record, Trace, play};

use crate::progress::Progress;
use crate::seed::{self, Seed};
use crate::setting::Setting;
use crate::style::{TITLE, WARNING};
use crate::{Console, Exit, Format, Refusal, shown};

mod failure;
mod files;
mod json;
mod table;

pub use files::{BadFile, RunError};

use files::{Read, Scenario};
use table::{Row, Table, Totals};

/// How many records pass between two looks at the progress bar.
const RECORDS_A_TICK: u64 = 1 << 12;

/// Play scenarios in virtual time and say what held
///
/// Each file is played twice, and both runs must be the same. Paths can be files and folders; of a folder, every `.toml`
/// below it is a scenario, links followed. A file that is reached twice is played once. A file without `[expect]` is only played with `--trace`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  retrylab run
  retrylab run sims/streaming --filter flap
  retrylab run my-incident.toml --trace
  retrylab run my-incident.toml --set initial_reconnect_delay=5s --seed 42 --trace --format json")]
pub(crate) struct Run {
    /// Scenario files, or folders of them; `-` is standard input
    #[arg(value_name = "PATH", default_value = "sims")]
    paths: Vec<OsString>,
    /// The seed of the jitter; before that of the file and of RETRYLAB_SEED
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Only the files whose path contains this text
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// Show what happened, record by record; `full`: with statuses and log lines
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "plain")]
    trace: Option<TraceKind>,
    /// Set an option of the client in every file: initial_reconnect_delay, poll_interval or jitter
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Setting>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Which records a trace shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TraceKind {
    /// Outcomes and what changes the clock.
    Plain,
    /// Also the statuses that listeners see, and the lines that are logged.
    Full,
}

impl Run {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let Read { scenarios, resting } = files::read(self, console.stdin)?;
        let seeds = scenarios
            .iter()
            .map(|scenario| Seed::choose(self.seed, scenario.timeline.seed, console.seed_variable.as_deref()))
            .collect::<Result<Vec<_>, _>>()?;

        // Traces come one after the other, so their lines wait until the end.
        let lines_at_once = self.trace.is_none();
        let table = Table::new(scenarios.iter().map(|scenario| &*scenario.path));
        if self.format == Format::Text && lines_at_once {
            table.print_heading(&seeds, console.out)?;
        }
        let mut progress = Progress::new(console.progress, Some(scenarios.len() as u64));
        let mut totals = Totals::default();
        let mut reports = Vec::new();
        // What takes more than a line is followed by an empty one.
        let mut gap = false;
        for (scenario, seed) in scenarios.iter().zip(&seeds) {
            if gap {
                writeln!(console.out)?;
            }
            let report = self.play(scenario, *seed, &mut progress, console)?;
            progress.advance();
            totals.add(scenario, &report);
            match self.format {
                Format::Json => json::report(scenario, *seed, &report, console.out)?,
                Format::Text => {
                    if lines_at_once {
                        table.print(&Row { scenario, report: &report }, console.out)?;
                    }
                    if !report.holds() {
                        failure::print(scenario, *seed, &self.set, &report, console.out)?;
                    }
                    gap = self.trace.is_some() || !report.holds();
                }
            }
            // Whoever waits for a line gets it; and if nobody does, this is where to notice.
            console.out.flush()?;
            reports.push(report);
        }
        drop(progress);
        let rest = if lines_at_once { &[][..] } else { &reports };
        let rows: Vec<Row<'_>> =
            scenarios.iter().zip(rest).map(|(scenario, report)| Row { scenario, report }).collect();
        Refusal::unless_unread(match self.format {
            Format::Json => json::end(&resting, &totals, console.out),
            Format::Text => table.print_end(&seeds, &rows, &totals, &resting, console.out),
        })?;
        Ok(totals.exit())
    }

    /// Plays one scenario; with `--trace`, what happens is printed before what came of it.
    fn play(
        &self,
        scenario: &Scenario,
        seed: Seed,
        progress: &mut Progress,
        console: &mut Console<'_>,
    ) -> Result<Report, Refusal> {
        let mut sink = match (self.trace, self.format) {
            (None, _) => Sink::Nothing,
            (Some(_), Format::Text) => Sink::Text(Box::default()),
            (Some(_), Format::Json) => Sink::Json,
        };
        let mut seen = 0u64;
        let report = report_until(&scenario.timeline, seed.value, |record| {
            seen += 1;
            if seen.is_multiple_of(RECORDS_A_TICK) {
                progress.say(duration::print(Duration::from_secs(record.time_ns / 1_000_000_000)));
            }
            if let Event::Warning(warning) = record.event {
                let style = WARNING;
                // A warning that cannot be written is still in the trace.
                let _ =
                    progress.aside(|| writeln!(console.err, "{style}warning:{style:#} {}: {warning}", scenario.path));
            }
            let taken = match self.trace {
                Some(TraceKind::Plain) => sink.take(scenario, seed, record, console.out),
                Some(TraceKind::Full) | None => Ok(()),
            };
            taken.map_or_else(ControlFlow::Break, ControlFlow::Continue)
        })
        .map_err(|error| RunError::CannotPlay { file: scenario.path.clone(), error })?;
        let report = match report {
            ControlFlow::Break(error) => return Err(Refusal::Output(error)),
            ControlFlow::Continue(report) => report,
        };
        // Statuses and log lines would be in the way of what is expected and measured, so they come from another run.
        if self.trace == Some(TraceKind::Full)
            && let Ok(run) = play(&scenario.timeline, seed.value)
        {
            for record in run.full() {
                sink.take(scenario, seed, &record, console.out)?;
            }
        }
        sink.finish(scenario, seed, console.out)?;
        Ok(report)
    }
}

/// Where the records of a run go.
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

/// How many rows of a trace are aligned with each other; those after them are aligned with these where they fit.
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
