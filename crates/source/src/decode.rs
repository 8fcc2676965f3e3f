//! Decoding of bytes into data.

use core::fmt;

use serde_json::{Map, Value};

use crate::data::{Change, DataSet, Item, Kind, Message};

/// Decodes the server's data. [`FlagData`] is the decoder of this crate.
pub trait Decode: Send + Sync {
    /// Decodes a message of a stream.
    ///
    /// # Errors
    ///
    /// If the message cannot be parsed, or a required part is missing.
    fn message(&self, message: &Message) -> Result<Change, DecodeError>;

    /// Decodes the body of a poll.
    ///
    /// # Errors
    ///
    /// If the body cannot be parsed, or a required part is missing.
    fn body(&self, body: &[u8]) -> Result<DataSet, DecodeError>;
}

/// The reason why data cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The data is not JSON; the text is the parser's error.
    NotJson(String),
    /// The data is JSON of the wrong shape.
    WrongShape {
        /// The place, as a path of keys.
        at: String,
        /// The expected type.
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

/// The JSON format of flags and segments: `put` with `{"data": {"flags": {…}, "segments": {…}}}`, `patch` with
/// `{"path", "data"}`, `delete` with `{"path", "version"}`; the body of a poll is the `data` of a `put`. An item is an
/// object, with version 0 if it has no `version`; `"deleted": true` makes it a tombstone.
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

/// The item at `path`; `None` if the path is of another kind.
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
