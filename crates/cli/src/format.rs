//! Output for people or for programs.

use clap::ValueEnum;

/// The output format of a verb.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned text for people
    #[default]
    Text,
    /// JSON lines for programs, with durations in integer nanoseconds
    Json,
}
