//! `retrylab conform`: the conformance vectors against the built-in rules.

use std::io::{self, Write};

use clap::Args;
use retrylab_laws::vectors::{Mismatch, SKIPPED_TAG, Tally, VectorError, Vectors, Verdict, check};

use crate::paste::CommandLine;
use crate::progress::Progress;
use crate::style::{ERROR, QUIET};
use crate::{Console, Exit, Format, Input, Refusal};

mod json;

/// The text form shows this many failures and counts the others.
const SHOWN: usize = 10;

/// Check the built-in rules against conformance vectors
///
/// A vector is one JSON object a line: a sequence of calls with the exact answers. Vectors with the tag `exponent-cap`
/// are skipped: they show an artefact of implementations that cap the exponent. Totals include what is skipped.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  retrylab conform crates/laws/tests/data/retry-vectors.jsonl.gz
  retrylab conform vectors.jsonl --filter 'clock zero'
  zcat vectors.jsonl.gz | retrylab conform -")]
pub(crate) struct Conform {
    /// JSON lines, plain or gzip; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Input,
    /// Only the vectors whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl Conform {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let input = &self.file;
        let mut progress = Progress::new(console.progress, input.size());
        let reader = input
            .open(console.stdin, &progress)
            .map_err(|error| ConformError::Unreadable { input: input.clone(), error })?;

        let mut passed_over = 0;
        let mut told = false;
        let mut tally = Tally::default();
        for vector in Vectors::read(reader) {
            let vector = vector.map_err(|error| ConformError::NoVector { input: input.clone(), error, told })?;
            progress.tick();
            if !vector.name.contains(&self.filter) {
                passed_over += 1;
                continue;
            }
            let verdict = check(&vector);
            tally.add(&vector, &verdict);
            told |= matches!((self.format, &verdict), (_, Verdict::Failed(_)) | (Format::Json, Verdict::Skipped));
            match (self.format, &verdict) {
                (_, Verdict::Passed) | (Format::Text, Verdict::Skipped) => {}
                (Format::Text, Verdict::Failed(mismatch)) if tally.failed <= SHOWN => {
                    self.show(mismatch, input, console.out)?;
                }
                (Format::Text, Verdict::Failed(_)) => {}
                (Format::Json, Verdict::Failed(mismatch)) => json::failed(mismatch, console.out)?,
                (Format::Json, Verdict::Skipped) => json::skipped(&vector, console.out)?,
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
        match self.format {
            Format::Text => {
                if tally.failed > SHOWN {
                    writeln!(console.out, "and {} more\n", tally.failed - SHOWN)?;
                }
                writeln!(console.out, "{tally}")?;
            }
            Format::Json => json::tally(&tally, console.out)?,
        }
        Ok(if tally.failed == 0 { Exit::Held } else { Exit::NotHeld })
    }

    /// A failure: what was got and expected, and last the command that replays it.
    fn show(&self, mismatch: &Mismatch, input: &Input, out: &mut dyn Write) -> io::Result<()> {
        let Mismatch { line, vector, step, difference } = mismatch;
        writeln!(out, "{ERROR}failed{ERROR:#}  {vector:?}")?;
        match step {
            Some(step) => writeln!(out, "        line {line}, step {step}: {difference}")?,
            None => writeln!(out, "        line {line}, at construction: {difference}")?,
        }
        writeln!(out, "        {QUIET}{}{QUIET:#}\n", replay(input, vector))
    }
}

/// The command line that checks this vector again.
fn replay(input: &Input, vector: &str) -> String {
    // No command line can hold a NUL; what stands before it still finds the vector.
    let filter = vector.split('\0').next().unwrap_or_default();
    CommandLine::new("conform").word(input.word()).option("--filter", filter).text()
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
    #[error("--filter is `{filter}`, which is in the name of none of the {vectors} vectors of {input}")]
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
}
