//! Checks of a timeline beyond the shape of its values.
//!
//! The checks work on a [`Draft`], so that a generated timeline passes the same checks as a file.

mod client;
mod expect;
mod script;
mod stack;
mod surroundings;

pub(crate) use self::expect::at_path;

use core::fmt;
use core::time::Duration;

use crate::duration::{DurationError, MAX, Text};
use crate::model::{Client, Draft};
use crate::problem::Problem;

/// All problems of `draft`; `names` gives the key path of each outermost part of its script.
pub(crate) fn check(draft: &Draft, names: Names<'_>) -> Vec<Problem> {
    let mut check = Check { draft, names, problems: sources(&draft.why, &draft.cite) };
    check.client();
    check.script();
    check.ending();
    check.windows();
    check.clock();
    check.stack();
    check.expect();
    check.problems
}

/// All problems of a client.
pub(crate) fn client(client: &Client) -> Vec<Problem> {
    let draft = Draft::new("", client.clone());
    let mut check = Check { draft: &draft, names: &|_| String::new(), problems: Vec::new() };
    check.client();
    check.problems
}

/// A draft under check.
struct Check<'a> {
    draft: &'a Draft,
    names: Names<'a>,
    problems: Vec<Problem>,
}

type Names<'a> = &'a dyn Fn(usize) -> String;

/// A key path, which is written out for a problem alone: a search checks thousands of drafts that have none.
#[derive(Clone, Copy)]
enum At<'a> {
    /// An outermost part of the script.
    Part(Names<'a>, usize),
    /// One of several tables.
    Table(&'static str, usize),
    Key(&'a At<'a>, &'static str),
    Nth(&'a At<'a>, usize),
}

impl At<'_> {
    const fn key(&self, key: &'static str) -> At<'_> {
        At::Key(self, key)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            At::Part(names, nth) => f.write_str(&names(nth)),
            At::Table(table, nth) => write!(f, "{table}[{nth}]"),
            At::Key(table, key) => write!(f, "{table}.{key}"),
            At::Nth(list, nth) => write!(f, "{list}[{nth}]"),
        }
    }
}

impl From<At<'_>> for String {
    fn from(at: At<'_>) -> Self {
        at.to_string()
    }
}

impl Check<'_> {
    fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn fits(&mut self, path: impl Into<String>, duration: Duration) {
        if duration > MAX {
            let too_long = DurationError::TooLong;
            self.report(Problem::new(path, format!("{} is {too_long}", Text(duration))).help(too_long.help()));
        }
    }

    /// An instant after the one at which the run ends.
    fn not_beyond_until(&mut self, path: impl Into<String>, at: Duration) {
        if let Some(until) = self.draft.until.filter(|&until| at > until) {
            self.report(
                Problem::new(path, format!("{} is never reached: the run ends at {}", Text(at), Text(until)))
                    .with("until", "the run ends here"),
            );
        }
    }
}

/// The problems of the file's reasons.
pub(crate) fn sources(why: &str, cite: &[String]) -> Vec<Problem> {
    let why = not_blank("why", why, "write one sentence about the purpose of the file");
    let cite = cite.iter().enumerate().filter_map(|(index, source)| {
        not_blank(&format!("cite[{index}]"), source, "name a source, or leave the entry out")
    });
    why.into_iter().chain(cite).collect()
}

/// A blank text.
pub(crate) fn not_blank(path: &str, text: &str, help: &str) -> Option<Problem> {
    text.trim().is_empty().then(|| Problem::new(path, format!("{text:?} is blank")).help(help))
}
