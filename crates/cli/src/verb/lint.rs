//! `retrylab lint`: what cannot be right in a timeline file, and what is probably wrong.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Args;
use retrylab_laws::{CannotReport, unreportable};
use retrylab_scenario::lint::{Place, Rule, lint, refused};
use retrylab_scenario::{Draft, File, Locations, MOST_PROBLEMS, Position, Problem, parse_bytes};

use crate::found::Found;
use crate::{BadFile, Console, Exit, Format, Input, Refusal};

mod json;
mod text;

/// Say what cannot be right in a timeline file, and what is probably wrong
///
/// Nothing is run. Each finding is one line: where, what, why, and what to write instead. Of a folder, every `.toml` below it
/// is linted, links followed; a file that is reached twice is linted once.
#[derive(Args, Debug)]
#[command(after_help = "\
Refused: everything that a file is refused for, its names of laws and specimens included, and a wait that is not a \
positive finite number, a ladder on which every wait is zero, a server's wait that is cut to nothing, a call without an \
attempt.

Rules that warn:
  flat-ladder              the ceiling is at or below the first rung
  unreachable-ceiling      the ladder does not grow
  unreachable-rungs        rungs that no failure gets to
  unreachable-attempts     attempts that no time or budget is left for
  unreachable-entry        attempts of the script that can never start
  unreachable-server-wait  a wait of the server's that is accepted and then may not fit
  no-retry                 a limit or budget that allows no retry, or only by chance
  inverted-extended        an extended ladder below the normal one
  beyond-timer             a wait that timers cannot wait
  generous-budget          a budget that allows more than it says
  tall-stack               layers ([stack]) with more attempts together than are wanted
  hidden-jitter            jitter that never shows
  no-jitter                no jitter, in a file without [expect]

Examples:
  retrylab lint my-client.toml
  retrylab lint clients --allow hidden-jitter --format json

Exit status: 0 nothing to warn of, 1 a warning, 2 a file is refused.")]
pub(crate) struct Lint {
    /// Timeline files, or folders of them; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    files: Vec<OsString>,
    /// Do not warn by this rule; can be given several times
    #[arg(long, value_name = "RULE", value_parser = rule)]
    allow: Vec<Rule>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

fn rule(name: &str) -> Result<Rule, String> {
    let found = Rule::ALL.into_iter().find(|(_, known)| *known == name);
    found.map(|(rule, _)| rule).ok_or_else(|| {
        let names = Rule::ALL.map(|(_, name)| name);
        format!("rules are {}", names.join(", "))
    })
}

/// One line of the output.
struct Finding {
    position: Option<Position>,
    /// The rule of a warning; none: the file is refused.
    rule: Option<Rule>,
    /// Empty for the file as a whole, and for attempts of the script.
    key: String,
    message: String,
    advice: Option<String>,
}

/// All there is to say about a file.
struct Linted {
    file: String,
    /// In the order of the file.
    findings: Vec<Finding>,
    /// How many warnings were left out because their rule is allowed.
    allowed: usize,
    played: bool,
}

/// What the whole comes to.
#[derive(Default)]
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
        for linted in linted {
            for finding in &linted.findings {
                match self.format {
                    Format::Text => text::finding(&linted.file, finding, out)?,
                    Format::Json => json::finding(&linted.file, finding, out)?,
                }
            }
        }
        match self.format {
            Format::Text => text::totals(totals, out),
            Format::Json => json::totals(totals, out),
        }
    }

    fn lint(&self, input: &Input, console: &mut Console<'_>) -> Linted {
        let file = input.argument();
        let mut linted = Linted { file, findings: Vec::new(), allowed: 0, played: true };
        let bytes = match input.read(console.stdin) {
            Ok(bytes) => bytes,
            Err(error) => {
                linted.findings.push(Finding::of_file(format!("cannot be read: {error}")));
                return linted;
            }
        };
        match parse_bytes(&linted.file, &bytes) {
            Err(error) => {
                let refused =
                    |located: &retrylab_scenario::Located| Finding::refused(&located.problem, Some(located.position));
                linted.findings = error.problems().iter().map(refused).collect();
                if error.has_more() {
                    linted.findings.push(Finding::of_file(format!("has more than these {MOST_PROBLEMS} problems")));
                }
            }
            Ok(parsed) => match parsed.file {
                File::Played(timeline) | File::External(timeline) => {
                    linted.look_at(&timeline, &parsed.locations, &self.allow);
                }
                File::WaitsFor { .. } | File::Outside { .. } => linted.played = false,
            },
        }
        linted
    }
}

impl From<BadFile> for Linted {
    fn from(bad: BadFile) -> Self {
        let (file, message) = match bad {
            BadFile::Unreadable { file, error } => (file, format!("cannot be read: {error}")),
            BadFile::NoFiles { folder } => (folder, "there is no .toml file below it".to_owned()),
            other => (String::new(), other.to_string()),
        };
        Self { file, findings: vec![Finding::of_file(message)], allowed: 0, played: true }
    }
}

impl Linted {
    fn look_at(&mut self, draft: &Draft, locations: &Locations, allow: &[Rule]) {
        let refused = refused(draft);
        self.findings.extend(refused.iter().map(|one| Finding::refused(one, locations.position(one.path()))));
        // Whoever plays the file, `run` or the tests of its owner, refuses it for these names.
        self.findings.extend(unreportable(draft).iter().map(|cannot| Finding::unreportable(cannot, locations)));
        if refused.is_empty() {
            let (allowed, warnings): (Vec<_>, Vec<_>) =
                lint(draft).into_iter().partition(|warning| allow.contains(&warning.rule));
            self.allowed = allowed.len();
            self.findings.extend(warnings.into_iter().map(|warning| {
                let (position, key) = match warning.place {
                    Place::Key(key) => (locations.position(&key), key),
                    Place::Entry(index) => (locations.entry(index), String::new()),
                };
                let (message, advice) = (warning.message, Some(warning.advice));
                Finding { position, rule: Some(warning.rule), key, message, advice }
            }));
        }
        self.findings.sort_by_key(|finding| finding.position);
    }
}

impl Finding {
    /// The file as a whole is refused.
    fn of_file(message: String) -> Self {
        Self { position: None, rule: None, key: String::new(), message, advice: None }
    }

    fn refused(problem: &Problem, position: Option<Position>) -> Self {
        Self {
            position,
            rule: None,
            key: problem.path().to_owned(),
            message: problem.message().to_owned(),
            advice: problem.advice().map(str::to_owned),
        }
    }
}

impl Finding {
    fn unreportable(cannot: &CannotReport, locations: &Locations) -> Self {
        let (key, text) = (cannot.key(), cannot.to_string());
        // The line begins with the key.
        let message = text.split_once(": ").map_or(&*text, |(_, message)| message).to_owned();
        Self { position: locations.position(&key), rule: None, key, message, advice: None }
    }
}

impl Totals {
    fn add(&mut self, linted: &Linted) {
        let warnings = linted.findings.iter().filter(|finding| finding.rule.is_some()).count();
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

/// Why nothing was linted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LintError {
    /// Standard input can be read once.
    #[error("`-` is given more than once, and standard input can be read only once")]
    StdinTwice,
    /// All files say themselves that they are not played.
    #[error("there is nothing to lint: of the files given ({files}), none has a [client]")]
    NothingPlayed {
        /// How many files there are.
        files: usize,
    },
}
