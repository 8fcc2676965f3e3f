//! What a timeline that can be played probably gets wrong: limits that contradict each other, jitter that nobody will
//! see, settings without effect.
//!
//! ```
//! use retrylab_scenario::{File, lint, parse};
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
//!     "sdk (3) × app (12) make 36 attempts of one operation, and at most 10 are wanted",
//! );
//! # Ok::<(), retrylab_scenario::ParseError>(())
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

pub use refused::refused;
pub use rule::Rule;

use crate::model::{ClientKind, Draft};

/// Something that is probably wrong, though it can be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Which rule says so.
    pub rule: Rule,
    /// Where.
    pub place: Place,
    /// What is wrong, and why, in lower case.
    pub message: String,
    /// What to write instead.
    pub advice: String,
}

/// What a warning is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A key, as [`Locations::position`](crate::Locations::position) takes it.
    Key(String),
    /// An attempt of the script by its number, as [`Locations::entry`](crate::Locations::entry) takes it.
    Entry(usize),
}

/// Everything that is probably wrong with a draft, in the order of [`Rule::ALL`]. Nothing is run.
///
/// The draft is taken to be one that [`Timeline::new`](crate::Timeline::new) accepts, and that [`refused`] has nothing
/// to say about.
#[must_use]
pub fn lint(draft: &Draft) -> Vec<Warning> {
    let mut warnings = match &draft.client.kind {
        ClientKind::Call(call) => [calls::lint(call), budget::lint(call)].concat(),
        ClientKind::Reconnect { outage, reset } => {
            [calls::lint(outage), budget::lint(outage), reset::lint(reset).into_iter().collect()].concat()
        }
        ClientKind::Streaming { .. } | ClientKind::Polling { .. } | ClientKind::Dialect { .. } => regimes::lint(draft),
        ClientKind::External { .. } => Vec::new(),
    };
    warnings.extend(timer::lint(&draft.client.kind));
    warnings.extend(script::lint(draft));
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
