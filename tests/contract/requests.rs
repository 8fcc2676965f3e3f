//! What a source's requests look like.

use serde_json::{Value, json};

use crate::data::{body, stream};
use crate::server::Driver;
use crate::service::Service;
use crate::upstream::{Reply, Upstream};
use crate::wanted::Wanted;
use crate::{Row, row};

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for mode in [STREAMING, POLLING] {
        let name = mode.name;
        rows.extend([
            row(format!("{name}/requests/one GET that carries the credential"), move |driver| credential(driver, mode)),
            row(format!("{name}/requests/without a credential there is no header"), move |driver| {
                no_credential(driver, mode);
            }),
            row(format!("{name}/requests/the path is added to a base URI"), move |driver| path(driver, mode, "")),
            row(format!("{name}/requests/a slash at its end is not doubled"), move |driver| path(driver, mode, "/")),
            row(format!("{name}/requests/a base URI is found among the service endpoints"), move |driver| {
                endpoints(driver, mode);
            }),
        ]);
    }
    rows
}

#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    reply: fn(u64) -> Reply,
    request: &'static str,
}

const STREAMING: Mode = Mode { name: "streaming", reply: stream, request: "GET /endpoints/1/all HTTP/1.1" };

const POLLING: Mode = Mode { name: "polling", reply: body, request: "GET /endpoints/1/sdk/latest-all HTTP/1.1" };

fn credential(driver: Driver, mode: Mode) {
    let upstream = Upstream::start([(mode.reply)(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::at(mode.name, &upstream.base()).with("credential", "my-sdk-key"));
    let arrival = upstream.next();
    assert_eq!(arrival.request(), mode.request);
    assert_eq!(arrival.headers("authorization"), ["my-sdk-key"]);
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}

fn no_credential(driver: Driver, mode: Mode) {
    for nothing in [Value::Null, json!("")] {
        let upstream = Upstream::start([(mode.reply)(1)]);
        let service = Service::full_length(driver);
        let client = service.create(Wanted::at(mode.name, &upstream.base()).with("credential", nothing));
        assert_eq!(upstream.next().headers("authorization"), [""; 0]);
        client.delete();
        service.quit();
    }
}

fn path(driver: Driver, mode: Mode, slash: &str) {
    let upstream = Upstream::start([(mode.reply)(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::at(mode.name, &(upstream.base() + slash)));
    // No query either: the line would have it.
    assert_eq!(upstream.next().request(), mode.request);
    client.delete();
    service.quit();
}

fn endpoints(driver: Driver, mode: Mode) {
    let upstream = Upstream::start([(mode.reply)(1)]);
    let other = Upstream::start([(mode.reply)(1)]);
    let service = Service::full_length(driver);
    let endpoints = |base: String| json!({ mode.name: base, "events": null });
    let shared = Wanted::at(mode.name, "").with_own("baseUri", Value::Null);
    let shared = service.create(shared.with("serviceEndpoints", endpoints(upstream.base())));
    assert_eq!(upstream.next().request(), mode.request);
    // Its own comes first.
    let own = Wanted::at(mode.name, &upstream.base()).with("serviceEndpoints", endpoints(other.base()));
    let own = service.create(own);
    assert_eq!(upstream.next().request(), mode.request);
    shared.delete();
    own.delete();
    assert_eq!(other.connections(), 0);
    service.quit();
}
