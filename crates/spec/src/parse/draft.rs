//! The keys of a file that is played.

use super::walk::{Fields, Walk};
use super::{client, clock, expect, play, stack};
use crate::check::check;
use crate::model::{Client, Draft, Limits, Then};
use crate::suggest::choices;

/// The draft as far as it is readable. It is valid only if no errors were reported.
pub(super) fn draft(walk: &mut Walk, root: &Fields<'_>, why: String, cite: Vec<String>) -> Draft {
    let (script, names) = play::timelines(walk, root);
    let draft = Draft {
        why,
        cite,
        found_by: root
            .get("found_by")
            .and_then(|field| walk.text(&field, "the command that found it", "such as \"retrylab check streaming\""))
            .map(str::to_owned),
        seed: root.get("seed").and_then(|field| walk.whole(&field, 0, u64::MAX)),
        client: who(walk, root),
        script,
        then: root
            .get("then")
            .and_then(|field| walk.word(&field, "an ending of the script", &Then::ALL))
            .unwrap_or_default(),
        windows: play::windows(walk, root),
        clock: clock::events(walk, root),
        wall: root
            .get("wall")
            .and_then(|field| walk.text(&field, "a date in text", "such as \"2026-08-20T09:00:00Z\""))
            .map(str::to_owned),
        until: root.get("until").and_then(|field| walk.duration(&field)),
        stop: root.get("stop").and_then(|field| walk.duration(&field)),
        limits: limits(walk, root),
        stack: root.get("stack").and_then(|field| stack::stack(walk, &field)),
        catches: root
            .get("catches")
            .map(|field| walk.texts(&field, "names of faults", "such as [\"shift-wraps-to-zero\"]"))
            .unwrap_or_default(),
        expect: root.get("expect").and_then(|field| expect::expect(walk, &field)),
    };
    walk.take_over(check(&draft, &|nth| names.get(nth).cloned().unwrap_or_default()));
    draft
}

fn who(walk: &mut Walk, root: &Fields<'_>) -> Client {
    let help = format!("add a [client] with a `kind`: {}", choices('"', client::KINDS.map(|(_, name)| name)));
    let client = walk.required(root, "client", &help).and_then(|field| client::client(walk, &field));
    client.unwrap_or_else(|| {
        walk.unread("client");
        Client::new(client::STAND_IN)
    })
}

fn limits(walk: &mut Walk, root: &Fields<'_>) -> Limits {
    let mut limits = Limits::default();
    if let Some(fields) = root.get("limits").and_then(|field| walk.table(&field, &["events", "time"])) {
        if let Some(events) = fields.get("events").and_then(|field| walk.whole(&field, 1, u64::MAX)) {
            limits.events = events;
        }
        if let Some(time) = fields.get("time").and_then(|field| walk.duration(&field)) {
            limits.time = time;
        }
    }
    limits
}
