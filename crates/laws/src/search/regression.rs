//! A broken law as a timeline file: from then on a test.

use core::fmt;

use retrylab_core::ConfigOption;
use retrylab_scenario::{Draft, Expect, Shape, Timeline};

use super::found::Found;
use crate::claim::Claim;
use crate::law::Law;

/// What was found as a timeline file that expects the law, so that it fails until the policy obeys it. Printed, it is the text
/// of the file.
#[derive(Clone, Debug)]
pub struct Regression {
    /// The law.
    pub law: &'static Law,
    /// What the file says.
    pub timeline: Timeline,
}

impl Found {
    /// The file of it, for a client that claims this. `found_by` is what finds it again, such as a command line. `None` if no
    /// file can say that, for what is too long in one, such as the name of the client.
    #[must_use]
    pub fn regression(&self, claim: &Claim, found_by: &str) -> Option<Regression> {
        let Self { law, breach, timeline, .. } = self;
        let mut draft = timeline.clone().into_draft();
        draft.why = format!("{} Expected {}, got {}.", law.statement, breach.expected, breach.got);
        draft.found_by = Some(found_by.to_owned());
        // A client that replaces its configuration has to say so, and what is said and not expected would not hold either.
        let option = match claim.shape {
            Shape::Polling => ConfigOption::PollInterval,
            Shape::Streaming | Shape::Call => ConfigOption::InitialReconnectDelay,
        };
        let warnings = if claim.replaced == Some(true) { vec![option] } else { Vec::new() };
        draft.expect = Some(Expect { laws: vec![law.name.to_owned()], warnings, ..Expect::default() });
        Some(Regression { law, timeline: Timeline::new(draft).ok()? })
    }
}

impl Regression {
    /// What the file is called: `<law>-<hash>.toml`, the same for the same timeline, whoever finds it.
    #[must_use]
    pub fn name(&self) -> String {
        let draft: &Draft = &self.timeline;
        let anonymous = Draft { found_by: None, ..draft.clone() };
        let text = Timeline::new(anonymous).map_or_else(|_| self.to_string(), |timeline| timeline.to_string());
        format!("{}-{:08x}.toml", self.law.name, crc32fast::hash(text.as_bytes()))
    }
}

impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timeline.fmt(f)
    }
}
