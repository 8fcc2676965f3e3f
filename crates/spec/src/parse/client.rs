//! `[client]`.

use super::walk::{Field, Fields, Walk, number};
use super::{policy, regimes};
use crate::duration;
use crate::model::{Client, JitterChoice};
use crate::policy::{CallSpec, Dialect, PolicySpec, Seconds, Shape};
use crate::problem::Problem;

use retrylab_core::ConfigOption;
use toml::de::DeValue;

/// The client, before its options are parsed.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Streaming,
    Polling,
    Call,
    Reconnect,
    Dialect(Dialect),
    External,
}

/// The kinds with options of their own; a dialect has those of its original.
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

/// The message for an option of another kind.
const OTHERS: [(&str, &str); 16] = [
    ("initial_reconnect_delay", "this key is for `kind = \"streaming\"`"),
    ("poll_interval", "this key is for `kind = \"polling\"`"),
    ("name", "this key is for `kind = \"external\"`"),
    ("as", "this key is for `kind = \"external\"`"),
    ("claims", "this key is for `kind = \"external\"`"),
    ("ladder", OF_CALLS),
    ("attempts", OF_CALLS),
    ("elapsed", OF_CALLS),
    ("deadline", OF_CALLS),
    ("retry_after", OF_CALLS),
    ("budget", OF_CALLS),
    ("idempotent", "this key is for `kind = \"call\"`"),
    ("reset", "this key is for `kind = \"reconnect\"`, `kind = \"streaming\"` and `kind = \"polling\"`"),
    ("normal", OF_SOURCES),
    ("extended", OF_SOURCES),
    ("cadence", OF_SOURCES),
];

const OF_SOURCES: &str = "this key is for `kind = \"streaming\"` and `kind = \"polling\"`";
const OF_CALLS: &str = "this key is for `kind = \"call\"` and `kind = \"reconnect\"`";

/// The replacement for an unreadable client.
pub(super) const STAND_IN: PolicySpec = PolicySpec::Streaming { initial_reconnect_delay: None };

/// None if it is not even a table.
pub(super) fn client(walk: &mut Walk, field: &Field<'_>) -> Option<Client> {
    let table = walk.any_table(field)?;
    // The allowed keys depend on one of them, so that one is read first, without checks.
    let kinds = kinds();
    let kind = table.get("kind").and_then(|kind| kinds.iter().find(|(_, name)| kind.get_ref().as_str() == Some(name)));
    let allowed: &[_] = match kind {
        Some((Kind::Call, _)) => policy::CALL,
        Some((Kind::Reconnect, _)) => policy::RECONNECT,
        Some((Kind::Streaming, _)) => regimes::STREAMING,
        Some((Kind::Polling, _)) => regimes::POLLING,
        Some((Kind::Dialect(dialect), _)) if dialect.shape() == Shape::Polling => &["kind", "poll_interval", "jitter"],
        Some((Kind::Dialect(_), _)) => &["kind", "initial_reconnect_delay", "jitter"],
        Some((Kind::External, _)) => &["kind", "name", "as", "claims", "jitter"],
        None => &["kind", "initial_reconnect_delay", "poll_interval", "name", "as", "claims", "jitter"],
    };
    let fields = walk.open(field.path.clone(), field.value.span(), table, allowed, &OTHERS);
    let described = matches!(kind, Some((Kind::Call | Kind::Reconnect, _)));
    // The built-in policies count in integers.
    let is_external = matches!(kind, Some((Kind::External, _)));
    let choices = if is_external { &JitterChoice::NAMED[..] } else { &JitterChoice::NAMED[..1] };
    let jitter = fields
        .get("jitter")
        .filter(|_| !described)
        .and_then(|field| walk.word(&field, "a jitter", choices))
        .unwrap_or(JitterChoice::Own);
    let named = walk
        .required(&fields, "kind", "the client, such as \"streaming\", \"polling\" or \"call\"")
        .and_then(|field| walk.word(&field, "a kind of client", &kinds));
    let kind = policy_spec(walk, &fields, named?)?;
    Some(Client { kind, jitter })
}

