//! The seed of a run, and its source.

use std::ffi::OsStr;
use std::fmt;

use serde::{Serialize, Serializer};

/// The environment variable of the seed, which counts if neither the command line nor the file has one.
pub const VARIABLE: &str = "RETRYLAB_SEED";

/// A seed and its source, for the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seed {
    /// The seed.
    #[serde(rename = "seed")]
    pub value: u64,
    /// The source.
    #[serde(rename = "seed_from")]
    pub source: SeedSource,
}

/// The source of a seed, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeedSource {
    /// `--seed`.
    CommandLine,
    /// `seed` in the timeline file.
    File,
    /// The environment variable [`VARIABLE`]; an empty one counts as not set.
    Environment,
    /// The default, 0.
    Default,
}

impl Seed {
    /// The seed by order of precedence: `--seed`, else the file's, else the environment's, else 0.
    ///
    /// ```
    /// use retrylab_cli::seed::{Seed, SeedSource};
    ///
    /// let seed = Seed::choose(None, Some(7), Some("42".as_ref()))?;
    /// assert_eq!(seed, Seed { value: 7, source: SeedSource::File });
    /// # Ok::<(), retrylab_cli::seed::SeedError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the environment's value is used and is not a seed.
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

/// Parses a seed.
///
/// # Errors
///
/// If the text is not an integer from 0 to `u64::MAX`.
pub fn parse(text: &str) -> Result<u64, NoSeed> {
    text.parse().map_err(|_| NoSeed)
}

/// The form in headers: `7 (--seed)`.
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

impl Serialize for SeedSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl fmt::Display for SeedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An error: the text is not a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed is an integer from 0 to {}", u64::MAX)]
pub struct NoSeed;

/// An error in the environment variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} is `{given}`; {error}")]
pub struct SeedError {
    /// The value of the variable.
    pub given: String,
    /// The error in it.
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
