//! The decoding of the server's data.

use retrylab_source::{Change, DataSet, Decode, DecodeError, FlagData, Item, Kind, Message};
use serde_json::{Value, json};

fn decode(event: &str, data: &str) -> Result<Change, DecodeError> {
    FlagData.message(&Message { event: event.to_owned(), data: data.to_owned() })
}

fn error(event: &str, data: &Value) -> String {
    decode(event, &data.to_string()).expect_err("a shape that is wrong").to_string()
}

fn set(flags: &[(&str, Item)], segments: &[(&str, Item)]) -> DataSet {
    let collect = |items: &[(&str, Item)]| items.iter().map(|(key, item)| ((*key).to_owned(), item.clone())).collect();
    DataSet { flags: collect(flags), segments: collect(segments) }
}

fn upsert(kind: Kind, key: &str, item: Item) -> Change {
    Change::Upsert { kind, key: key.to_owned(), item }
}

#[test]
fn a_put_replaces_all_data_with_or_without_the_root_path() {
    let flag = json!({"key": "a", "version": 3, "on": false});
    let segment = json!({"version": 1, "included": ["u"]});
    let expected = set(&[("a", Item::new(3, flag.clone()))], &[("s", Item::new(1, segment.clone()))]);
    let data = json!({"flags": {"a": flag}, "segments": {"s": segment}});
    for put in [
        json!({"data": data}),
        json!({"path": "/", "data": data}),
        json!({"path": "", "data": data}),
        json!({"path": null, "data": data}),
        json!({"data": data, "more": 1}),
    ] {
        assert_eq!(decode("put", &put.to_string()), Ok(Change::Put(expected.clone())), "{put}");
    }
    assert_eq!(FlagData.body(data.to_string().as_bytes()), Ok(expected), "the body of a poll has no wrapper");
}

#[test]
fn a_put_of_another_path_is_ignored() {
    for path in [json!("/flags"), json!("x"), json!(1), json!({})] {
        let put = json!({"path": path, "data": {"flags": {}, "segments": {}}}).to_string();
        assert_eq!(decode("put", &put), Ok(Change::UnknownPath), "{put}");
    }
}

#[test]
fn a_patch_changes_one_item() {
    let flag = json!({"version": 4, "on": true});
    for (path, kind, key) in [
        ("/flags/a", Kind::Flag, "a"),
        ("/segments/a", Kind::Segment, "a"),
        ("/flags/a/b", Kind::Flag, "a/b"),
        ("/flags/", Kind::Flag, ""),
        ("/flags//", Kind::Flag, "/"),
    ] {
        let patch = json!({"data": flag, "path": path}).to_string();
        assert_eq!(decode("patch", &patch), Ok(upsert(kind, key, Item::new(4, flag.clone()))), "{patch}");
    }
}

#[test]
fn a_delete_is_a_tombstone() {
    let delete = json!({"path": "/segments/s", "version": 7}).to_string();
    assert_eq!(decode("delete", &delete), Ok(upsert(Kind::Segment, "s", Item::tombstone(7))));
}

#[test]
fn a_patch_or_delete_of_another_path_is_ignored_whatever_its_data() {
    for path in ["", "/", "/flags", "flags/a", "/Flags/a", "/flagsa", "/configs/a", " /flags/a"] {
        assert_eq!(
            decode("patch", &json!({"path": path, "data": true}).to_string()),
            Ok(Change::UnknownPath),
            "{path}"
        );
        assert_eq!(decode("delete", &json!({"path": path}).to_string()), Ok(Change::UnknownPath), "{path}");
    }
}

#[test]
fn an_unknown_event_is_not_even_parsed() {
    for event in ["message", "PUT", "", "put ", "reconnect"] {
        assert_eq!(decode(event, "{sorry"), Ok(Change::UnknownEvent), "{event}");
    }
}

