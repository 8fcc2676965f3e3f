//! The result of a probe, as text or JSON.

use std::io::{self, Write};
use std::time::Duration;

use retrylab_spec::duration;
use serde::{Serialize, Serializer};

use crate::style::TITLE;

/// The end of the call, its error, and its cost.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Report {
    pub(super) outcome: Outcome,
    pub(super) result: Option<String>,
    pub(super) error: Option<String>,
    pub(super) source: Option<String>,
    pub(super) calls: u32,
    #[serde(serialize_with = "in_seconds")]
    pub(super) sleeps: Vec<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Ok,
    Exhausted,
    Terminal,
    Refused,
}

impl Report {
    /// No text, no attempt.
    pub(super) const fn empty(outcome: Outcome) -> Self {
        Self { outcome, result: None, error: None, source: None, calls: 0, sleeps: Vec::new() }
    }

    /// One line per field. Equal sleeps are listed once, with their number.
    pub(super) fn print_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let sleeps = self.sleeps.chunk_by(|one, next| one == next).map(|equal| match equal {
            [one] => duration::print(*one),
            _ => format!("{} × {}", duration::print(equal[0]), equal.len()),
        });
        let sleeps = sleeps.collect::<Vec<_>>().join(", ");
        for (name, value) in [
            ("outcome", self.outcome.name().to_owned()),
            ("result", or_dash(&self.result)),
            ("error", or_dash(&self.error)),
            ("source", or_dash(&self.source)),
            ("calls", self.calls.to_string()),
            ("sleeps", or_dash(&Some(sleeps).filter(|sleeps| !sleeps.is_empty()))),
        ] {
            writeln!(out, "{TITLE}{name:<7}{TITLE:#}  {value}")?;
        }
        Ok(())
    }
}

impl Outcome {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Exhausted => "exhausted",
            Self::Terminal => "terminal",
            Self::Refused => "refused",
        }
    }
}

/// Every sleep is a multiple of half a second, which a double holds exactly.
fn in_seconds<S: Serializer>(sleeps: &[Duration], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(sleeps.iter().map(Duration::as_secs_f64))
}
