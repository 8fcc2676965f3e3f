//! `retrylab lint`: errors and warnings in timeline files.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Args;
use retrylab_faults::{uncatchable, uncaught};
use retrylab_laws::unreportable;
use retrylab_spec::lint::{Place, Rule, lint, refused, silent_ceiling};
use retrylab_spec::{Draft, File, Located, Locations, MOST_PROBLEMS, Position, Problem, Timeline, parse_bytes};
use serde::Serialize;

use crate::found::Found;
use crate::json;
use crate::options::Output;
use crate::{BadFile, Console, Exit, Format, Input, Refusal};

mod text;

/// Report errors and warnings in timeline files
///
/// Nothing is played but the faults in `catches`. Each finding is one line: place, problem, reason, and a correction. For a folder, every `.toml`
/// below it is linted, links followed; a file that is reached twice is linted once.
#[derive(Args, Debug)]
#[command(after_help = "\
Errors: everything that makes a file invalid, including unknown names of laws and faults, and: a configured wait that is \
not a positive finite number, a ladder of zero waits, a retry_after that is cut to zero, a call without an attempt, a fault \
in `catches` with which the file holds.

Rules of warnings:
  flat-ladder              the ceiling is at or below the first rung
  unreachable-ceiling      the ladder does not grow
  unreachable-rungs        rungs that no failure reaches
  unreachable-attempts     attempts that exceed the time or the budget
  unreachable-entry        entries of the script that no attempt reaches
  unreachable-server-wait  an accepted retry_after that may not fit into the time limit
  no-retry                 a limit or budget that allows no retry, or only by chance
  inverted-extended        an extended ladder below the normal one
  beyond-timer             a wait that is too long for timers
  generous-budget          a budget that allows more than it seems to
  tall-stack               layers ([stack]) whose attempts multiply above their maximum
  hidden-jitter            jitter that never shows
  no-jitter                no jitter, in a file without [expect]
  hot-loop                 a server that may request the next attempt at once
  silent-ceiling           rungs that a ceiling cuts which the file does not mention
  ignored-retry-after      a retry_after at a client that ignores it, in a file without [expect]
  flood                    calls without latency that follow each other without end in one instant

Examples:
  retrylab lint my-client.toml
  retrylab lint clients --allow hidden-jitter --format json

Exit status: 0 no findings, 1 warnings, 2 errors.")]
pub(crate) struct Lint {
    /// Timeline files, or folders of them; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    files: Vec<OsString>,
    /// Ignore warnings of this rule; may be repeated
    #[arg(long, value_name = "RULE", value_parser = rule)]
    allow: Vec<Rule>,
    #[command(flatten)]
    output: Output,
}

fn rule(name: &str) -> Result<Rule, String> {
    let found = Rule::ALL.into_iter().find(|(_, known)| *known == name);
    found.map(|(rule, _)| rule).ok_or_else(|| {
        let names = Rule::ALL.map(|(_, name)| name);
        format!("rules are {}", names.join(", "))
    })
}

/// One line of the output.
#[derive(Serialize)]
struct Finding {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    level: Level,
    /// The rule of a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    /// Empty for the whole file, and for entries of the script.
    #[serde(skip_serializing_if = "String::is_empty")]
    key: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Warning,
    Error,
}

/// The findings of a file.
struct Linted {
    /// In the order of the file.
    findings: Vec<Finding>,
    /// The number of warnings of ignored rules.
    allowed: usize,
    played: bool,
}

/// The totals.
#[derive(Default, Serialize)]
struct Totals {
    files: usize,
    not_played: usize,
    refused: usize,
    warnings: usize,
    allowed: usize,
}

impl Lint {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        if self.files.iter().filter(|file| *file == "-").count() > 1 {
            return Err(Refusal::from(LintError::StdinTwice));
        }
        let mut found = Found::default();
        let mut linted = Vec::new();
        for root in &self.files {
            found.look_at(root);
            linted.extend(found.bad.drain(..).map(Linted::from));
            linted.extend(found.inputs.drain(..).map(|input| self.lint(&input, console)));
        }
        let mut totals = Totals::default();
        for linted in &linted {
            totals.add(linted);
        }
        if totals.not_played == totals.files {
            return Err(Refusal::from(LintError::NothingPlayed { files: totals.files }));
        }
        Refusal::unless_unread(self.print(&linted, &totals, console.out))?;
        Ok(totals.exit())
    }

    fn print(&self, linted: &[Linted], totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        let mut findings = linted.iter().flat_map(|linted| &linted.findings);
        match self.output.format {
            Format::Text => {
                findings.try_for_each(|finding| text::finding(finding, out))?;
                text::totals(totals, out)
            }
            Format::Json => {
                findings.try_for_each(|finding| json::line(finding, out))?;
                json::line(totals, out)
            }
        }
    }

    fn lint(&self, input: &Input, console: &mut Console<'_>) -> Linted {
        let file = &*input.argument();
        let bytes = match input.read(console.stdin) {
            Ok(bytes) => bytes,
            Err(error) => return Linted::unread(file, format!("cannot be read: {error}")),
        };
        let mut linted = Linted { findings: Vec::new(), allowed: 0, played: true };
        match parse_bytes(file, &bytes) {
            Err(error) => {
                let refused = |located: &Located| Finding::refused(file, Some(located.position), &located.problem);
                linted.findings = error.problems().iter().map(refused).collect();
                if error.has_more() {
                    let more = format!("has more than these {MOST_PROBLEMS} problems");
                    linted.findings.push(Finding::error(file, None, String::new(), more));
                }
            }
            Ok(parsed) => match parsed.file {
                File::Played(timeline) | File::External(timeline) => {
                    linted.look_at(file, &timeline, &parsed.locations, &self.allow);
                    linted.play(file, &timeline, &parsed.locations);
                }
                File::WaitsFor { .. } | File::Outside { .. } => linted.played = false,
            },
        }
        linted
    }
}

