//! Items that are patched and deleted while a stream is open: only a higher version counts, and a deletion is remembered.
//!
//! What must not change is looked at when what the stream brought next is there, not after a while.

use serde_json::{Value, json};

use crate::data::{delete, everything, flag, flag_over, patch, segment, stream_of};
use crate::server::Driver;
use crate::service::Service;
use crate::upstream::Upstream;
use crate::wanted::Wanted;
use crate::{Row, row};

const VERSIONS: [(&str, u64, bool); 3] = [("higher", 101, true), ("same", 100, false), ("lower", 99, false)];

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (named, version, applied) in VERSIONS {
        let becomes = if applied { "is applied" } else { "is not applied" };
        let case = |what: &str| format!("streaming/updates/a {what} of {named} version {becomes}");
        rows.push(row(case("flag patch"), move |driver| {
            let value = if applied { "new" } else { "old" };
            let patch = ("patch", patch("flags", &flag("flag", version, "new")));
            play(driver, &everything(&[flag("flag", 100, "old")], &[]), &[patch], Some(value));
        }));
        rows.push(row(case("segment patch"), move |driver| {
            let value = if applied { "inside" } else { "outside" };
            let before = everything(&[flag_over("segment")], &[segment("segment", 100, &[])]);
            let patch = ("patch", patch("segments", &segment("segment", version, &["user-key"])));
            play(driver, &before, &[patch], Some(value));
        }));
        rows.push(row(case("flag delete"), move |driver| {
            let value = (!applied).then_some("old");
            let delete = ("delete", delete("flags", "flag", version));
            play(driver, &everything(&[flag("flag", 100, "old")], &[]), &[delete], value);
        }));
        rows.push(row(case("segment delete"), move |driver| {
            let value = if applied { "outside" } else { "inside" };
            let before = everything(&[flag_over("segment")], &[segment("segment", 100, &["user-key"])]);
            play(driver, &before, &[("delete", delete("segments", "segment", version))], Some(value));
        }));
    }
    rows.push(row("streaming/updates/a patch of a flag that was not there is applied", |driver| {
        play(driver, &everything(&[], &[]), &[("patch", patch("flags", &flag("flag", 100, "new")))], Some("new"));
    }));
    rows.push(row("streaming/updates/a patch of a segment that was not there is applied", |driver| {
        let patch = ("patch", patch("segments", &segment("segment", 100, &["user-key"])));
        play(driver, &everything(&[flag_over("segment")], &[]), &[patch], Some("inside"));
    }));
    rows.push(row("streaming/updates/a delete of a flag that was not there is remembered", |driver| {
        let delete = ("delete", delete("flags", "flag", 100));
        let patch = ("patch", patch("flags", &flag("flag", 100, "new")));
        play(driver, &everything(&[], &[]), &[delete, patch], None);
    }));
    rows.push(row("streaming/updates/a delete of a segment that was not there is remembered", |driver| {
        let delete = ("delete", delete("segments", "segment", 100));
        let patch = ("patch", patch("segments", &segment("segment", 100, &["user-key"])));
        play(driver, &everything(&[flag_over("segment")], &[]), &[delete, patch], Some("outside"));
    }));
    rows
}

/// Serves everything, then these events, and sees that `flag` has this value then; `None`: that there is no flag.
fn play(driver: Driver, before: &Value, events: &[(&str, String)], value: Option<&str>) {
    let upstream = Upstream::start([stream_of(before)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream));
    let stream = upstream.next();
    for (event, data) in events {
        stream.push(event, data);
    }
    stream.push("patch", &patch("flags", &flag("last", 1, "arrived")));
    client.becomes("last", json!("default"), json!("arrived"));
    assert_eq!(client.evaluate("flag", json!("default")), value.unwrap_or("default"));
    assert_eq!(client.evaluate_all().get("flag"), value.map(Value::from).as_ref());
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}
