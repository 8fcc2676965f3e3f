//! One key of a client, set as a command line has it: `normal.initial=2s`, `attempts=6`.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::{Client, JitterChoice};
use crate::parse::client_of;
use crate::policy::{PolicySpec, Seconds};
use crate::print::in_full;
use crate::problem::Problem;

/// The client with the key `key` of `[client]` set to `value`, which is written as in a file, but that text needs no quotes.
/// Keys of inner tables have their path: `ladder.ceiling`. The jitter `own` is that of the policy.
///
/// ```
/// use retrylab_spec::{PolicySpec, named, set};
///
/// let stream = named::client("streaming").expect("a policy");
/// let PolicySpec::TwoRegimes(regimes) = set(&stream, "normal.ceiling", "1m")?.kind else { panic!("bounds of its own") };
/// assert_eq!(regimes.normal.1.as_secs(), 60);
///
/// let refused = set(&stream, "attempts", "6").unwrap_err();
/// assert_eq!(refused.message(), "this key is for `kind = \"call\"` and `kind = \"reconnect\"`");
/// # Ok::<(), retrylab_spec::Problem>(())
/// ```
///
/// # Errors
///
/// What a file with this key would be refused for. `kind` is not set: it says which policy it is.
pub fn set(client: &Client, key: &str, value: &str) -> Result<Client, Problem> {
    let (key, value) = (key.trim(), value.trim());
    if key == "kind" {
        return Err(Problem::new("client.kind", "which policy it is cannot be set").help("name another policy"));
    }
    if (key, value) == ("jitter", "own") {
        return Ok(Client { jitter: JitterChoice::Own, ..client.clone() });
    }
    let text = in_full(&bounded(client, key));
    let line = format!("value = {value}");
    let (mut document, mistakes) = DeTable::parse_recoverable(&text);
    let table = document.get_mut().get_mut("client").and_then(table);
    let Some(table) = table.filter(|_| mistakes.is_empty()) else {
        return Err(Problem::new("client", "cannot be set"));
    };
    insert(table, key, read(&line).unwrap_or(DeValue::String(Cow::Borrowed(value))))?;
    client_of(document.get_ref())
}

/// A preset whose bounds are to be set has them in full first, so that each but this one stays as it is.
fn bounded(client: &Client, key: &str) -> Client {
    let is_bound = ["normal", "extended", "cadence", "reset"].contains(&key.split('.').next().unwrap_or(key));
    let is_preset = matches!(client.kind, PolicySpec::Streaming { .. } | PolicySpec::Polling { .. });
    let is_configured = client.kind.configured().is_some_and(|seconds: Seconds| seconds.usable().is_some());
    let regimes = client.kind.two_regimes().filter(|_| is_bound && is_preset && is_configured);
    regimes.map_or_else(|| client.clone(), |regimes| Client { kind: regimes.into(), ..client.clone() })
}

/// A value as TOML has it; `None` for what is text without quotes.
fn read(line: &str) -> Option<DeValue<'_>> {
    let (document, mistakes) = DeTable::parse_recoverable(line);
    let mut table = document.into_inner();
    let is_one = mistakes.is_empty() && table.len() == 1;
    table.remove("value").filter(|_| is_one).map(Spanned::into_inner)
}

fn insert<'a>(table: &mut DeTable<'a>, path: &'a str, value: DeValue<'a>) -> Result<(), Problem> {
    let Some((outer, inner)) = path.split_once('.') else {
        table.insert(Spanned::new(0..0, Cow::Borrowed(path)), Spanned::new(0..0, value));
        return Ok(());
    };
    // Of two reset rules, the one that is set is the one that is meant.
    if outer == "reset" || !table.contains_key(outer) {
        let empty = DeValue::Table(DeTable::new());
        table.insert(Spanned::new(0..0, Cow::Borrowed(outer)), Spanned::new(0..0, empty));
    }
    match table.get_mut(outer).and_then(self::table) {
        Some(table) => insert(table, inner, value),
        None => Err(Problem::new(format!("client.{outer}"), "not a table").help(format!("set `{outer}` itself"))),
    }
}

fn table<'a, 'i>(value: &'a mut Spanned<DeValue<'i>>) -> Option<&'a mut DeTable<'i>> {
    match value.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}
