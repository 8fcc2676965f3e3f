//! Where in a file each key stands.

use core::ops::Range;
use std::collections::BTreeMap;

use crate::problem::parent;
use crate::source::Source;

/// Where the keys of a parsed file stand, by key path, so that what is said about a value can be shown with its line.
///
/// Paths are those of [`Problem::path`](crate::Problem::path). Instants of `expect.at` are written as
/// [`duration::print`](crate::duration::print) writes them, however the file does: `expect.at."5m".rung`.
///
/// ```
/// # fn main() -> Result<(), retrylab_scenario::ParseError> {
/// let text = "why = \"Busy.\"\nclient.kind = \"polling\"\ntimeline = [{ play = [{ status = 503 }] }]\n\
///             expect.attempts = 1\n";
/// let parsed = retrylab_scenario::parse("busy.toml", text)?;
/// assert_eq!(parsed.locations.line("expect.attempts"), Some(4));
/// assert_eq!(
///     parsed.locations.show("expect.attempts", "2 attempts, expected 1", ""),
///     "\
/// error: 2 attempts, expected 1
///  --> busy.toml:4:19
///   |
/// 4 | expect.attempts = 1
///   |                   ^",
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Locations {
    source: Source,
    places: Places,
    entries: Vec<Range<usize>>,
}

/// A point of a file, counted from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Locations {
    pub(crate) const fn new(source: Source, places: Places, entries: Vec<Range<usize>>) -> Self {
        Self { source, places, entries }
    }

    /// The name under which the file was parsed.
    #[must_use]
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The line of the key `path`, counted from 1, or of the nearest key above it that is in the file; none for a key
    /// of which nothing is in the file.
    #[must_use]
    pub fn line(&self, path: &str) -> Option<usize> {
        self.position(path).map(|position| position.line)
    }

    /// Where the value of `path` begins, or of the nearest key above it.
    #[must_use]
    pub fn position(&self, path: &str) -> Option<Position> {
        self.places.find(path).map(|span| self.source.position(span.start))
    }

    /// Where the entry of this number stands, as [`Scripted::index`](crate::Scripted::index) counts them.
    #[must_use]
    pub fn entry(&self, index: usize) -> Option<Position> {
        self.entries.get(index).map(|span| self.source.position(span.start))
    }

    /// A message with the lines of the file that it is about, and a label at the value (empty: none), as plain text
    /// of several lines without an end of line after the last. Without such a key in the file: the message alone.
    #[must_use]
    pub fn show(&self, path: &str, message: &str, label: &str) -> String {
        self.source.show(message, self.places.find(path), label)
    }
}

/// Spans of values by key path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    spans: BTreeMap<String, Range<usize>>,
}

impl Places {
    pub(crate) fn insert(&mut self, path: String, span: Range<usize>) {
        self.spans.insert(path, span);
    }

    /// Of the key itself.
    pub(crate) fn exact(&self, path: &str) -> Option<Range<usize>> {
        self.spans.get(path).cloned()
    }

    /// Of the key, or of the nearest above it.
    pub(crate) fn find(&self, path: &str) -> Option<Range<usize>> {
        core::iter::successors(Some(path), |path| parent(path)).find_map(|path| self.exact(path))
    }
}
