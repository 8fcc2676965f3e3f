//! `retrylab conform`: the conformance vectors against the built-in rules, or a subject in another process.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use retrylab_exec::Subject as Process;
use retrylab_laws::vectors::{Mismatch, SKIPPED_TAG, Tally, Vector, VectorError, Vectors, Verdict, check};

use crate::count::{self, counted};
use crate::exec::Exec;
use crate::paste::CommandLine;
use crate::progress::Progress;
use crate::seed;
use crate::setting::Setting;
use crate::style::{ERROR, QUIET};
use crate::subject::Subject;
use crate::{Console, Exit, Format, Input, Refusal};

mod ask;
mod json;
mod record;

use record::Recording;

/// The text form shows this many failures and counts the others.
const SHOWN: usize = 10;

/// Check the rules, in any language, against conformance vectors, or write vectors
///
/// The built-in rules are checked, or with --exec a policy in another process; with --write, vectors are made. A vector is
/// one JSON object a line: a sequence of calls with the exact answers. Vectors with the tag `exponent-cap`
/// are skipped: they show an artefact of implementations that cap the exponent. Totals include what is skipped.
#[derive(Args, Debug)]
#[command(override_usage = "retrylab conform [OPTIONS] <FILE>\n       retrylab conform --write <POLICY> [OPTIONS]")]
#[command(after_help = "\
Examples:
  retrylab conform crates/laws/tests/data/retry-vectors.jsonl.gz
  retrylab conform vectors.jsonl --filter 'clock zero'
  zcat vectors.jsonl.gz | retrylab conform -
  retrylab conform --exec 'python3 crates/exec/examples/subject.py' vectors.jsonl
  retrylab conform --write streaming --seed 7 --count 1000 --out vectors.jsonl

With --write, the seed is that of --seed, else the file's, else that of the environment variable RETRYLAB_SEED, else 0.")]
pub(crate) struct Conform {
    /// JSON lines, plain or gzip; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "write")]
    file: Option<Input>,
    /// Only the vectors whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    exec: Exec,
    /// Instead of checking: write vectors of this policy, streaming, polling, or a timeline file whose client is one
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["file", "filter", "format", "exec"])]
    write: Option<Subject>,
    /// With --write: the seed of the histories
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    #[arg(requires = "write", conflicts_with = "file")]
    seed: Option<u64>,
    /// With --write: how many vectors, from 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count::parse::<1_000_000>)]
    #[arg(allow_negative_numbers = true, requires = "write", conflicts_with = "file")]
    count: u32,
    /// With --write: the file to write, whole or not at all, instead of standard output; a device or a pipe is written into
    #[arg(long, value_name = "FILE", requires = "write", conflicts_with = "file")]
    out: Option<PathBuf>,
    /// With --write: set an option of the client: initial_reconnect_delay, poll_interval (a duration, or a number of
    /// seconds)
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "write", conflicts_with = "file")]
    settings: Vec<Setting>,
}

