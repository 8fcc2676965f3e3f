//! Command lines to paste into a shell, whatever the names in them.

use std::ffi::{OsStr, OsString};

use crate::shown::is_hidden;

/// A command line under construction.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine(String);

impl CommandLine {
    /// `retrylab` with a verb.
    pub(crate) fn new(verb: &str) -> Self {
        Self(format!("retrylab {verb}"))
    }

    /// One more word.
    pub(crate) fn word(mut self, word: impl AsRef<OsStr>) -> Self {
        self.0.push(' ');
        self.0.push_str(&quoted(word.as_ref().as_encoded_bytes()));
        self
    }

    /// Adds an option with its value, in one word if the value looks like an option.
    pub(crate) fn option(self, name: &str, value: impl AsRef<OsStr>) -> Self {
        let value = value.as_ref();
        if value.as_encoded_bytes().starts_with(b"-") && value != "-" {
            let mut both = OsString::from(format!("{name}="));
            both.push(value);
            return self.word(both);
        }
        self.word(name).word(value)
    }

    /// Adds options with their values.
    pub(crate) fn options<V: AsRef<OsStr>>(self, options: impl IntoIterator<Item = (&'static str, V)>) -> Self {
        options.into_iter().fold(self, |line, (name, value)| line.option(name, value))
    }

    /// The finished line.
    pub(crate) fn text(self) -> String {
        self.0
    }
}

/// A word, quoted for the shell. Escapes use the form `$'…'` of bash, zsh, ksh and POSIX of 2024.
fn quoted(bytes: &[u8]) -> String {
    if let Ok(text) = str::from_utf8(bytes)
        && !text.contains(is_hidden)
        && let Ok(quoted) = shlex::try_quote(text)
    {
        return quoted.into_owned();
    }
    let mut quoted = String::from("$'");
    let escape = |quoted: &mut String, bytes: &[u8]| {
        for byte in bytes {
            // Always three digits, so that a following digit is not part of the escape.
            quoted.push_str(&format!("\\{byte:03o}"));
        }
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' | '\'' => quoted.extend(['\\', c]),
                c if is_hidden(c) => escape(&mut quoted, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => quoted.push(c),
            }
        }
        escape(&mut quoted, chunk.invalid());
    }
    quoted + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str) -> String {
        quoted(word.as_bytes())
    }

    #[test]
    fn words_are_quoted_only_where_needed() {
        assert_eq!(of("sims/outage.toml"), "sims/outage.toml");
        assert_eq!(of("two words"), "'two words'");
        assert_eq!(of(""), "''");
        assert_eq!(of("it's"), "\"it's\"");
        assert_eq!(of("größe"), "'größe'");
    }

    #[test]
    fn invisible_characters_and_invalid_text_are_escaped() {
        assert_eq!(of("a\nb"), r"$'a\012b'");
        assert_eq!(of("\u{1b}[31m it's \\ 1"), r"$'\033[31m it\'s \\ 1'");
        assert_eq!(of("\u{202e}"), r"$'\342\200\256'");
        assert_eq!(quoted(b"nu\xff1.toml"), r"$'nu\3771.toml'");
    }

    #[test]
    fn a_value_that_looks_like_an_option_is_tied_to_its_own() {
        let line = |value: &str| CommandLine::new("run").option("--filter", value).text();
        assert_eq!(line("flap"), "retrylab run --filter flap");
        assert_eq!(line("-x y"), "retrylab run '--filter=-x y'");
        assert_eq!(line("-\n"), r"retrylab run $'--filter=-\012'");
        assert_eq!(line("-"), "retrylab run --filter -");
    }
}
