//! Entries of the script that no attempt reaches.

use retrylab_core::FailureKind;

use super::{Place, Rule, Warning};
use crate::model::{Draft, Entry, Outcome};
use crate::policy::{CallSpec, PolicySpec, ResetSpec};
use crate::script::{Cursor, Scripted};

/// The maximum number of attempts that are followed.
const FOLLOWED: usize = 100_000;

/// The first entry that no attempt reaches. Windows replace entries and cut streams: a file with windows gets no
/// warning.
pub(super) fn lint(draft: &Draft) -> Option<Warning> {
    if !draft.windows.is_empty() {
        return None;
    }
    let mut script = Cursor::new(&draft.script).take(FOLLOWED);
    let mut failures = 0;
    let (before, because) = script.find_map(|Scripted { entry, index }| {
        let because = last_of_all(&draft.client.kind, entry, &mut failures)?;
        Some((index, because))
    })?;
    let next = script.next()?.index;
    // A repeat that cannot come round has no entry to point at.
    let place = if next > before { next } else { before };
    Some(Warning {
        rule: Rule::UnreachableEntry,
        place: Place::Entry(place),
        message: format!("no attempt reaches this{}: {because}", if next > before { "" } else { " again" }),
        advice: "omit the entries after it, or add an end to it".to_owned(),
    })
}

/// The reason why nothing follows an attempt with `entry`, if so; `failures` counts those of the present outage.
fn last_of_all(kind: &PolicySpec, entry: &Entry, failures: &mut u32) -> Option<String> {
    if matches!(entry.outcome, Outcome::Up { lasts: None, .. }) {
        return Some("the stream before it stays up".to_owned());
    }
    let PolicySpec::Reconnect { outage: CallSpec { attempts, .. }, reset } = kind else { return None };
    if let Outcome::Status { status, .. } = entry.outcome
        && FailureKind::for_source_status(i64::from(status)) == FailureKind::Unexpected
    {
        return Some(format!("status {status} before it is terminal for `kind = \"reconnect\"`"));
    }
    // A message may clear the count, depending on the reset rule; the end of its stream is a failure again. A rule with
    // no condition clears it before each failure.
    let first = matches!(entry.outcome, Outcome::Up { .. }) || *reset == ResetSpec::Successes(0);
    *failures = if first { 1 } else { failures.saturating_add(1) };
    let attempts = attempts.filter(|attempts| *failures >= *attempts)?;
    Some(format!("the client gives up before it, after {attempts} failed attempts"))
}
