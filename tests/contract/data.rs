//! Flags and segments as the harness serves them.

use serde_json::{Map, Value, json};

use crate::upstream::Reply;

/// Everything: flags and segments by key.
pub(crate) fn everything(flags: &[Value], segments: &[Value]) -> Value {
    let by_key = |items: &[Value]| -> Map<String, Value> {
        items.iter().map(|item| (item["key"].as_str().unwrap().to_owned(), item.clone())).collect()
    };
    json!({ "flags": by_key(flags), "segments": by_key(segments) })
}

/// A stream that begins with everything.
pub(crate) fn stream_of(everything: &Value) -> Reply {
    Reply::Stream(json!({ "data": everything }).to_string())
}

/// A flag that is off: its value is the first one.
pub(crate) fn flag(key: &str, version: u64, value: impl Into<Value>) -> Value {
    json!({
        "key": key, "version": version, "on": false, "variations": [value.into(), "other"], "offVariation": 0,
        "fallthrough": {}, "prerequisites": [], "targets": [], "contextTargets": [], "rules": [], "salt": "",
        "clientSide": false, "trackEvents": false, "trackEventsFallthrough": false, "debugEventsUntilDate": null,
        "deleted": false,
    })
}

/// A flag that is `inside` for whoever is in the segment, and `outside` for all others.
pub(crate) fn flag_over(segment: &str) -> Value {
    let clause = json!({ "attribute": "", "op": "segmentMatch", "values": [segment], "negate": false });
    let mut flag = flag("flag", 100, "outside");
    flag["on"] = true.into();
    flag["variations"] = json!(["outside", "inside"]);
    flag["fallthrough"] = json!({ "variation": 0 });
    flag["rules"] = json!([{ "id": "", "variation": 1, "clauses": [clause], "trackEvents": false }]);
    flag
}

/// A segment with these contexts.
pub(crate) fn segment(key: &str, version: u64, included: &[&str]) -> Value {
    json!({
        "key": key, "version": version, "included": included, "excluded": [], "includedContexts": [],
        "excludedContexts": [], "rules": [], "salt": "", "generation": null, "deleted": false,
    })
}

/// `flag` in a version, which is its value, too: a stream, and the body of a poll.
pub(crate) fn stream(version: u64) -> Reply {
    stream_of(&everything(&[numbered(version)], &[]))
}

pub(crate) fn body(version: u64) -> Reply {
    Reply::Body(everything(&[numbered(version)], &[]).to_string())
}

pub(crate) fn numbered(version: u64) -> Value {
    let mut flag = flag("flag", version, 1);
    flag["variations"] = json!([1, 2]);
    flag["offVariation"] = json!(version - 1);
    flag
}

/// The data of a `patch`.
pub(crate) fn patch(kind: &str, item: &Value) -> String {
    json!({ "path": format!("/{kind}/{}", item["key"].as_str().unwrap()), "data": item }).to_string()
}

/// The data of a `delete`.
pub(crate) fn delete(kind: &str, key: &str, version: u64) -> String {
    json!({ "path": format!("/{kind}/{key}"), "version": version }).to_string()
}