impl From<BadFile> for Linted {
    fn from(bad: BadFile) -> Self {
        match bad {
            BadFile::Unreadable { file, error } => Self::unread(&file, format!("cannot be read: {error}")),
            BadFile::NoFiles { folder } => Self::unread(&folder, "there is no .toml file below it".to_owned()),
            other => Self::unread("", other.to_string()),
        }
    }
}

impl Linted {
    /// A file without a text.
    fn unread(file: &str, why: String) -> Self {
        Self { findings: vec![Finding::error(file, None, String::new(), why)], allowed: 0, played: true }
    }

    /// Plays the faults that the file says it catches, if it can be played at all.
    fn play(&mut self, file: &str, timeline: &Timeline, locations: &Locations) {
        if self.findings.iter().any(|finding| finding.level == Level::Error) {
            return;
        }
        self.findings.extend(uncaught(timeline, timeline.seed.unwrap_or(0)).iter().map(|fault| {
            let found = fault.finding();
            let key = found.requirement.key().into_owned();
            let message = format!("expected {}, got {}", found.expected, found.got);
            Finding::error(file, locations.position(&key), key, message)
        }));
        self.findings.sort_by_key(|finding| (finding.line, finding.column));
    }

    fn look_at(&mut self, file: &str, draft: &Draft, locations: &Locations, allow: &[Rule]) {
        let refused = refused(draft);
        self.findings
            .extend(refused.iter().map(|problem| Finding::refused(file, locations.position(problem.path()), problem)));
        // Every player of the file, `run` or its owner's tests, refuses it for these names.
        let faults = uncatchable(draft).into_iter().map(|cannot| (cannot.key(), cannot.to_string()));
        let laws = unreportable(draft).into_iter().map(|cannot| (cannot.key(), cannot.to_string()));
        self.findings.extend(faults.chain(laws).map(|(key, text)| {
            // The line begins with the key.
            let message = text.split_once(": ").map_or(&*text, |(_, message)| message).to_owned();
            Finding::error(file, locations.position(&key), key, message)
        }));
        if refused.is_empty() {
            let call = draft.client.kind.call().filter(|_| !locations.has("client.ladder.ceiling"));
            let silent = call.and_then(silent_ceiling);
            let (allowed, warnings): (Vec<_>, Vec<_>) =
                lint(draft).into_iter().chain(silent).partition(|warning| allow.contains(&warning.rule));
            self.allowed = allowed.len();
            self.findings.extend(warnings.into_iter().map(|warning| {
                let (position, key) = match warning.place {
                    Place::Key(key) => (locations.position(&key), key),
                    Place::Entry(index) => (locations.entry(index), String::new()),
                };
                let (rule, advice) = (Some(warning.rule.name()), Some(warning.advice));
                Finding { level: Level::Warning, rule, advice, ..Finding::error(file, position, key, warning.message) }
            }));
        }
        self.findings.sort_by_key(|finding| (finding.line, finding.column));
    }
}

impl Finding {
    /// An error; without a position, of the whole file.
    fn error(file: &str, position: Option<Position>, key: String, message: String) -> Self {
        let (line, column) = position.map(|position| (position.line, position.column)).unzip();
        Self { file: file.to_owned(), line, column, level: Level::Error, rule: None, key, message, advice: None }
    }

    fn refused(file: &str, position: Option<Position>, problem: &Problem) -> Self {
        let error = Self::error(file, position, problem.path().to_owned(), problem.message().to_owned());
        Self { advice: problem.advice().map(str::to_owned), ..error }
    }
}

impl Totals {
    fn add(&mut self, linted: &Linted) {
        let warnings = linted.findings.iter().filter(|finding| finding.level == Level::Warning).count();
        self.files += 1;
        self.not_played += usize::from(!linted.played);
        self.refused += usize::from(warnings < linted.findings.len());
        self.warnings += warnings;
        self.allowed += linted.allowed;
    }

    const fn exit(&self) -> Exit {
        match (self.refused, self.warnings) {
            (0, 0) => Exit::Held,
            (0, _) => Exit::NotHeld,
            _ => Exit::Refused,
        }
    }
}

/// The reason why no file was linted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LintError {
    /// Standard input can be read once.
    #[error("`-` is given more than once, and standard input can be read only once")]
    StdinTwice,
    /// No file has a client.
    #[error("there is nothing to lint: none of the given files ({files}) has a [client]")]
    NothingPlayed {
        /// The number of files.
        files: usize,
    },
}
