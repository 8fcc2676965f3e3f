//! A counterexample as a timeline file: a test.

use core::fmt;

use retrylab_core::ConfigOption;
use retrylab_spec::{Draft, Expect, Shape, Timeline};

use crate::found::Found;
use retrylab_laws::Claim;
use retrylab_laws::Law;

/// A counterexample as a timeline file that expects the law, so that it fails until the policy obeys it. Printed, it is
/// the text of the file.
#[derive(Clone, Debug)]
pub struct Regression {
    /// The law.
    pub law: &'static Law,
    /// The content of the file.
    pub timeline: Timeline,
}

impl Found {
    /// The file for a client with this claim. `found_by` is a command that finds it again. `None` if a file cannot
    /// express it, for instance because the name of the client is too long.
    #[must_use]
    pub fn regression(&self, claim: &Claim, found_by: &str) -> Option<Regression> {
        let Self { law, breach, timeline, .. } = self;
        let mut draft = timeline.clone().into_draft();
        draft.why = format!("{} Expected {}, got {}.", law.statement, breach.expected, breach.got);
        draft.found_by = Some(found_by.to_owned());
        // A client that replaces its configuration must warn, and an unexpected warning would fail too.
        let option = match claim.shape() {
            Shape::Polling => ConfigOption::PollInterval,
            Shape::Streaming | Shape::Call => ConfigOption::InitialReconnectDelay,
        };
        let warnings = if claim.is_replaced() == Some(true) { vec![option] } else { Vec::new() };
        draft.expect = Some(Expect { laws: vec![law.name.to_owned()], warnings, ..Expect::default() });
        Some(Regression { law, timeline: Timeline::new(draft).ok()? })
    }
}

impl Regression {
    /// The name of the file: `<law>-<hash>.toml`, the same for the same timeline from any search, whatever its sentence.
    #[must_use]
    pub fn name(&self) -> String {
        let draft: &Draft = &self.timeline;
        let anonymous = Draft { why: self.law.name.to_owned(), found_by: None, ..draft.clone() };
        let text = Timeline::new(anonymous).map_or_else(|_| self.to_string(), |timeline| timeline.to_string());
        format!("{}-{:08x}.toml", self.law.name, crc32fast::hash(text.as_bytes()))
    }
}

impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timeline.fmt(f)
    }
}
