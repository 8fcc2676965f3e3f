//! Data that a stream should not have sent.

use serde_json::{Value, json};

use crate::data::{numbered, patch, stream};
use crate::server::Driver;
use crate::service::Service;
use crate::upstream::Upstream;
use crate::wanted::Wanted;
use crate::{Row, row};

/// Ends the connection; the data remains.
const BAD: [(&str, &str, &str); 7] = [
    ("a put that is not JSON", "put", "{sorry"),
    ("a patch that is not JSON", "patch", "{sorry"),
    ("a delete that is not JSON", "delete", "{sorry"),
    ("a put whose flags are none", "put", r#"{"data": {"flags": true, "segments": {}}}"#),
    ("a patch whose flag is none", "patch", r#"{"path": "/flags/x", "data": true}"#),
    ("a delete whose version is none", "delete", r#"{"path": "/flags/x", "version": "1"}"#),
    ("a delete that breaks off", "delete", r#"{"path": "/flags/x", "version": "1""#),
];

/// Changes nothing.
const UNKNOWN: [(&str, &str, &str); 3] = [
    ("an unknown event with JSON", "whatever", r#"{"path": "/flags/flag", "version": 9}"#),
    ("an unknown event without JSON", "whatever", "{sorry"),
    ("a patch of another kind of thing", "patch", r#"{"path": "/cats/lucy", "data": {"version": 9}}"#),
];

pub(crate) fn rows() -> Vec<Row> {
    let bad = BAD.into_iter().map(|(name, event, data)| {
        row(format!("streaming/validation/{name} ends the connection"), move |driver| reconnects(driver, event, data))
    });
    let unknown = UNKNOWN.into_iter().map(|(name, event, data)| {
        row(format!("streaming/validation/{name} is ignored"), move |driver| ignores(driver, event, data))
    });
    bad.chain(unknown).collect()
}

fn reconnects(driver: Driver, event: &str, data: &str) {
    let upstream = Upstream::start([stream(1), stream(2)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).eager());
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    let first = upstream.next();
    first.push(event, data);
    client.becomes("flag", json!(1), json!(2));
    first.gone(crate::upstream::LIMIT);
    client.delete();
    assert_eq!(upstream.connections(), 2);
    service.quit();
}

fn ignores(driver: Driver, event: &str, data: &str) {
    let upstream = Upstream::start([stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).eager());
    let stream = upstream.next();
    stream.push(event, data);
    // It comes over the connection that is there, so that one was kept.
    stream.push("patch", &patch("flags", &numbered(2)));
    client.becomes("flag", json!(1), json!(2));
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}
