//! How a stream is retried, and how it ends.

use std::time::Duration;

use serde_json::{Value, json};

use crate::data::{flag, patch, stream};
use crate::server::{Driver, Trial};
use crate::service::Service;
use crate::upstream::{Reply, Upstream};
use crate::wanted::Wanted;
use crate::{Row, row};

/// The wait after an unexpected failure: up to half of it less.
const SHORT: Trial = Trial { extended_initial: Some(Duration::from_millis(100)), poll_interval: None };

/// Beside a wait of many seconds.
const A_MOMENT: Duration = Duration::from_millis(100);

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("streaming/retries/a stream that was closed is opened again", closed),
        row("streaming/retries/the initial delay is waited", initial_delay),
        row("streaming/retries/the first connection breaks", |driver| normal_at_first(driver, Reply::Broken)),
        row("streaming/retries/the next connection breaks", |driver| normal_later(driver, Reply::Broken)),
        row("streaming/retries/an unexpected failure is followed by a long wait", long_wait),
        row("streaming/retries/unexpected failures without end are retried without end", sustained),
        row("streaming/end/a deleted client closes its connection", closes),
        row("streaming/end/a deleted client does not wait any longer", cuts_the_wait),
    ];
    for status in [400, 408, 429, 500, 503] {
        rows.push(row(format!("streaming/retries/the first connection meets {status}"), move |driver| {
            normal_at_first(driver, Reply::Status(status));
        }));
        rows.push(row(format!("streaming/retries/the next connection meets {status}"), move |driver| {
            normal_later(driver, Reply::Status(status));
        }));
    }
    for status in [401, 403, 405] {
        rows.push(row(format!("streaming/retries/the first connection meets {status}"), move |driver| {
            unexpected_at_first(driver, status);
        }));
        rows.push(row(format!("streaming/retries/the next connection meets {status}"), move |driver| {
            unexpected_later(driver, status);
        }));
    }
    rows
}

fn closed(driver: Driver) {
    let upstream = Upstream::start([stream(1), stream(2)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).eager());
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    upstream.next().close();
    upstream.next();
    client.becomes("flag", json!(1), json!(2));
    client.delete();
    assert_eq!(upstream.connections(), 2);
    service.quit();
}

fn initial_delay(driver: Driver) {
    let upstream = Upstream::start([stream(1), stream(2)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).with_own("initialRetryDelayMs", 10_000));
    let first = upstream.next();
    first.close();
    first.gone(crate::upstream::LIMIT);
    // The wait is at least 5 s.
    upstream.none_for(A_MOMENT);
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}

fn normal_at_first(driver: Driver, reply: Reply) {
    let upstream = Upstream::start([reply.clone(), reply, stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).eager());
    let [_, _, third] = [(); 3].map(|()| upstream.next());
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    // The third connection is the one in use, and the last.
    third.push("patch", &patch("flags", &flag("last", 1, "arrived")));
    client.becomes("last", json!("default"), json!("arrived"));
    client.delete();
    assert_eq!(upstream.connections(), 3);
    service.quit();
}

fn normal_later(driver: Driver, reply: Reply) {
    let upstream = Upstream::start([stream(1), reply.clone(), reply, stream(2)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).eager());
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    upstream.next().close();
    client.becomes("flag", json!(1), json!(2));
    client.delete();
    assert_eq!(upstream.connections(), 4);
    service.quit();
}

fn unexpected_at_first(driver: Driver, status: u16) {
    let upstream = Upstream::start([Reply::Status(status), stream(1)]);
    let service = Service::start(driver, SHORT);
    let client = service.create(Wanted::streaming(&upstream).eager().uninitialized_after(1));
    client.becomes("flag", json!("default"), json!(1));
    client.delete();
    assert_eq!(upstream.connections(), 2);
    service.quit();
}

fn unexpected_later(driver: Driver, status: u16) {
    let upstream = Upstream::start([stream(1), Reply::Status(status), stream(2)]);
    let service = Service::start(driver, SHORT);
    let client = service.create(Wanted::streaming(&upstream).eager());
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    upstream.next().close();
    client.becomes("flag", json!(1), json!(2));
    client.delete();
    assert_eq!(upstream.connections(), 3);
    service.quit();
}

fn long_wait(driver: Driver) {
    let upstream = Upstream::start([Reply::Status(401), stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).eager().uninitialized_after(1));
    upstream.next();
    // The wait is at least 150 s.
    upstream.none_for(A_MOMENT);
    assert_eq!(client.evaluate("flag", Value::Null), Value::Null);
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}

fn sustained(driver: Driver) {
    let upstream = Upstream::start([Reply::Status(401)]);
    let service = Service::start(driver, SHORT);
    let client = service.create(Wanted::streaming(&upstream).eager().uninitialized_after(1));
    for _ in 0..4 {
        upstream.next();
    }
    assert_eq!(client.evaluate("flag", Value::Null), Value::Null);
    client.delete();
    service.quit();
}

fn closes(driver: Driver) {
    let upstream = Upstream::start([stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream));
    let stream = upstream.next();
    client.delete();
    stream.gone(Duration::from_secs(3));
    assert_eq!(upstream.connections(), 1);
    service.quit();
}

fn cuts_the_wait(driver: Driver) {
    let upstream = Upstream::start([Reply::Status(403)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).uninitialized_after(1));
    upstream.next().gone(crate::upstream::LIMIT);
    // Of the 150 s that this wait has at least, the request would not wait one half.
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}
