//! Errors of a timeline.

use core::fmt;

use toml_writer::{ToTomlValue as _, TomlStringBuilder};

/// An error of a timeline, at its key.
///
/// `Display` gives one line: path, message and help. [`ParseError`](crate::ParseError) shows the errors of a file with
/// their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    path: String,
    message: String,
    help: Option<String>,
    related: Vec<Related>,
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), help: None, related: Vec::new() }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another key of the error, with a message.
    pub(crate) fn with(mut self, path: impl Into<String>, label: impl Into<String>) -> Self {
        self.related.push(Related { path: path.into(), label: label.into() });
        self
    }

    /// Adds another key that decides whether there is an error at all.
    pub(crate) fn depends_on(self, path: impl Into<String>) -> Self {
        self.with(path, "")
    }

    /// The key, such as `window[2].until` or `timeline[0].play[3].up`; empty for the file as a whole.
    ///
    /// `timeline` tables are counted as in the file, or, for a draft that comes from no file, as in its canonical
    /// print.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The error, in lower case: the value given and the allowed values.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The correction, if known.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    pub(crate) fn related(&self) -> &[Related] {
        &self.related
    }

    /// Whether the error concerns `path`, or a key above or below it.
    pub(crate) fn concerns(&self, path: &str) -> bool {
        let mine = core::iter::once(&self.path).chain(self.related.iter().map(|related| &related.path));
        mine.into_iter().any(|own| is_within(own, path) || is_within(path, own))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for Problem {}

/// Another place of an error; without a label it is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Related {
    pub(crate) path: String,
    pub(crate) label: String,
}

/// `parent` and `key` as one path.
pub(crate) fn join(parent: &str, key: &str) -> String {
    if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") }
}

/// A key, quoted as in a path and in a file.
pub(crate) fn written(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { TomlStringBuilder::new(key).as_basic().to_toml_value() }
}

/// The path above `path`; none above the file as a whole.
pub(crate) fn parent(path: &str) -> Option<&str> {
    let cut = path.rfind(['.', '['])?;
    path.get(..cut)
}

/// Whether `path` is `above` or a key below it. The empty path stands for the whole file, and has no keys below it
/// here.
fn is_within(path: &str, above: &str) -> bool {
    !above.is_empty() && path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_concerns_its_key_and_related_keys() {
        let problem = Problem::new("window[1].until", "x").depends_on("then");
        for path in ["window[1].until", "window[1]", "window", "then", "window[1].until.deeper"] {
            assert!(problem.concerns(path), "{path}");
        }
        for path in ["window[1].from", "window[10]", "the", "thence", "", "timeline"] {
            assert!(!problem.concerns(path), "{path}");
        }
    }

    #[test]
    fn one_line_has_place_problem_and_correction() {
        let problem = Problem::new("until", "\"1y\" is bad").help("write days");
        assert_eq!(problem.to_string(), "until: \"1y\" is bad (write days)");
        assert_eq!(Problem::new("", "nothing to play").to_string(), "nothing to play");
    }
}
