//! What can be wrong with a timeline.

use core::fmt;

use toml_writer::{ToTomlValue as _, TomlStringBuilder};

/// One thing that is wrong with a timeline, at the key that it is about.
///
/// `Display` gives one line: path, message and help. A file's problems are shown with their lines by
/// [`ParseError`](crate::ParseError).
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

    /// Another key that has a part in the problem, and what is to be said about it.
    pub(crate) fn with(mut self, path: impl Into<String>, label: impl Into<String>) -> Self {
        self.related.push(Related { path: path.into(), label: label.into() });
        self
    }

    /// Another key that decides whether there is a problem at all.
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

    /// What is wrong, in lower case: the value given and what is allowed.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write instead, where that is known.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    pub(crate) fn related(&self) -> &[Related] {
        &self.related
    }

    /// Whether `path`, or a key above or below it, has a part in the problem.
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

/// A second place that a problem is about; without a label it is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Related {
    pub(crate) path: String,
    pub(crate) label: String,
}

/// `parent` and `key` as one path.
pub(crate) fn join(parent: &str, key: &str) -> String {
    if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") }
}

/// A key as it has to be written in a path, and in a file.
pub(crate) fn written(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { TomlStringBuilder::new(key).as_basic().to_toml_value() }
}

/// The path above `path`; none above the file as a whole.
pub(crate) fn parent(path: &str) -> Option<&str> {
    let cut = path.rfind(['.', '['])?;
    path.get(..cut)
}

/// Whether `path` is `above` or a key below it. Every key is below the empty path, which stands for the whole file;
/// that is not what is asked here.
fn is_within(path: &str, above: &str) -> bool {
    !above.is_empty() && path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_concerns_its_key_and_those_above_below_and_beside_it_that_it_names() {
        let problem = Problem::new("window[1].until", "x").depends_on("then");
        for path in ["window[1].until", "window[1]", "window", "then", "window[1].until.deeper"] {
            assert!(problem.concerns(path), "{path}");
        }
        for path in ["window[1].from", "window[10]", "the", "thence", "", "timeline"] {
            assert!(!problem.concerns(path), "{path}");
        }
    }

    #[test]
    fn one_line_says_where_what_and_what_instead() {
        let problem = Problem::new("until", "\"1y\" is bad").help("write days");
        assert_eq!(problem.to_string(), "until: \"1y\" is bad (write days)");
        assert_eq!(Problem::new("", "nothing to play").to_string(), "nothing to play");
    }
}
