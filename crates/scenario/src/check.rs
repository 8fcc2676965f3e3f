//! What has to be true of a timeline beyond the shape of its values.
//!
//! The checks work on a [`Draft`], so that a generated timeline is held to the same as a file.

mod client;
mod expect;
mod script;
mod stack;
mod surroundings;

pub(crate) use self::expect::at_path;

use core::time::Duration;

use crate::duration::{DurationError, MAX, Text};
use crate::model::Draft;
use crate::problem::Problem;

/// Everything that is wrong with `draft`; `names` are the key paths of the outermost parts of its script.
pub(crate) fn check(draft: &Draft, names: &[String]) -> Vec<Problem> {
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

/// A draft on its way through the checks.
struct Check<'a> {
    draft: &'a Draft,
    names: &'a [String],
    problems: Vec<Problem>,
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
    fn not_beyond_until(&mut self, path: &str, at: Duration) {
        if let Some(until) = self.draft.until.filter(|&until| at > until) {
            self.report(
                Problem::new(path, format!("{} is never reached: the run ends at {}", Text(at), Text(until)))
                    .with("until", "the run ends here"),
            );
        }
    }
}

/// What is wrong with the reasons that a file gives for itself.
pub(crate) fn sources(why: &str, cite: &[String]) -> Vec<Problem> {
    let why = not_blank("why", why, "say in one sentence why the file exists");
    let cite = cite.iter().enumerate().filter_map(|(index, source)| {
        not_blank(&format!("cite[{index}]"), source, "name a source, or leave the entry out")
    });
    why.into_iter().chain(cite).collect()
}

/// A text that says nothing.
pub(crate) fn not_blank(path: &str, text: &str, help: &str) -> Option<Problem> {
    text.trim().is_empty().then(|| Problem::new(path, format!("{text:?} says nothing")).help(help))
}
