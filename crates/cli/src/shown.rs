//! Foreign text for a terminal: characters that move the cursor, change colours or reverse text are written as escapes.
//! out.

use std::borrow::Cow;

/// A text on one line, such as a path.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// A text that may have several lines.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// Whether a terminal acts on a character instead of showing it: control characters, and those that change the
/// direction of text.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) && !kept(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if hidden(c) { escaped.extend(c.escape_unicode()) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_letters_are_not() {
        assert_eq!(line("sims/größe 1.toml"), "sims/größe 1.toml");
        assert_eq!(line("a\u{1b}[31m\n\u{9b}\u{7f}\u{202e}b"), r"a\u{1b}[31m\u{a}\u{9b}\u{7f}\u{202e}b");
        assert_eq!(text("one\n\ttwo\r\u{7}"), "one\n\ttwo\\u{d}\\u{7}");
    }
}
