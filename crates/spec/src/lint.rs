//! Warnings about a valid timeline: contradicting limits, jitter that never shows, settings without effect.
//!
//! ```
//! use retrylab_spec::{File, lint, parse};
//!
//! let text = r#"
//! why = "A call behind two layers that retry as well."
//! client.kind = "call"
//! timeline = [{ play = [{ status = 503 }] }]
//! stack = { most = 10, sdk = 3, app = 12 }
//! "#;
//! let File::Played(timeline) = parse("stack.toml", text)?.file else { panic!("a timeline") };
//! let warnings = lint::lint(&timeline);
//! assert_eq!(warnings.len(), 1);
//! assert_eq!(warnings[0].rule, lint::Rule::TallStack);
//! assert_eq!(
//!     warnings[0].message,
//!     "sdk (3) × app (12) make 36 attempts of one operation; at most 10 are allowed",
//! );
//! # Ok::<(), retrylab_spec::ParseError>(())
//! ```

use core::fmt;

mod budget;
mod calls;
mod refused;
mod regimes;
mod reset;
mod rule;
mod script;
mod stack;
mod timer;
mod waits;

pub use calls::silent_ceiling;
pub use refused::refused;
pub use rule::Rule;

use crate::model::Draft;
use crate::policy::PolicySpec;

/// A warning about a valid timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The rule.
    pub rule: Rule,
    /// The place.
    pub place: Place,
    /// The problem and its reason, in lower case.
    pub message: String,
    /// The correction.
    pub advice: String,
}

/// The place of a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A key, for [`Locations::position`](crate::Locations::position).
    Key(String),
    /// An entry of the script by its number, for [`Locations::entry`](crate::Locations::entry).
    Entry(usize),
}

/// The warnings about a draft, in the order of [`Rule::ALL`]. Nothing is played.
///
/// The draft must be valid for [`Timeline::new`](crate::Timeline::new), and without errors of [`refused`].
#[must_use]
pub fn lint(draft: &Draft) -> Vec<Warning> {
    let mut warnings = match &draft.client.kind {
        PolicySpec::Call(call) => [calls::lint(call), budget::lint(call)].concat(),
        PolicySpec::Reconnect { outage, reset } => {
            [calls::lint(outage), budget::lint(outage), reset::lint(reset).into_iter().collect()].concat()
        }
        PolicySpec::External { .. } => Vec::new(),
        _ => regimes::lint(draft),
    };
    warnings.extend(timer::lint(&draft.client.kind));
    warnings.extend(script::lint(draft));
    warnings.extend(script::flood(draft));
    warnings.extend(script::ignored_retry_after(draft));
    warnings.extend(calls::no_jitter(draft));
    warnings.extend(draft.stack.iter().filter_map(stack::lint));
    warnings.sort_by_key(|warning| warning.rule);
    warnings
}

impl Warning {
    fn new(rule: Rule, key: &str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { rule, place: Place::Key(key.to_owned()), message: message.into(), advice: advice.into() }
    }
}

/// One line: place, message, advice, rule.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, place, message, advice } = self;
        write!(f, "{place}: {message}; {advice} [{rule}]")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(path) => f.pad(path),
            Self::Entry(index) => write!(f, "entry {} of the script", index + 1),
        }
    }
}
