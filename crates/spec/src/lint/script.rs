//! Entries of the script that no attempt reaches.

use retrylab_core::{FailureKind, ServerDelay};

use super::{Place, Rule, Warning};
use crate::model::{Draft, Entry, Outcome, Then};
use crate::policy::{CallSpec, PolicySpec, ResetSpec, Shape};
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

/// Calls that succeed without latency, for ever.
pub(super) fn flood(draft: &Draft) -> Option<Warning> {
    let last = Cursor::new(&draft.script).take(FOLLOWED).last();
    let (entry, place) = match (draft.then, last) {
        (Then::RepeatLast, Some(Scripted { entry, index })) => (Some(entry), Place::Entry(index)),
        (Then::Succeed, _) => (None, Place::Key("then".to_owned())),
        _ => return None,
    };
    let is_endless = draft.client.kind.shape() == Shape::Call
        && draft.stop.is_none()
        && entry.is_none_or(|entry| entry.outcome == Outcome::Ok && entry.latency.is_zero());
    is_endless.then(|| Warning {
        rule: Rule::Flood,
        place,
        message:
            "a call that succeeds without latency is followed by the next in the same instant, so no time passes and \
                  the run ends at its limit of events"
                .to_owned(),
        advice: "write an entry that takes time, such as `{ ok = true, latency = \"1s\" }`, and repeat that".to_owned(),
    })
}

/// The first entry with a `retry_after`, in a file that shows nothing by it.
pub(super) fn ignored_retry_after(draft: &Draft) -> Option<Warning> {
    if draft.expect.is_some() || draft.client.kind.call().is_some_and(|call| call.retry_after != ServerDelay::Ignore) {
        return None;
    }
    if matches!(draft.client.kind, PolicySpec::External { .. } | PolicySpec::Dialect { .. }) {
        return None;
    }
    let requests = |entry: &Entry| matches!(entry.outcome, Outcome::Status { retry_after: Some(_), .. });
    let index = Cursor::new(&draft.script).take(FOLLOWED).find(|scripted| requests(scripted.entry))?.index;
    let instead = match draft.client.kind.call() {
        Some(_) => "write `retry_after = { most = \"1m\", beyond = \"clamp\" }` in [client], or leave it out here",
        None => "leave it out: a data source of two regimes never honours it",
    };
    Some(Warning {
        rule: Rule::IgnoredRetryAfter,
        place: Place::Entry(index),
        message: "the client ignores retry_after, so this one has no effect".to_owned(),
        advice: instead.to_owned(),
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
