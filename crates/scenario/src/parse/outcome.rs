//! What an attempt meets: the keys that an entry of `play` and a `[[window]]` share.

use core::time::Duration;

use toml::de::DeValue;

use super::NO_TIME;
use super::walk::{Field, Fields, Walk};
use crate::model::{ConnectFault, End, Entry, Outcome};
use crate::problem::{Problem, join};
use crate::suggest::choices;

/// The keys of which an attempt has exactly one.
pub(super) const OUTCOMES: [&str; 7] = ["up", "idle", "ok", "status", "fault", "malformed", "hang"];

/// For an entry that could not be read: as harmless as any.
pub(super) const STAND_IN: Entry = Entry::new(Outcome::Hang(NO_TIME));

/// Reads the outcome and what goes with it. `cut`: the keys stand in a window that cuts, whose `end` needs no outcome
/// that has one.
pub(super) fn entry(walk: &mut Walk, fields: &Fields<'_>, cut: bool) -> Entry {
    let Some(outcome) = outcome(walk, fields, cut) else { return STAND_IN };
    Entry {
        outcome,
        latency: fields.get("latency").and_then(|field| walk.duration(&field)).unwrap_or_default(),
        draw: fields.get("draw").and_then(|field| walk.whole(&field, 0, u64::MAX)),
    }
}

fn outcome(walk: &mut Walk, fields: &Fields<'_>, cut: bool) -> Option<Outcome> {
    let mut given = fields.in_order().into_iter().filter(|(key, ..)| OUTCOMES.contains(key));
    let Some((key, first, field)) = given.next() else {
        let allowed = format!("an attempt has one of {}", choices('`', OUTCOMES));
        walk.report(fields.span.clone(), Problem::new(&*fields.path, "no outcome").help(allowed));
        return None;
    };
    for (other, span, field) in given {
        let problem = Problem::new(field.path, format!("a second outcome beside `{key}`"));
        walk.places.insert(join(&fields.path, key), first.clone());
        let problem = problem.help(format!("an attempt meets either `{key}` or `{other}`"));
        walk.report(span, problem.with(join(&fields.path, key), "the first outcome"));
    }
    let ends = Companion { key: "end", needs: "`up` or `idle` with a duration" };
    let waits = Companion { key: "retry_after", needs: "`status`" };
    if key != "status" {
        waits.refuse(walk, fields);
    }
    let lasts = matches!(field.value.get_ref(), DeValue::String(_)) && ["up", "idle"].contains(&key);
    if !lasts && !cut {
        ends.refuse(walk, fields);
    }
    match key {
        "up" if !lasts => match field.value.get_ref() {
            DeValue::Boolean(_) => walk.yes(&field).map(|()| Outcome::Up { lasts: None }),
            _ => {
                walk.mismatch(&field, "`true` or a duration in text", "such as `up = \"5s\", end = \"close\"`");
                None
            }
        },
        "up" => {
            let (lasts, end) = live(walk, fields, &field);
            Some(Outcome::Up { lasts: Some((lasts?, end?)) })
        }
        "idle" => {
            let (lasts, end) = live(walk, fields, &field);
            Some(Outcome::Idle { lasts: lasts?, end: end? })
        }
        "ok" => walk.yes(&field).map(|()| Outcome::Ok),
        "malformed" => walk.yes(&field).map(|()| Outcome::Malformed),
        "status" => {
            let status = walk.whole(&field, 100, 599).and_then(|status| u16::try_from(status).ok());
            let retry_after = fields.get("retry_after").map(|field| walk.duration(&field));
            Some(Outcome::Status {
                status: status?,
                retry_after: match retry_after {
                    None => None,
                    Some(wait) => Some(wait?),
                },
            })
        }
        "fault" => walk.word(&field, "a fault", &ConnectFault::ALL).map(Outcome::Fault),
        _ => walk.duration(&field).map(Outcome::Hang),
    }
}

/// How long a connection lasts, and how it ends.
fn live(walk: &mut Walk, fields: &Fields<'_>, field: &Field<'_>) -> (Option<Duration>, Option<End>) {
    let lasts = walk.duration(field);
    let help = format!("say how the connection ends: {}", choices('"', End::ALL.map(|(_, name)| name)));
    let end = walk.required(fields, "end", &help).and_then(|field| walk.word(&field, "an end", &End::ALL));
    (lasts, end)
}

/// A key that only goes with another.
struct Companion {
    key: &'static str,
    needs: &'static str,
}

impl Companion {
    fn refuse(&self, walk: &mut Walk, fields: &Fields<'_>) {
        if let Some(field) = fields.get(self.key) {
            let problem = Problem::new(field.path, format!("`{}` without {}", self.key, self.needs));
            walk.report(fields.key(self.key), problem.help(format!("it goes with {}", self.needs)));
        }
    }
}