/// `None` only for an external client without a name.
fn policy_spec(walk: &mut Walk, fields: &Fields<'_>, kind: Kind) -> Option<PolicySpec> {
    Some(match kind {
        Kind::Streaming => {
            let seconds = option(walk, fields, "initial_reconnect_delay");
            regimes::source(walk, fields, Shape::Streaming, ConfigOption::InitialReconnectDelay, seconds)
        }
        Kind::Polling => {
            let seconds = option(walk, fields, "poll_interval");
            regimes::source(walk, fields, Shape::Polling, ConfigOption::PollInterval, seconds)
        }
        Kind::Call => PolicySpec::Call(policy::call(walk, fields, CallSpec::default())),
        Kind::Reconnect => {
            let outage = policy::call(walk, fields, CallSpec::reconnect());
            PolicySpec::Reconnect { outage, reset: policy::required_reset(walk, fields) }
        }
        Kind::Dialect(dialect) => {
            PolicySpec::Dialect { dialect, seconds: option(walk, fields, dialect.option().name()) }
        }
        Kind::External => external(walk, fields)?,
    })
}

fn external(walk: &mut Walk, fields: &Fields<'_>) -> Option<PolicySpec> {
    let name = walk.required(fields, "name", "the owner's name of the policy");
    let name = name.and_then(|field| walk.text(&field, "text", ""));
    let shape = walk.required(fields, "as", "the kind of client: \"streaming\", \"polling\" or \"call\"");
    let shape = shape.and_then(|field| walk.word(&field, "a kind of client", &Shape::ALL));
    let claims = fields.get("claims").and_then(|field| claims(walk, &field)).map(Box::new);
    Some(PolicySpec::External { name: name?.to_owned(), played_as: shape?, claims })
}

/// The owner's claim: any kind but a dialect.
fn claims(walk: &mut Walk, field: &Field<'_>) -> Option<PolicySpec> {
    let table = walk.any_table(field)?;
    let kinds: Vec<_> = KINDS.into_iter().filter(|(kind, _)| !matches!(kind, Kind::External)).collect();
    let kind = table.get("kind").and_then(|kind| kinds.iter().find(|(_, name)| kind.get_ref().as_str() == Some(name)));
    let allowed: &[_] = match kind {
        Some((Kind::Call, _)) => policy::CALL,
        Some((Kind::Reconnect, _)) => policy::RECONNECT,
        Some((Kind::Polling, _)) => regimes::POLLING_CLAIM,
        Some(_) => regimes::STREAMING_CLAIM,
        None => &["kind", "initial_reconnect_delay", "poll_interval"],
    };
    let fields = walk.open(field.path.clone(), field.value.span(), table, allowed, &OTHERS);
    let kind = walk.required(&fields, "kind", "the claimed policy, such as \"streaming\", \"polling\" or \"call\"");
    let kind = kind.and_then(|field| walk.word(&field, "a claim", &kinds));
    policy_spec(walk, &fields, kind?)
}

fn option(walk: &mut Walk, fields: &Fields<'_>, key: &str) -> Option<Seconds> {
    fields.get(key).and_then(|field| seconds(walk, &field))
}

/// Text, or any number of seconds.
fn seconds(walk: &mut Walk, field: &Field<'_>) -> Option<Seconds> {
    match field.value.get_ref() {
        DeValue::Integer(integer) => {
            // Rounded to the nearest number, as it would be with a point.
            #[expect(clippy::cast_precision_loss, reason = "a configured f64 is rounded to one")]
            let seconds = number(integer).map(|number| number as f64);
            finite(walk, field, seconds, integer)
        }
        DeValue::Float(float) => {
            let seconds: Option<f64> = float.as_str().parse().ok();
            // The parser of the standard library parses a number that is too large as infinity.
            let seconds = seconds.filter(|seconds| !seconds.is_infinite() || float.as_str().contains("inf"));
            finite(walk, field, seconds, float)
        }
        DeValue::String(text) => match duration::parse(text) {
            Ok(duration) => Some(Seconds::Text(duration)),
            Err(error) => {
                let help = match error {
                    duration::DurationError::Negative => "a number of seconds may be negative, such as `-1`",
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
        walk.refuse(field, Problem::new(&*field.path, format!("{text} is too large")));
    }
    seconds.map(Seconds::Number)
}
