//! The text of a file, and excerpts of it.

use core::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::locations::Position;

/// A file's name and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    name: String,
    text: String,
    /// The byte at which each line begins.
    lines: Vec<usize>,
}

impl Source {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let after_ends = text.match_indices('\n').map(|(end, _)| end + 1);
        Self { name: name.to_owned(), text: text.to_owned(), lines: core::iter::once(0).chain(after_ends).collect() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Line and column of a byte; a byte inside a character counts as that character.
    pub(crate) fn position(&self, byte: usize) -> Position {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = self.lines[line - 1];
        Position { line, column: self.text[start..byte].chars().count() + 1 }
    }

    pub(crate) fn show(&self, message: &str, span: Option<Range<usize>>, label: &str) -> String {
        self.report(message, span, label, &[], None)
    }

    /// Title, excerpt with a caret line for `span` and dashes for `others`, and help.
    pub(crate) fn report(
        &self,
        message: &str,
        span: Option<Range<usize>>,
        label: &str,
        others: &[(Range<usize>, &str)],
        help: Option<&str>,
    ) -> String {
        let label = Some(label).filter(|label| !label.is_empty());
        let excerpt = span.map(|span| {
            Snippet::source(&*self.text)
                .path(&*self.name)
                .annotation(AnnotationKind::Primary.span(self.first_line(span)).label(label))
                .annotations(
                    others
                        .iter()
                        .map(|(span, label)| AnnotationKind::Context.span(self.first_line(span.clone())).label(*label)),
                )
        });
        let group = Group::with_title(Level::ERROR.primary_title(message))
            .elements(excerpt)
            .elements(help.map(|help| Level::HELP.message(help)));
        // Plain text of a fixed width: the same bytes wherever it is printed.
        Renderer::plain().render(&[group])
    }

    /// The part of a span that is on its first line, on whole characters.
    fn first_line(&self, span: Range<usize>) -> Range<usize> {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.ceil_char_boundary(span.end).max(start);
        let line = self.text[start..end].find(['\n', '\r']).map_or(end, |length| start + length);
        start..line
    }
}
