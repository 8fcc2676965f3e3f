//! Options that several verbs have.

use std::time::Duration;

use clap::Args;
use retrylab_spec::duration;

use crate::paste::CommandLine;
use crate::seed::{self, Seed, SeedError};
use crate::setting::Setting;
use crate::{Console, Format};

/// `--format`.
#[derive(Args, Debug)]
pub(crate) struct Output {
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

/// `--seed`.
#[derive(Args, Debug)]
pub(crate) struct SeedOption {
    /// The seed; without it that of the file, else that of RETRYLAB_SEED, else 0
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    seed: Option<u64>,
}

impl SeedOption {
    /// The seed by order of precedence, where the file has this one.
    pub(crate) fn choose(&self, file: Option<u64>, console: &Console<'_>) -> Result<Seed, SeedError> {
        Seed::choose(self.seed, file, console.seed_variable.as_deref())
    }
}

/// `--set`.
#[derive(Args, Debug)]
pub(crate) struct Settings {
    /// Set a key of the client as a file has it, such as initial_reconnect_delay=5s, normal.ceiling=1m or attempts=6;
    /// may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<Setting>,
}

impl Settings {
    /// Adds them to a command line.
    pub(crate) fn on(&self, line: CommandLine) -> CommandLine {
        line.options(self.settings.iter().map(|setting| ("--set", setting.to_string())))
    }
}

/// Parses a duration, such as `90s`.
///
/// # Errors
///
/// If the text is not a duration; the message has an example.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    duration::parse(text).map_err(|error| format!("{error}; {}", error.help()))
}
