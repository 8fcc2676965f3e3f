//! For people or for machines.

use clap::ValueEnum;

/// How a verb prints what it found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned text for people.
    #[default]
    Text,
    /// JSON lines for machines, durations in whole nanoseconds.
    Json,
}
