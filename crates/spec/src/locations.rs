//! The places of the keys in a file.

use core::ops::Range;
use std::collections::BTreeMap;

use crate::problem::parent;
use crate::source::Source;

/// The places of the keys of a parsed file, by key path, to show a message with its line.
///
/// Paths are those of [`Problem::path`](crate::Problem::path). Instants of `expect.at` are in the form of
/// [`duration::print`](crate::duration::print), however the file writes them: `expect.at."5m".rung`.
///
/// ```
/// # fn main() -> Result<(), retrylab_spec::ParseError> {
/// let text = "why = \"Busy.\"\nclient.kind = \"polling\"\ntimeline = [{ play = [{ status = 503 }] }]\n\
///             expect.attempts = 1\n";
/// let parsed = retrylab_spec::parse("busy.toml", text)?;
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

/// A place in a file, counted from 1, in characters.
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

    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The line of the key `path`, counted from 1, or of the nearest key above it in the file; none if neither is in
    /// the file.
    #[must_use]
    pub fn line(&self, path: &str) -> Option<usize> {
        self.position(path).map(|position| position.line)
    }

    /// The place of the value of `path`, or of the nearest key above it.
    #[must_use]
    pub fn position(&self, path: &str) -> Option<Position> {
        self.places.find(path).map(|span| self.source.position(span.start))
    }

    /// Whether the file has this very key.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.places.exact(path).is_some()
    }

    /// The place of the entry with this number; see [`Scripted::index`](crate::Scripted::index).
    #[must_use]
    pub fn entry(&self, index: usize) -> Option<Position> {
        self.entries.get(index).map(|span| self.source.position(span.start))
    }

    /// A message with its lines of the file, and a label at the value (empty: none), as plain text of several lines
    /// without a final end of line. Without such a key in the file: the message alone.
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

    /// The span of the key itself.
    pub(crate) fn exact(&self, path: &str) -> Option<Range<usize>> {
        self.spans.get(path).cloned()
    }

    /// The span of the key, or of the nearest one above it.
    pub(crate) fn find(&self, path: &str) -> Option<Range<usize>> {
        core::iter::successors(Some(path), |path| parent(path)).find_map(|path| self.exact(path))
    }
}
