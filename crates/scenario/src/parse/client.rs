//! `[client]`.

use super::policy;
use super::walk::{Field, Fields, Walk, number};
use crate::duration;
use crate::model::{Client, ClientKind, JitterChoice, Seconds, Shape};
use crate::policy::{CallSpec, Dialect};
use crate::problem::Problem;

use toml::de::DeValue;

/// Which client, before its options are read.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Streaming,
    Polling,
    Call,
    Reconnect,
    Dialect(Dialect),
    External,
}

/// The kinds that have options of their own; dialects have those of what they are dialects of.
pub(super) const KINDS: [(Kind, &str); 5] = [
    (Kind::Streaming, "streaming"),
    (Kind::Polling, "polling"),
    (Kind::Call, "call"),
    (Kind::Reconnect, "reconnect"),
    (Kind::External, "external"),
];

/// Every kind with its name.
fn kinds() -> Vec<(Kind, &'static str)> {
    let dialects = Dialect::ALL.map(|(dialect, name)| (Kind::Dialect(dialect), name));
    KINDS.into_iter().chain(dialects).collect()
}

/// What is said of an option of another kind.
const OTHERS: [(&str, &str); 12] = [
    ("initial_reconnect_delay", "this key is for `kind = \"streaming\"`"),
    ("poll_interval", "this key is for `kind = \"polling\"`"),
    ("name", "this key is for `kind = \"external\"`"),
    ("as", "this key is for `kind = \"external\"`"),
    ("ladder", OF_CALLS),
    ("attempts", OF_CALLS),
    ("elapsed", OF_CALLS),
    ("deadline", OF_CALLS),
    ("retry_after", OF_CALLS),
    ("budget", OF_CALLS),
    ("idempotent", "this key is for `kind = \"call\"`"),
    ("reset", "this key is for `kind = \"reconnect\"`"),
];

const OF_CALLS: &str = "this key is for `kind = \"call\"` and `kind = \"reconnect\"`";

/// For a client that could not be read.
pub(super) const STAND_IN: ClientKind = ClientKind::Streaming { initial_reconnect_delay: None };

/// None if it is not even a table.
pub(super) fn client(walk: &mut Walk, field: &Field<'_>) -> Option<Client> {
    let table = walk.any_table(field)?;
    // Which keys are allowed depends on one of them, so that is read first, without being looked at.
    let kinds = kinds();
    let kind = table.get("kind").and_then(|kind| kinds.iter().find(|(_, name)| kind.get_ref().as_str() == Some(name)));
    let allowed: &[_] = match kind {
        Some((Kind::Call, _)) => policy::CALL,
        Some((Kind::Reconnect, _)) => policy::RECONNECT,
        Some((Kind::Polling, _)) => &["kind", "poll_interval", "jitter"],
        Some((Kind::Dialect(dialect), _)) if dialect.shape() == Shape::Polling => &["kind", "poll_interval", "jitter"],
        Some((Kind::Streaming | Kind::Dialect(_), _)) => &["kind", "initial_reconnect_delay", "jitter"],
        Some((Kind::External, _)) => &["kind", "name", "as", "jitter"],
        None => &["kind", "initial_reconnect_delay", "poll_interval", "name", "as", "jitter"],
    };
    let fields = walk.open(field.path.clone(), field.value.span(), table, allowed, &OTHERS);
    let described = matches!(kind, Some((Kind::Call | Kind::Reconnect, _)));
    // The built-in policies count in whole numbers.
    let is_external = matches!(kind, Some((Kind::External, _)));
    let choices = if is_external { &JitterChoice::NAMED[..] } else { &JitterChoice::NAMED[..1] };
    let jitter = fields
        .get("jitter")
        .filter(|_| !described)
        .and_then(|field| walk.word(&field, "a jitter", choices))
        .unwrap_or(JitterChoice::Own);
    let named = walk
        .required(&fields, "kind", "what is played, such as \"streaming\", \"polling\" or \"call\"")
        .and_then(|field| walk.word(&field, "a kind of client", &kinds));
    let kind = match named? {
        Kind::Streaming => {
            ClientKind::Streaming { initial_reconnect_delay: option(walk, &fields, "initial_reconnect_delay") }
        }
        Kind::Polling => ClientKind::Polling { poll_interval: option(walk, &fields, "poll_interval") },
        Kind::Call => ClientKind::Call(policy::call(walk, &fields, CallSpec::default())),
        Kind::Reconnect => {
            let outage = policy::call(walk, &fields, CallSpec::reconnect());
            ClientKind::Reconnect { outage, reset: policy::reset(walk, &fields) }
        }
        Kind::Dialect(dialect) => {
            let key = match dialect.shape() {
                Shape::Polling => "poll_interval",
                Shape::Streaming | Shape::Call => "initial_reconnect_delay",
            };
            ClientKind::Dialect { dialect, seconds: option(walk, &fields, key) }
        }
        Kind::External => external(walk, &fields)?,
    };
    Some(Client { kind, jitter })
}

fn external(walk: &mut Walk, fields: &Fields<'_>) -> Option<ClientKind> {
    let name = walk.required(fields, "name", "the name by which its owner finds the policy");
    let name = name.and_then(|field| walk.text(&field, "text", ""));
    let shape = walk.required(fields, "as", "what it is played as: \"streaming\", \"polling\" or \"call\"");
    let shape = shape.and_then(|field| walk.word(&field, "what a client is played as", &Shape::ALL));
    Some(ClientKind::External { name: name?.to_owned(), played_as: shape? })
}

fn option(walk: &mut Walk, fields: &Fields<'_>, key: &str) -> Option<Seconds> {
    fields.get(key).and_then(|field| seconds(walk, &field))
}

/// Text, or any number of seconds.
fn seconds(walk: &mut Walk, field: &Field<'_>) -> Option<Seconds> {
    match field.value.get_ref() {
        DeValue::Integer(integer) => {
            // Rounded to the nearest number, as it would be with a point.
            #[expect(clippy::cast_precision_loss, reason = "what a person configures as f64 is rounded to one")]
            let seconds = number(integer).map(|number| number as f64);
            finite(walk, field, seconds, integer)
        }
        DeValue::Float(float) => {
            let seconds: Option<f64> = float.as_str().parse().ok();
            // The parser of the standard library takes what is too large for infinity.
            let seconds = seconds.filter(|seconds| !seconds.is_infinite() || float.as_str().contains("inf"));
            finite(walk, field, seconds, float)
        }
        DeValue::String(text) => match duration::parse(text) {
            Ok(duration) => Some(Seconds::Text(duration)),
            Err(error) => {
                let help = match error {
                    duration::DurationError::Negative => "a number of seconds may be anything, such as `-1`",
                    other => other.help(),
                };
                walk.refuse(field, Problem::new(&*field.path, format!("{text:?} is {error}")).help(help));
                None
            }
        },
        _ => {
            walk.mismatch(field, "text or a number of seconds", "such as \"1m 30s\" or `90`");
            None
        }
    }
}

fn finite(walk: &mut Walk, field: &Field<'_>, seconds: Option<f64>, text: &impl core::fmt::Display) -> Option<Seconds> {
    if seconds.is_none() {
        walk.refuse(field, Problem::new(&*field.path, format!("{text} is too large for a number")));
    }
    seconds.map(Seconds::Number)
}
