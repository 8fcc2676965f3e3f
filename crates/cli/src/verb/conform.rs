//! `retrylab conform`: the conformance vectors against the built-in rules, or a subject in another process.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use retrylab_conform::{Mismatch, SKIPPED_TAG, Tally, Vector, VectorError, VectorVerdict, Vectors, check};
use retrylab_exec::Subject as Process;

use crate::count::{self, counted};
use crate::exec::Exec;
use crate::options::Output;
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

/// The maximum number of failures in text output; the others are counted.
const SHOWN: usize = 10;

/// Check the rules, in any language, against conformance vectors, or write vectors
///
/// The subject is the built-in rules, or with --exec a policy in another process; --write generates vectors. A vector
/// is one JSON object on a line: a sequence of calls with the exact results. Vectors with the tag `exponent-cap` are
/// skipped, because they show an artefact of implementations that cap the exponent. Totals include skipped vectors.
#[derive(Args, Debug)]
#[command(override_usage = "retrylab conform [OPTIONS] <FILE>\n       retrylab conform --write <POLICY> [OPTIONS]")]
#[command(after_help = "\
Examples:
  retrylab conform crates/conform/tests/data/retry-vectors.jsonl.gz
  retrylab conform vectors.jsonl --filter 'clock zero'
  zcat vectors.jsonl.gz | retrylab conform -
  retrylab conform --exec 'python3 crates/exec/examples/subject.py' vectors.jsonl
  retrylab conform --write streaming --seed 7 --count 1000 --out vectors.jsonl

With --write, the seed is that of --seed, else the file's, else that of the environment variable RETRYLAB_SEED, else 0.")]
pub(crate) struct Conform {
    /// A file of JSON lines, plain or gzip; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "write")]
    file: Option<Input>,
    /// Only vectors whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    exec: Exec,
    /// Instead of checking: write vectors of this policy, which is streaming, polling, or a timeline file with such a
    /// client
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["file", "filter", "format", "exec"])]
    write: Option<Subject>,
    /// With --write: the seed of the histories
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    #[arg(requires = "write", conflicts_with = "file")]
    seed: Option<u64>,
    /// With --write: the number of vectors, from 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count::parse::<1_000_000>)]
    #[arg(allow_negative_numbers = true, requires = "write", conflicts_with = "file")]
    count: u32,
    /// With --write: the file to write, completely or not at all, instead of standard output; devices and pipes are
    /// written in place
    #[arg(long, value_name = "FILE", requires = "write", conflicts_with = "file")]
    out: Option<PathBuf>,
    /// With --write: set a key of the client as a file has it, such as poll_interval=45s or normal.ceiling=1m
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
            // Clap prevents this.
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
        let mut reported = false;
        let mut stopped = false;
        let mut tally = Tally::default();
        for vector in Vectors::read(reader) {
            let vector = vector.map_err(|error| ConformError::NoVector { input: input.clone(), error, reported })?;
            progress.tick();
            if !vector.name.contains(&self.filter) {
                passed_over += 1;
                continue;
            }
            let (verdict, text) = self.judge(process.as_ref(), &vector)?;
            tally.add(&vector, &verdict);
            match (self.output.format, &verdict) {
                (_, VectorVerdict::Passed) | (Format::Text, VectorVerdict::Skipped) => {}
                (Format::Text, VectorVerdict::Failed(mismatch)) => {
                    reported = true;
                    if tally.failed <= SHOWN {
                        self.show(mismatch, &text, input, console.out)?;
                    }
                }
                (Format::Json, VectorVerdict::Failed(mismatch)) => {
                    reported = true;
                    json::failed(mismatch, text, console.out)?;
                }
                (Format::Json, VectorVerdict::Skipped) => {
                    reported = true;
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
        Refusal::unless_unread(match self.output.format {
            Format::Text => end(&tally, stopped, console.out),
            Format::Json => json::tally(&tally, stopped, console.out),
        })?;
        Ok(if tally.failed == 0 { Exit::Held } else { Exit::NotHeld })
    }

    /// The verdict of a vector, with its text.
    fn judge(&self, process: Option<&Process>, vector: &Vector) -> Result<(VectorVerdict, String), Refusal> {
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
            (VectorVerdict::Failed(_), Some(fault)) => fault.to_string(),
            (VectorVerdict::Failed(mismatch), None) => mismatch.difference.to_string(),
            (VectorVerdict::Passed | VectorVerdict::Skipped, _) => String::new(),
        };
        Ok((verdict, text))
    }

    /// Prints a failure: the result, the expected one, and the command that replays it.
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
        // A command line cannot contain a NUL; the text before it still finds the vector.
        let filter = vector.split('\0').next().unwrap_or_default();
        let command = CommandLine::new("conform").options(self.exec.words());
        command.word(input.word()).option("--filter", filter).text()
    }
}

/// The totals.
fn end(tally: &Tally, stopped: bool, out: &mut dyn Write) -> io::Result<()> {
    if tally.failed > SHOWN {
        writeln!(out, "and {} more\n", tally.failed - SHOWN)?;
    }
    writeln!(out, "{tally}")?;
    if stopped {
        writeln!(out, "the subject failed; the vectors after this one were not played")?;
    }
    Ok(())
}

/// The reason why an input could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConformError {
    /// The file cannot be read or unpacked.
    #[error("cannot read {input}: {error}")]
    Unreadable {
        /// The input.
        input: Input,
        /// The system's error.
        error: io::Error,
    },
    /// A line is not a vector.
    #[error("{input}, {error}{}", if *.reported { "; the output is about the lines before it" } else { "" })]
    NoVector {
        /// The input.
        input: Input,
        /// The line, and the error in it.
        error: VectorError,
        /// Whether lines before it were reported.
        reported: bool,
    },
    /// The input is empty.
    #[error("{input} contains no vectors")]
    Empty {
        /// The input.
        input: Input,
    },
    /// No vector matches the filter.
    #[error("--filter is `{filter}`; none of {} in {input} has it in its name", counted(*vectors, "vector"))]
    NoMatch {
        /// The input.
        input: Input,
        /// The filter.
        filter: String,
        /// The number of vectors.
        vectors: usize,
    },
    /// Every vector was skipped.
    #[error(
        "nothing was checked: all selected vectors of {input} ({vectors}) have the tag {SKIPPED_TAG} and are skipped"
    )]
    AllSkipped {
        /// The input.
        input: Input,
        /// The number of selected vectors.
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
    /// No vector can build this policy.
    #[error("--write is `{policy}`; vectors are for streaming and polling policies")]
    NotOfVectors {
        /// The policy as given.
        policy: String,
    },
    /// Vectors bring their own draws.
    #[error("jitter is none, but vectors bring their own draws; remove this option")]
    JitterNone,
    /// The file cannot be written; the old one is still there.
    #[error("cannot write `{path}`: {error}")]
    Unwritable {
        /// The file.
        path: String,
        /// The system's error.
        error: String,
    },
}
