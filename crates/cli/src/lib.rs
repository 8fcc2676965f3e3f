//! The command `retrylab`: parses its arguments, calls the libraries, prints the results.
//!
//! Reading map:
//!
//! * [`main()`] is the whole program; [`run`] is the same on streams that the caller owns.
//! * [`Exit`]: the exit status. [`Refusal`]: an error that ends a verb without a result.
//! * [`Console`]: the streams and the environment, as an argument.
//! * [`subject`]: a policy on the command line. [`exec`]: one in another process. [`setting`]: `--set KEY=VALUE`.
//!   [`seed`]: a seed and its source. `count`: a count. `options`: what several verbs have.
//! * `found`: input files. `placed`: an output file. `json`: every line of JSON.
//! * `verb`: one module per verb.
#![forbid(unsafe_code)]

mod console;
mod count;
mod defect;
pub mod exec;
mod exit;
mod format;
mod found;
mod input;
mod interrupt;
mod json;
mod options;
mod paste;
mod placed;
mod progress;
mod refusal;
mod remote;
mod rounded;
pub mod seed;
pub mod setting;
mod shown;
mod style;
pub mod subject;
mod table;
mod verb;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use console::Console;
pub use defect::{Defect, guard};
pub use exit::Exit;
pub use format::Format;
pub use input::Input;
pub use refusal::Refusal;
pub use subject::{Subject, SubjectError};
pub use verb::check::CheckError;
pub use verb::conform::ConformError;
pub use verb::corpus::CorpusError;
pub use verb::diff::DiffError;
pub use verb::lint::LintError;
pub use verb::probe::ProbeError;
pub use verb::run::{BadFile, RunError};
pub use verb::source::WatchError;

use console::Process;

/// The program: the arguments, streams and environment of this process.
#[must_use]
pub fn main() -> ExitCode {
    let mut process = Process::new();
    let exit = guard(|| run(std::env::args_os(), &mut process.console()));
    let exit = exit.unwrap_or_else(|defect| {
        let console = process.console();
        // If even the message cannot be written, the status still reports the defect.
        let _ = console.out.flush().and_then(|()| writeln!(console.err, "{defect}"));
        Exit::Defect
    });
    exit.into()
}

/// Runs the command of these `arguments`; the first of them is the program's name.
///
/// ```
/// use std::io::empty;
/// use retrylab_cli::{Console, Exit, run};
///
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let mut stdin = empty();
/// let mut console = Console::new(&mut stdin, &mut out, &mut err);
/// let exit = run(["retrylab", "classify", "--format", "json", "401"], &mut console);
/// assert_eq!(exit, Exit::Held);
/// assert_eq!(out, b"{\"status\":401,\"kind\":\"unexpected\"}\n");
/// ```
pub fn run<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>, console: &mut Console<'_>) -> Exit {
    let ended = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.verb.run(console),
        Err(error) => explain(&error, console),
    };
    let ended = ended.and_then(|exit| Refusal::unless_unread(console.out.flush()).map(|()| exit));
    ended.unwrap_or_else(|refusal| {
        if refusal.is_unread() {
            return Exit::Unread;
        }
        // As above: the status reports it.
        let _ = refusal.print(console.err);
        Exit::Refused
    })
}

/// A flight simulator for retry policies
#[derive(Debug, Parser)]
#[command(name = "retrylab", version, styles = style::HELP, max_term_width = 100)]
#[command(subcommand_value_name = "VERB", subcommand_help_heading = "Verbs")]
#[command(after_help = "\
Exit status: 0 everything held, 1 something did not hold, 2 wrong usage or invalid input, 3 the same run gave two \
different traces, 70 a bug in retrylab. Closing the output early, as in `retrylab run | head -1`, is no error: the \
status is that of the results so far, or 141 if there are none.")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(verb::run::Run),
    Ladder(verb::ladder::Ladder),
    Diff(verb::diff::Diff),
    Check(verb::check::Check),
    Lint(verb::lint::Lint),
    Conform(verb::conform::Conform),
    Corpus(verb::corpus::Corpus),
    Classify(verb::classify::Classify),
    Probe(verb::probe::Probe),
    Source(verb::source::Source),
}

impl Verb {
    fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        match self {
            Self::Run(verb) => verb.run(console),
            Self::Ladder(verb) => verb.run(console),
            Self::Diff(verb) => verb.run(console),
            Self::Check(verb) => verb.run(console),
            Self::Lint(verb) => verb.run(console),
            Self::Conform(verb) => verb.run(console),
            Self::Corpus(verb) => verb.run(console),
            Self::Classify(verb) => verb.run(console),
            Self::Probe(verb) => verb.run(console),
            Self::Source(verb) => verb.run(console),
        }
    }
}

/// Prints clap's output in place of parsed arguments: help, version, or a usage error.
fn explain(error: &clap::Error, console: &mut Console<'_>) -> Result<Exit, Refusal> {
    let (out, exit) =
        if error.use_stderr() { (&mut console.err, Exit::Refused) } else { (&mut console.out, Exit::Held) };
    Refusal::unless_unread(write!(out, "{}", error.render().ansi()))?;
    Ok(exit)
}
