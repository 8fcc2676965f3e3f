//! A timeline that has been checked.

use core::cell::OnceCell;
use core::fmt;
use core::ops::Deref;

use crate::canonical::canonical;
use crate::check::check;
use crate::model::{Draft, Play};
use crate::print::print;
use crate::problem::Problem;

/// A [`Draft`] that has been checked: it can be played, printed, and read back.
///
/// The draft is read through `Deref`. `Display` is the canonical print.
///
/// ```
/// use retrylab_spec::{Client, PolicySpec, Draft, Entry, Outcome, Play, Timeline};
///
/// let mut draft = Draft::new("A busy server.", Client::new(PolicySpec::Polling { poll_interval: None }));
/// draft.script.push(Play::Attempt(Entry::new(Outcome::Status { status: 200, retry_after: None })));
/// let problems = Timeline::new(draft.clone()).unwrap_err();
/// assert_eq!(
///     problems[0].to_string(),
///     "timeline[0].play[0].status: status 200 is a success (write `ok = true`)",
/// );
///
/// draft.script[0] = Play::Attempt(Entry::new(Outcome::Status { status: 503, retry_after: None }));
/// assert!(Timeline::new(draft).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    draft: Draft,
}

impl Timeline {
    /// Checks a draft and brings it into the form of a file: a ratio is in lowest terms, `u32::MAX` attempts are no
    /// limit, and a client that describes its own jitter has none in its description.
    ///
    /// # Errors
    ///
    /// Its errors, at least one.
    pub fn new(mut draft: Draft) -> Result<Self, Vec<Problem>> {
        canonical(&mut draft);
        let names = OnceCell::new();
        let name = |nth: usize| {
            let names = names.get_or_init(|| canonical_names(&draft.script));
            names.get(nth).cloned().unwrap_or_default()
        };
        let problems = check(&draft, &name);
        if problems.is_empty() { Ok(Self { draft }) } else { Err(problems) }
    }

    /// For a parser, which has its own names for the parts of the script and has checked them under those.
    pub(crate) const fn checked(draft: Draft) -> Self {
        Self { draft }
    }

    /// The draft, mutable.
    #[must_use]
    pub fn into_draft(self) -> Draft {
        self.draft
    }
}

impl Deref for Timeline {
    type Target = Draft;

    fn deref(&self) -> &Draft {
        &self.draft
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// The key path that each outermost part of a script has in its canonical print: a repeat is a `[[timeline]]` table,
/// and so are the attempts between two repeats.
fn canonical_names(script: &[Play]) -> Vec<String> {
    let mut tables = 0_usize;
    let mut attempts = 0_usize;
    script
        .iter()
        .map(|part| match part {
            Play::Attempt(_) => {
                if attempts == 0 {
                    tables += 1;
                }
                attempts += 1;
                format!("timeline[{}].play[{}]", tables - 1, attempts - 1)
            }
            Play::Repeat { .. } => {
                attempts = 0;
                tables += 1;
                format!("timeline[{}]", tables - 1)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::model::{Entry, Outcome};

    #[test]
    fn parts_of_a_script_are_named_as_in_their_canonical_print() {
        let attempt = || Play::Attempt(Entry::new(Outcome::Hang(Duration::ZERO)));
        let repeat = || Play::Repeat { times: 2, play: vec![attempt()] };
        let names = canonical_names(&[attempt(), attempt(), repeat(), repeat(), attempt()]);
        assert_eq!(
            names,
            ["timeline[0].play[0]", "timeline[0].play[1]", "timeline[1]", "timeline[2]", "timeline[3].play[0]"]
        );
    }
}
