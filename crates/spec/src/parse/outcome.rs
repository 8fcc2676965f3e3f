//! The outcome of an attempt: the keys that an entry of `play` and a `[[window]]` share.

use core::time::Duration;

use toml::de::DeValue;

use super::NO_TIME;
use super::walk::{Field, Fields, Walk};
use crate::model::{ConnectFault, Draw, End, Entry, FirstMessage, HeaderText, Outcome, ServerWait};
use crate::problem::{Problem, join};
use crate::suggest::choices;

/// The keys of outcomes; an attempt has exactly one.
pub(super) const OUTCOMES: [&str; 7] = ["up", "idle", "ok", "status", "fault", "malformed", "hang"];

/// The replacement for an unreadable entry.
pub(super) const STAND_IN: Entry = Entry::new(Outcome::Hang(NO_TIME));

/// Parses the outcome and its companions.
pub(super) fn entry(walk: &mut Walk, fields: &Fields<'_>, place: Place) -> Entry {
    let outcome = outcome(walk, fields, place);
    let latency = fields.get("latency").and_then(|field| walk.duration(&field)).unwrap_or_default();
    let draw = fields.get("draw").and_then(|field| self::draw(walk, &field));
    outcome.map_or(STAND_IN, |outcome| Entry { outcome, latency, draw })
}

/// The place of an outcome, which decides the meaning of an `end`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Script,
    Window,
    /// Its cut has an `end` too.
    CuttingWindow,
}

fn outcome(walk: &mut Walk, fields: &Fields<'_>, place: Place) -> Option<Outcome> {
    let mut given = fields.in_order().into_iter().filter(|(key, ..)| OUTCOMES.contains(key));
    let Some((key, _, field)) = given.next() else {
        if OUTCOMES.iter().any(|key| walk.is_unread(&join(&fields.path, key))) {
            return None;
        }
        let allowed = format!("an attempt has one of {}", choices('`', OUTCOMES));
        walk.report(fields.span.clone(), Problem::new(&*fields.path, "no outcome").help(allowed));
        return None;
    };
    for (other, span, field) in given {
        let problem = Problem::new(field.path, format!("a second outcome beside `{key}`"));
        let problem = problem.help(format!("an attempt has either `{key}` or `{other}`"));
        walk.report(span, problem.with(join(&fields.path, key), "the first outcome"));
    }
    if key != "status" {
        refuse_companion(walk, fields, "retry_after", "`status`");
    }
    let lasts = key == "idle" || (key == "up" && field.value.get_ref().is_str());
    match place {
        _ if lasts => {}
        Place::Script => refuse_companion(walk, fields, "end", "`up` or `idle` for a duration"),
        Place::Window => refuse_companion(walk, fields, "end", "`up` or `idle` for a duration, or with `cut`"),
        Place::CuttingWindow => {}
    }
    if key != "up" {
        refuse_companion(walk, fields, "first", "`up`");
    }
    match key {
        "up" if !lasts => match field.value.get_ref() {
            DeValue::Boolean(_) => {
                let first = first(walk, fields);
                walk.yes(&field).map(|()| Outcome::Up { lasts: None, first })
            }
            _ => {
                walk.mismatch(&field, "`true` or a duration in text", "such as `up = \"5s\", end = \"close\"`");
                None
            }
        },
        "up" => {
            let (lasts, end) = live(walk, fields, &field);
            let first = first(walk, fields);
            Some(Outcome::Up { lasts: Some((lasts?, end?)), first })
        }
        "idle" => {
            let (lasts, end) = live(walk, fields, &field);
            Some(Outcome::Idle { lasts: lasts?, end: end? })
        }
        "ok" => walk.yes(&field).map(|()| Outcome::Ok),
        "malformed" => walk.yes(&field).map(|()| Outcome::Malformed),
        "status" => {
            let status = walk.whole(&field, 100, 599).and_then(|status| u16::try_from(status).ok());
            let retry_after = fields.get("retry_after").map(|field| server_wait(walk, &field));
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

/// The `retry_after` of the server: a duration, or the text of the header.
fn server_wait(walk: &mut Walk, field: &Field<'_>) -> Option<ServerWait> {
    if !field.value.get_ref().is_table() {
        return walk.duration(field).map(ServerWait::Delay);
    }
    let fields = walk.table(field, &["header"])?;
    let help = "the text of the header, such as `{ header = \"120\" }`";
    let header = walk.required(&fields, "header", help)?;
    let given = walk.text(&header, "the text of a header", "such as \"120\"")?;
    let text = HeaderText::new(given);
    if text.is_none() {
        let help = format!("at most {} visible ASCII characters, with blanks inside only", HeaderText::MOST);
        let problem = Problem::new(&*header.path, format!("{given:?} is not a valid header")).help(help);
        walk.refuse(&header, problem);
    }
    text.map(ServerWait::Header)
}

/// The draw: an address, or the value.
fn draw(walk: &mut Walk, field: &Field<'_>) -> Option<Draw> {
    let table = match field.value.get_ref() {
        DeValue::Table(table) => table,
        DeValue::Integer(_) => return walk.whole(field, 0, u64::MAX).map(Draw::Address),
        _ => {
            walk.mismatch(field, "an address or a table", "such as `draw = 17` or `draw = { value = \"0x1f800\" }`");
            return None;
        }
    };
    let misplaced =
        [("address", "a draw is either an address or a value; an address has no table, such as `draw = 17`")];
    let fields = walk.open(field.path.clone(), field.value.span(), table, &["value"], &misplaced);
    let value = walk.required(&fields, "value", "the draw, such as `{ value = \"0x1f800\" }`")?;
    let given = walk.text(&value, "a draw in text", "such as \"0x1f800\"")?;
    // A sign would be read, too.
    let digits = given.strip_prefix("0x").filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let draw = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if draw.is_none() {
        let problem = Problem::new(&*value.path, format!("{given:?} is not a draw"));
        walk.refuse(&value, problem.help("\"0x\" and 1 to 16 hexadecimal digits, as the drawn integer below 2^64"));
    }
    draw.map(Draw::Value)
}

/// The first message of a stream; the replacement for an unreadable one is harmless.
fn first(walk: &mut Walk, fields: &Fields<'_>) -> FirstMessage {
    let first = fields.get("first").and_then(|field| walk.word(&field, "a first message", &FirstMessage::ALL));
    first.unwrap_or(FirstMessage::Put)
}

/// The time of a connection, and its end.
fn live(walk: &mut Walk, fields: &Fields<'_>, field: &Field<'_>) -> (Option<Duration>, Option<End>) {
    let lasts = walk.duration(field);
    let help = format!("add the end of the connection: {}", choices('"', End::ALL.map(|(_, name)| name)));
    let end = walk.required(fields, "end", &help).and_then(|field| walk.word(&field, "an end", &End::ALL));
    (lasts, end)
}

/// A key that needs another.
fn refuse_companion(walk: &mut Walk, fields: &Fields<'_>, key: &str, needs: &str) {
    if let Some(field) = fields.get(key) {
        walk.report(fields.key(key), Problem::new(field.path, format!("`{key}` needs {needs}")).help("omit it"));
    }
}
