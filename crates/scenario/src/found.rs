//! Problems of a file as they are found, and no more of them than anybody reads.

use core::ops::Range;

use crate::problem::Problem;

/// How many problems of a file are told apart. A file with more of them is broken as a whole, and to work on all of
/// them would take as long as its maker likes.
pub const MOST_PROBLEMS: usize = 1000;

/// The first [`MOST_PROBLEMS`] problems with the bytes that they are about.
#[derive(Debug, Default)]
pub(crate) struct Found {
    problems: Vec<(Range<usize>, Problem)>,
    cut: bool,
}

impl Found {
    /// Whether nothing is wrong.
    pub(crate) const fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Whether further problems are not kept.
    pub(crate) const fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// Adds a problem, unless it is there already.
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

    /// The problems, and whether there were more.
    pub(crate) fn into_parts(self) -> (Vec<(Range<usize>, Problem)>, bool) {
        (self.problems, self.cut)
    }
}

impl From<(Range<usize>, Problem)> for Found {
    fn from(only: (Range<usize>, Problem)) -> Self {
        Self { problems: vec![only], cut: false }
    }
}
