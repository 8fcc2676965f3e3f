//! From bytes to data.

use core::fmt;

use serde_json::{Map, Value};

use crate::data::{Change, DataSet, Item, Kind, Message};

/// Reads what the server sends. [`FlagData`] is the one that comes with this crate.
pub trait Decode: Send + Sync {
    /// What a message of a stream asks for.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed, or lacks something.
    fn message(&self, message: &Message) -> Result<Change, DecodeError>;

    /// Everything, from the body of a poll.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed, or lacks something.
    fn body(&self, body: &[u8]) -> Result<DataSet, DecodeError>;
}

/// Why data cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// It is not JSON; the parser's own words.
    NotJson(String),
    /// It is JSON, but not what belongs there.
    WrongShape {
        /// Where: a path of keys.
        at: String,
        /// What belongs there.
        expected: &'static str,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(error) => write!(f, "not JSON: {error}"),
            Self::WrongShape { at, expected } => write!(f, "`{at}` is not {expected}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Flags and segments as JSON: `put` with `{"data": {"flags": {…}, "segments": {…}}}`, `patch` with `{"path", "data"}`,
/// `delete` with `{"path", "version"}`; the body of a poll is the `data` of a `put`. An item is an object, whose `version`
/// is 0 where it has none, and with `"deleted": true` the memory of one.
///
/// ```
/// use retrylab_source::{Change, Decode, FlagData, Item, Kind, Message};
///
/// let delete = Message { event: "delete".into(), data: r#"{"path": "/flags/dark-mode", "version": 7}"#.into() };
/// let change = FlagData.message(&delete)?;
/// assert_eq!(change, Change::Upsert { kind: Kind::Flag, key: "dark-mode".into(), item: Item::tombstone(7) });
/// # Ok::<(), retrylab_source::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlagData;

impl Decode for FlagData {
    fn message(&self, message: &Message) -> Result<Change, DecodeError> {
        match message.event.as_str() {
            "put" => {
                let mut put = object(parse(message.data.as_bytes())?, "")?;
                if put.get("path").is_some_and(|path| !is_root(path)) {
                    return Ok(Change::UnknownPath);
                }
                data_set(take(&mut put, "data", "an object")?, "data.").map(Change::Put)
            }
            "patch" => {
                let mut patch = object(parse(message.data.as_bytes())?, "")?;
                let Some((kind, key)) = path(&patch)? else { return Ok(Change::UnknownPath) };
                let item = item(take(&mut patch, "data", "an object")?, "data")?;
                Ok(Change::Upsert { kind, key, item })
            }
            "delete" => {
                let delete = object(parse(message.data.as_bytes())?, "")?;
                let Some((kind, key)) = path(&delete)? else { return Ok(Change::UnknownPath) };
                let version = delete.get("version").ok_or_else(|| wrong("version", WHOLE_NUMBER))?;
                let item = Item::tombstone(whole_number(version, "version")?);
                Ok(Change::Upsert { kind, key, item })
            }
            _ => Ok(Change::UnknownEvent),
        }
    }

    fn body(&self, body: &[u8]) -> Result<DataSet, DecodeError> {
        data_set(parse(body)?, "")
    }
}

const WHOLE_NUMBER: &str = "a whole number";

fn parse(json: &[u8]) -> Result<Value, DecodeError> {
    serde_json::from_slice(json).map_err(|error| DecodeError::NotJson(error.to_string()))
}

fn data_set(data: Value, at: &str) -> Result<DataSet, DecodeError> {
    let mut data = object(data, at.trim_end_matches('.'))?;
    let mut set = DataSet::default();
    for kind in Kind::ALL {
        let collection = format!("{at}{}", kind.collection());
        let items = data.remove(kind.collection()).unwrap_or_default();
        for (key, value) in object(items, &collection)? {
            let item = item(value, &format!("{collection}.{key}"))?;
            set.of_mut(kind).insert(key, item);
        }
    }
    Ok(set)
}

fn item(value: Value, at: &str) -> Result<Item, DecodeError> {
    let members = object(value, at)?;
    let version = match members.get("version") {
        None | Some(Value::Null) => 0,
        Some(version) => whole_number(version, &format!("{at}.version"))?,
    };
    let deleted = members.get("deleted").and_then(Value::as_bool).unwrap_or(false);
    Ok(if deleted { Item::tombstone(version) } else { Item::new(version, Value::Object(members)) })
}

fn whole_number(value: &Value, at: &str) -> Result<u64, DecodeError> {
    value.as_u64().ok_or_else(|| wrong(at, WHOLE_NUMBER))
}

/// The item that a `path` names; `None` if it is none of ours.
fn path(members: &Map<String, Value>) -> Result<Option<(Kind, String)>, DecodeError> {
    let path = members.get("path").and_then(Value::as_str).ok_or_else(|| wrong("path", "text"))?;
    let item = |kind: Kind| path.strip_prefix('/')?.strip_prefix(kind.collection())?.strip_prefix('/');
    Ok(Kind::ALL.into_iter().find_map(|kind| item(kind).map(|key| (kind, key.to_owned()))))
}

fn is_root(path: &Value) -> bool {
    path.is_null() || path.as_str().is_some_and(|path| matches!(path, "" | "/"))
}

fn take(members: &mut Map<String, Value>, key: &str, expected: &'static str) -> Result<Value, DecodeError> {
    members.remove(key).ok_or_else(|| wrong(key, expected))
}

fn object(value: Value, at: &str) -> Result<Map<String, Value>, DecodeError> {
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(wrong(at, "an object")),
    }
}

fn wrong(at: &str, expected: &'static str) -> DecodeError {
    let at = if at.is_empty() { "the data" } else { at };
    DecodeError::WrongShape { at: at.to_owned(), expected }
}
