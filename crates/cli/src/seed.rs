//! The seed of a run, and who chose it.

use std::ffi::OsStr;
use std::fmt;

/// The environment variable that chooses the seed where neither the command line nor the file does.
pub const VARIABLE: &str = "RETRYLAB_SEED";

/// A seed and where it came from, so that the header can say both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The seed.
    pub value: u64,
    /// Who chose it.
    pub source: SeedSource,
}

/// Who chose a seed, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeedSource {
    /// `--seed`.
    CommandLine,
    /// `seed` in the timeline file.
    File,
    /// The environment variable [`VARIABLE`]; empty, it counts as not set.
    Environment,
    /// Nobody: it is 0.
    Default,
}

impl Seed {
    /// The seed by order of precedence: `--seed`, else the file's, else the environment's, else 0.
    ///
    /// ```
    /// use retrylab::seed::{Seed, SeedSource};
    ///
    /// let seed = Seed::choose(None, Some(7), Some("42".as_ref()))?;
    /// assert_eq!(seed, Seed { value: 7, source: SeedSource::File });
    /// # Ok::<(), retrylab::seed::SeedError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the environment is asked and its value is no seed.
    pub fn choose(
        command_line: Option<u64>,
        file: Option<u64>,
        environment: Option<&OsStr>,
    ) -> Result<Self, SeedError> {
        if let Some(value) = command_line {
            return Ok(Self { value, source: SeedSource::CommandLine });
        }
        if let Some(value) = file {
            return Ok(Self { value, source: SeedSource::File });
        }
        let Some(text) = environment.filter(|text| !text.is_empty()) else {
            return Ok(Self { value: 0, source: SeedSource::Default });
        };
        let given = text.to_string_lossy();
        let value = parse(&given).map_err(|error| SeedError { given: given.into_owned(), error })?;
        Ok(Self { value, source: SeedSource::Environment })
    }
}

/// Reads a seed.
///
/// # Errors
///
/// If the text is no whole number from 0 to `u64::MAX`.
pub fn parse(text: &str) -> Result<u64, NoSeed> {
    text.parse().map_err(|_| NoSeed)
}

/// As a header shows it: `7 (--seed)`.
impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.value, self.source)
    }
}

impl SeedSource {
    /// The name that headers and JSON use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CommandLine => "--seed",
            Self::File => "file",
            Self::Environment => VARIABLE,
            Self::Default => "default",
        }
    }
}

impl fmt::Display for SeedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed is a whole number from 0 to {}", u64::MAX)]
pub struct NoSeed;

/// The environment's value is no seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} is `{given}`; {error}")]
pub struct SeedError {
    /// What the variable holds.
    pub given: String,
    /// What is wrong with it.
    #[source]
    pub error: NoSeed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins_over_the_file_and_the_file_over_the_environment() {
        let environment = Some(OsStr::new("3"));
        let chosen = |command_line, file, environment| {
            Seed::choose(command_line, file, environment).map(|seed| (seed.value, seed.source))
        };
        assert_eq!(chosen(Some(1), Some(2), environment), Ok((1, SeedSource::CommandLine)));
        assert_eq!(chosen(None, Some(2), environment), Ok((2, SeedSource::File)));
        assert_eq!(chosen(None, None, environment), Ok((3, SeedSource::Environment)));
        assert_eq!(chosen(None, None, None), Ok((0, SeedSource::Default)));
    }

    #[test]
    fn an_empty_variable_is_none() {
        let chosen = Seed::choose(None, None, Some(OsStr::new(""))).map(|seed| (seed.value, seed.source));
        assert_eq!(chosen, Ok((0, SeedSource::Default)));
        assert!(Seed::choose(None, None, Some(OsStr::new(" "))).is_err());
    }

    #[test]
    fn a_bad_variable_is_refused_only_where_it_would_be_used() {
        let environment = Some(OsStr::new("seven"));
        assert_eq!(Seed::choose(None, None, environment), Err(SeedError { given: "seven".to_owned(), error: NoSeed }));
        assert_eq!(Seed::choose(None, Some(2), environment).map(|seed| seed.value), Ok(2));
    }
}
