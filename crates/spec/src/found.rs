//! Errors of a file as they are found, up to a maximum.

use core::ops::Range;

use crate::problem::Problem;

/// The maximum number of errors that are kept. A file with more of them is useless, and collecting all could take any
/// time.
pub const MOST_PROBLEMS: usize = 1000;

/// The first [`MOST_PROBLEMS`] errors with their spans.
#[derive(Debug, Default)]
pub(crate) struct Found {
    problems: Vec<(Range<usize>, Problem)>,
    cut: bool,
}

impl Found {
    /// Whether there is no error.
    pub(crate) const fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Whether further errors are dropped.
    pub(crate) const fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// Adds an error, unless it is a duplicate.
    pub(crate) fn add(&mut self, span: Range<usize>, problem: Problem) {
        if self.is_full() {
            self.cut = true;
            return;
        }
        let found = (span, problem);
        if !self.problems.contains(&found) {
            self.problems.push(found);
        }
    }

    /// The errors, and whether there were more.
    pub(crate) fn into_parts(self) -> (Vec<(Range<usize>, Problem)>, bool) {
        (self.problems, self.cut)
    }
}

impl From<(Range<usize>, Problem)> for Found {
    fn from(only: (Range<usize>, Problem)) -> Self {
        Self { problems: vec![only], cut: false }
    }
}
