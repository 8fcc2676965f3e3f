//! The errors of a file, shown with its lines.

use core::fmt;
use core::ops::Range;

use crate::found::Found;
use crate::locations::{Places, Position};
use crate::problem::Problem;
use crate::source::Source;

/// A file with errors, all of them in the order of its lines, up to [`MOST_PROBLEMS`](crate::MOST_PROBLEMS).
///
/// `Display` gives plain text: each error with its line, and a caret at the value. Errors beyond the first [`SHOWN`]
/// are only counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    source: Source,
    problems: Vec<Located>,
    cut: bool,
}

/// The number of errors that are shown.
pub const SHOWN: usize = 20;

/// An error, and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The error.
    pub problem: Problem,
    /// The place of the value.
    pub position: Position,
    span: Range<usize>,
    others: Vec<(Range<usize>, String)>,
}

impl ParseError {
    /// `found` are errors with their spans.
    pub(crate) fn new(source: Source, places: &Places, found: Found) -> Self {
        let (found, cut) = found.into_parts();
        let mut problems: Vec<Located> = found
            .into_iter()
            .map(|(span, problem)| {
                let others = problem
                    .related()
                    .iter()
                    .filter(|related| !related.label.is_empty())
                    .filter_map(|related| Some((places.exact(&related.path)?, related.label.clone())))
                    .collect();
                Located { position: source.position(span.start), span, others, problem }
            })
            .collect();
        problems.sort_by_key(|located| (located.span.start, located.span.end));
        Self { source, problems, cut }
    }

    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The errors in the order of the lines; at least one, and the first [`MOST_PROBLEMS`](crate::MOST_PROBLEMS) found.
    #[must_use]
    pub fn problems(&self) -> &[Located] {
        &self.problems
    }

    /// Whether there are more errors than [`problems`](Self::problems).
    #[must_use]
    pub const fn has_more(&self) -> bool {
        self.cut
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, located) in self.problems.iter().take(SHOWN).enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            let problem = &located.problem;
            let title = match problem.path() {
                "" => problem.message().to_owned(),
                path => format!("{path}: {}", problem.message()),
            };
            let others: Vec<_> = located.others.iter().map(|(span, label)| (span.clone(), &**label)).collect();
            f.write_str(&self.source.report(&title, Some(located.span.clone()), "", &others, problem.advice()))?;
        }
        match self.problems.len().checked_sub(SHOWN) {
            None | Some(0) => Ok(()),
            Some(more) if self.cut => write!(f, "\n\nand more than {more} more in {}", self.name()),
            Some(more) => write!(f, "\n\nand {more} more in {}", self.name()),
        }
    }
}

impl core::error::Error for ParseError {}