#[test]
fn invalid_json_is_an_error_that_names_the_place() {
    for event in ["put", "patch", "delete"] {
        let error = decode(event, "{sorry").unwrap_err();
        assert_eq!(error.to_string(), "not JSON: key must be a string at line 1 column 2");
        assert!(matches!(error, DecodeError::NotJson(_)));
        assert!(matches!(decode(event, ""), Err(DecodeError::NotJson(_))), "empty text is no JSON");
    }
    // A version that is text, and no closing brace: malformed before it is of the wrong shape.
    assert!(matches!(decode("delete", r#"{"path": "/flags/x", "version": "2""#), Err(DecodeError::NotJson(_))));
    assert!(matches!(FlagData.body(b"\xff"), Err(DecodeError::NotJson(_))));
    assert!(matches!(FlagData.body(b"{} {}"), Err(DecodeError::NotJson(_))), "more than one value");
    assert!(matches!(FlagData.body("[".repeat(100_000).as_bytes()), Err(DecodeError::NotJson(_))), "no overflow");
}

#[test]
fn a_put_of_the_wrong_shape_is_an_error_that_names_the_place() {
    for (put, expected) in [
        (json!([]), "`the data` is not an object"),
        (json!({}), "`data` is not an object"),
        (json!({"data": null}), "`data` is not an object"),
        (json!({"data": {"segments": {}}}), "`data.flags` is not an object"),
        (json!({"data": {"flags": true, "segments": {}}}), "`data.flags` is not an object"),
        (json!({"data": {"flags": {}}}), "`data.segments` is not an object"),
        (json!({"data": {"flags": {}, "segments": []}}), "`data.segments` is not an object"),
        (json!({"data": {"flags": {"x": true}, "segments": {}}}), "`data.flags.x` is not an object"),
        (
            json!({"data": {"flags": {"x": {"version": "2"}}, "segments": {}}}),
            "`data.flags.x.version` is not a whole number",
        ),
    ] {
        assert_eq!(error("put", &put), expected, "{put}");
    }
}

#[test]
fn a_body_of_the_wrong_shape_is_an_error_that_names_the_place() {
    for (body, expected) in [
        ("[]", "`the data` is not an object"),
        ("{}", "`flags` is not an object"),
        (r#"{"flags": {}}"#, "`segments` is not an object"),
        (r#"{"flags": {"x": {"version": -1}}, "segments": {}}"#, "`flags.x.version` is not a whole number"),
    ] {
        assert_eq!(FlagData.body(body.as_bytes()).unwrap_err().to_string(), expected, "{body}");
    }
}

#[test]
fn a_patch_or_delete_of_the_wrong_shape_is_an_error_that_names_the_place() {
    for (event, data, expected) in [
        ("patch", json!(1), "`the data` is not an object"),
        ("patch", json!({"data": {}}), "`path` is not text"),
        ("patch", json!({"path": 1, "data": {}}), "`path` is not text"),
        ("patch", json!({"path": "/flags/x"}), "`data` is not an object"),
        ("patch", json!({"path": "/flags/x", "data": true}), "`data` is not an object"),
        ("patch", json!({"path": "/flags/x", "data": {"version": 1.5}}), "`data.version` is not a whole number"),
        ("delete", json!({"version": 1}), "`path` is not text"),
        ("delete", json!({"path": "/flags/x"}), "`version` is not a whole number"),
        ("delete", json!({"path": "/flags/x", "version": null}), "`version` is not a whole number"),
        ("delete", json!({"path": "/flags/x", "version": "2"}), "`version` is not a whole number"),
        ("delete", json!({"path": "/flags/x", "version": -2}), "`version` is not a whole number"),
    ] {
        assert_eq!(error(event, &data), expected, "{event} {data}");
    }
}

#[test]
fn an_item_may_lack_everything() {
    for item in [json!({}), json!({"version": null, "deleted": null, "on": null})] {
        let patch = json!({"path": "/flags/x", "data": item}).to_string();
        assert_eq!(decode("patch", &patch), Ok(upsert(Kind::Flag, "x", Item::new(0, item))));
    }
}

#[test]
fn an_item_marked_as_deleted_is_a_tombstone() {
    let patch = json!({"path": "/flags/x", "data": {"version": 5, "deleted": true, "on": true}}).to_string();
    assert_eq!(decode("patch", &patch), Ok(upsert(Kind::Flag, "x", Item::tombstone(5))));
    let body = json!({"flags": {"x": {"version": 5, "deleted": true}}, "segments": {}}).to_string();
    assert_eq!(FlagData.body(body.as_bytes()), Ok(set(&[("x", Item::tombstone(5))], &[])));
}

#[test]
fn versions_reach_to_the_end_of_64_bits() {
    let delete = |version: &str| decode("delete", &format!(r#"{{"path": "/flags/x", "version": {version}}}"#));
    assert_eq!(delete("18446744073709551615"), Ok(upsert(Kind::Flag, "x", Item::tombstone(u64::MAX))));
    assert!(delete("18446744073709551616").is_err());
}