impl Conform {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        match (&self.write, &self.file) {
            (Some(policy), _) => Recording {
                policy,
                settings: &self.settings,
                seed: self.seed,
                count: self.count,
                out: self.out.as_deref(),
            }
            .run(console),
            (None, Some(input)) => self.check(input, console),
            // Clap does not let this happen.
            (None, None) => Err(ConformError::NoFile.into()),
        }
    }

    fn check(&self, input: &Input, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let mut progress = Progress::new(console.progress, input.size());
        let reader = input
            .open(console.stdin, &progress)
            .map_err(|error| ConformError::Unreadable { input: input.clone(), error })?;
        let process = self.exec.start()?;

        let mut passed_over = 0;
        let mut told = false;
        let mut stopped = false;
        let mut tally = Tally::default();
        for vector in Vectors::read(reader) {
            let vector = vector.map_err(|error| ConformError::NoVector { input: input.clone(), error, told })?;
            progress.tick();
            if !vector.name.contains(&self.filter) {
                passed_over += 1;
                continue;
            }
            let (verdict, text) = self.judge(process.as_ref(), &vector)?;
            tally.add(&vector, &verdict);
            match (self.format, &verdict) {
                (_, Verdict::Passed) | (Format::Text, Verdict::Skipped) => {}
                (Format::Text, Verdict::Failed(mismatch)) => {
                    told = true;
                    if tally.failed <= SHOWN {
                        self.show(mismatch, &text, input, console.out)?;
                    }
                }
                (Format::Json, Verdict::Failed(mismatch)) => {
                    told = true;
                    json::failed(mismatch, text, console.out)?;
                }
                (Format::Json, Verdict::Skipped) => {
                    told = true;
                    json::skipped(&vector, console.out)?;
                }
            }
            stopped = process.as_ref().is_some_and(|process| process.fault().is_some());
            if stopped {
                break;
            }
        }
        drop(progress);

        if tally.vectors == 0 {
            return Err(Refusal::from(match passed_over {
                0 => ConformError::Empty { input: input.clone() },
                vectors => ConformError::NoMatch { input: input.clone(), filter: self.filter.clone(), vectors },
            }));
        }
        if tally.skipped == tally.vectors {
            return Err(Refusal::from(ConformError::AllSkipped { input: input.clone(), vectors: tally.vectors }));
        }
        Refusal::unless_unread(match self.format {
            Format::Text => end(&tally, stopped, console.out),
            Format::Json => json::tally(&tally, stopped, console.out),
        })?;
        Ok(if tally.failed == 0 { Exit::Held } else { Exit::NotHeld })
    }

    /// What came of a vector, and what was wrong in words.
    fn judge(&self, process: Option<&Process>, vector: &Vector) -> Result<(Verdict, String), Refusal> {
        let (verdict, fault) = match process {
            None => (check(vector), None),
            Some(process) => {
                let asked = ask::ask(process, vector);
                if asked.draws_own {
                    return Err(ConformError::OwnDraws.into());
                }
                (asked.verdict, asked.fault)
            }
        };
        let text = match (&verdict, fault) {
            (Verdict::Failed(_), Some(fault)) => fault.to_string(),
            (Verdict::Failed(mismatch), None) => mismatch.difference.to_string(),
            (Verdict::Passed | Verdict::Skipped, _) => String::new(),
        };
        Ok((verdict, text))
    }

    /// A failure: what was got and expected, and last the command that replays it.
    fn show(&self, mismatch: &Mismatch, text: &str, input: &Input, out: &mut dyn Write) -> io::Result<()> {
        let Mismatch { line, vector, step, .. } = mismatch;
        writeln!(out, "{ERROR}failed{ERROR:#}  {vector:?}")?;
        match step {
            Some(step) => writeln!(out, "        line {line}, step {step}: {text}")?,
            None => writeln!(out, "        line {line}, at construction: {text}")?,
        }
        writeln!(out, "        {QUIET}{}{QUIET:#}\n", self.replay(input, vector))
    }

    /// The command line that checks this vector again.
    fn replay(&self, input: &Input, vector: &str) -> String {
        // No command line can hold a NUL; what stands before it still finds the vector.
        let filter = vector.split('\0').next().unwrap_or_default();
        let command =
            self.exec.words().fold(CommandLine::new("conform"), |line, (name, value)| line.option(name, value));
        command.word(input.word()).option("--filter", filter).text()
    }
}

/// What the whole comes to.
fn end(tally: &Tally, stopped: bool, out: &mut dyn Write) -> io::Result<()> {
    if tally.failed > SHOWN {
        writeln!(out, "and {} more\n", tally.failed - SHOWN)?;
    }
    writeln!(out, "{tally}")?;
    if stopped {
        writeln!(out, "the subject broke off: no vector after that one was played")?;
    }
    Ok(())
}

/// Why nothing can be said about an input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConformError {
    /// The file is not there, or cannot be opened or unpacked.
    #[error("cannot read {input}: {error}")]
    Unreadable {
        /// Which input.
        input: Input,
        /// What the system says.
        error: io::Error,
    },
    /// A line is no vector.
    #[error("{input}, {error}{}", if *.told { "; what was printed is about the lines before it alone" } else { "" })]
    NoVector {
        /// Which input.
        input: Input,
        /// Which line, and what is wrong with it.
        error: VectorError,
        /// Whether something was printed about the lines before it.
        told: bool,
    },
    /// There is nothing in it.
    #[error("{input} holds no vector")]
    Empty {
        /// Which input.
        input: Input,
    },
    /// The filter leaves nothing.
    #[error("--filter is `{filter}`; of {} of {input}, none has that in its name", counted(*vectors, "vector"))]
    NoMatch {
        /// Which input.
        input: Input,
        /// What was asked for.
        filter: String,
        /// How many vectors there are.
        vectors: usize,
    },
    /// Nothing was played.
    #[error(
        "nothing was checked: of {input}, every chosen vector ({vectors}) has the tag {SKIPPED_TAG}, which is skipped"
    )]
    AllSkipped {
        /// Which input.
        input: Input,
        /// How many were chosen.
        vectors: usize,
    },
    /// Neither a file nor `--write`.
    #[error("name a file of vectors, or a policy with --write")]
    NoFile,
    /// The subject draws its own jitter.
    #[error(
        "--exec: the subject draws its own jitter (\"draws\":\"own\"), and vectors hold the exact waits for given draws; \
         nothing was checked"
    )]
    OwnDraws,
    /// No constructor of a vector builds this policy.
    #[error("--write is `{policy}`, and vectors are of streaming and polling policies alone")]
    NotOfVectors {
        /// As it was given.
        policy: String,
    },
    /// Draws are what vectors bring.
    #[error("jitter is none, and a vector brings its own draws; leave it as it is")]
    JitterNone,
    /// The file cannot be written; what was there before is still there.
    #[error("cannot write `{path}`: {error}")]
    Unwritable {
        /// Which file.
        path: String,
        /// What the system says.
        error: String,
    },
}
