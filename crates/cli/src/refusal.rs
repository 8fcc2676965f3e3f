//! Why a verb ends without having decided anything.

use std::io;

use crate::seed::SeedError;
use crate::setting::SettingError;

/// Wrong usage or an input that cannot be used: status 2. What is printed after `error: `.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The disk behind the output is full, for example. A reader that went away is no error.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// No seed.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// A `--set` that the client does not understand.
    #[error(transparent)]
    Setting(#[from] SettingError),
}
