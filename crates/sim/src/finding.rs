//! What a run violates: one kind of finding for expectations and for laws.

use core::fmt;
use core::time::Duration;
use std::borrow::Cow;

use retrylab_spec::duration;

use crate::record::Record;

/// A violation of an expectation or of a law, and its place in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The violated requirement.
    pub requirement: Requirement,
    /// What it requires.
    pub expected: String,
    /// What the run has instead.
    pub got: String,
    /// The number of the record that shows it; `None` if no record does, because the whole run lacks something.
    pub record: Option<u64>,
    /// The attempt, counted from 1; 0 before the first.
    pub attempt: u64,
    /// True time.
    pub at: Duration,
}

/// What a run has to comply with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// An expectation of the file, or of every run.
    Expectation {
        /// The key in the file, for example `expect.delays[2]`, where the index counts the written values.
        key: String,
        /// The value of a list, counted from 1 with repeats written out.
        value: Option<u64>,
    },
    /// A law.
    Law {
        /// Its name.
        name: &'static str,
        /// Its index in the file's `expect.laws`, if a file expects it.
        nth: Option<usize>,
    },
}

impl Requirement {
    /// An expectation by its key.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        Self::Expectation { key: key.to_owned(), value: None }
    }

    /// The key in the file; of a law that no file expects, its name.
    #[must_use]
    pub fn key(&self) -> Cow<'_, str> {
        match self {
            Self::Expectation { key, .. } => key.into(),
            Self::Law { nth: Some(nth), .. } => format!("expect.laws[{nth}]").into(),
            Self::Law { name, nth: None } => (*name).into(),
        }
    }
}

impl Finding {
    /// A violation that this record shows.
    #[must_use]
    pub fn at(record: &Record, requirement: Requirement, expected: String, got: String) -> Self {
        let (number, attempt, at) = (record.number, record.attempt, Duration::from_nanos(record.time_ns));
        Self { requirement, expected, got, record: Some(number), attempt, at }
    }

    /// What it requires, with the name of a law that a file expects.
    #[must_use]
    pub fn required(&self) -> Cow<'_, str> {
        match self.requirement {
            Requirement::Law { name, nth: Some(_) } => format!("{} ({name})", self.expected).into(),
            _ => (&self.expected).into(),
        }
    }

    /// Its place among others: in the order of the records, those of the whole run last.
    #[must_use]
    pub const fn order(&self) -> (bool, Option<u64>) {
        (self.record.is_none(), self.record)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.requirement.key())?;
        if let Requirement::Expectation { value: Some(value), .. } = self.requirement {
            write!(f, ", value {value}")?;
        }
        write!(f, ": expected {}, got {}", self.required(), self.got)?;
        if self.record.is_none() && self.attempt == 0 {
            return Ok(());
        }
        write!(f, " (attempt {}, at {})", self.attempt, duration::Text(self.at))
    }
}
