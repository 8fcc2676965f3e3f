//! From flags and segments to values, no more of it than the harness's `streaming` and `polling` groups ask for: off
//! variations, rules over segments, and the fallthrough. What is missing in an item counts as its default.

use retrylab_source::{Kind, MemoryStore, Store};
use serde_json::{Map, Value, json};

use super::wire::{Evaluate, EvaluateAll};

/// The value of one flag.
pub(super) fn one(store: &MemoryStore, request: &Evaluate) -> Value {
    let flag = store.get(Kind::Flag, &request.flag_key).filter(|_| store.is_initialized());
    let found = flag.as_ref().and_then(|flag| variation(store, flag, &request.context.key));
    match found {
        Some((index, value)) => json!({ "value": value, "variationIndex": index }),
        None => json!({ "value": request.default_value, "variationIndex": null }),
    }
}

/// The value of each flag.
pub(super) fn all(store: &MemoryStore, request: &EvaluateAll) -> Value {
    let valid = store.is_initialized();
    let flags = if valid { store.all(Kind::Flag) } else { Default::default() };
    let mut state = Map::new();
    let mut flags_state = Map::new();
    for (key, flag) in flags {
        let (index, value) = variation(store, &flag, &request.context.key).unzip();
        flags_state.insert(key.clone(), json!({ "variation": index, "version": flag["version"] }));
        state.insert(key, value.cloned().unwrap_or_default());
    }
    state.insert("$flagsState".to_owned(), Value::Object(flags_state));
    state.insert("$valid".to_owned(), Value::Bool(valid));
    json!({ "state": state })
}

/// The variation of a flag for a context, and its number.
fn variation<'a>(store: &MemoryStore, flag: &'a Value, context: &str) -> Option<(u64, &'a Value)> {
    let index = if flag["on"] == true {
        let rule = items(&flag["rules"]).iter().find(|rule| matches(store, rule, context));
        &rule.unwrap_or(&flag["fallthrough"])["variation"]
    } else {
        &flag["offVariation"]
    };
    let index = index.as_u64()?;
    Some((index, flag["variations"].get(usize::try_from(index).ok()?)?))
}

fn matches(store: &MemoryStore, rule: &Value, context: &str) -> bool {
    items(&rule["clauses"]).iter().all(|clause| clause["op"] == "segmentMatch" && is_in_one(store, clause, context))
}

/// Whether one of the segments that a clause names has the context. A segment that is not there has nobody.
fn is_in_one(store: &MemoryStore, clause: &Value, context: &str) -> bool {
    let keys = items(&clause["values"]).iter().filter_map(Value::as_str);
    keys.filter_map(|key| store.get(Kind::Segment, key))
        .any(|segment| items(&segment["included"]).iter().any(|key| key == context))
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}
