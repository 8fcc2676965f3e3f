//! How polls are repeated and retried, and a body as large as they come.

use std::time::Duration;

use serde_json::{Value, json};

use crate::data::{body, everything, flag};
use crate::server::{Driver, Trial};
use crate::service::Service;
use crate::upstream::{LIMIT, Reply, Upstream};
use crate::wanted::Wanted;
use crate::{Row, row};

const SHORT: Trial =
    Trial { extended_initial: Some(Duration::from_millis(100)), poll_interval: Some(Duration::from_millis(50)) };

/// Beside a wait of many seconds.
const A_MOMENT: Duration = Duration::from_millis(100);

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("polling/payload/a thousand flags are all there", large),
        row("polling/retries/good polls go on after a bad one", goes_on),
        row("polling/interval/an interval below 30 s is 30 s", least_interval),
        row("polling/interval/a trial has intervals as short as it wants", trial_interval),
        row("polling/end/a deleted client does not wait any longer", cuts_the_wait),
    ];
    for status in [401, 403, 405] {
        rows.push(row(format!("polling/retries/the first poll meets {status}"), move |driver| {
            unexpected(driver, status);
        }));
    }
    rows
}

fn large(driver: Driver) {
    let mut flags: Vec<Value> = (0..1000).map(|n| flag(&format!("flag-key-{n}"), 0, "off")).collect();
    let last = &mut flags[999];
    last["on"] = true.into();
    last["variations"] = json!(["off", "fallthrough"]);
    last["fallthrough"] = json!({ "variation": 1 });
    let mut keyless = flag("", 0, Value::Null);
    keyless["variations"] = json!([]);
    keyless["offVariation"] = Value::Null;
    flags.push(keyless);
    let everything = everything(&flags, &[]).to_string();
    assert!(everything.len() > 300_000, "{}", everything.len());
    let upstream = Upstream::start([Reply::Body(everything)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::polling(&upstream).with("credential", "my-sdk-key"));
    assert_eq!(client.evaluate("flag-key-0", json!("default")), "off");
    assert_eq!(client.evaluate("flag-key-999", json!("default")), "fallthrough");
    assert_eq!(client.evaluate("", json!("default")), "default");
    assert_eq!(client.evaluate_all()[""], Value::Null);
    client.delete();
    service.quit();
}

fn unexpected(driver: Driver, status: u16) {
    let upstream = Upstream::start([Reply::Status(status), body(1)]);
    let service = Service::start(driver, SHORT);
    let client = service.create(Wanted::polling(&upstream).uninitialized_after(1));
    client.becomes("flag", json!("default"), json!(1));
    client.delete();
    service.quit();
}

/// Polls go on; how long they wait is seen on a stepped clock.
fn goes_on(driver: Driver) {
    let upstream = Upstream::start([Reply::Status(401), body(1), body(1), body(2)]);
    let service = Service::start(driver, SHORT);
    let client = service.create(Wanted::polling(&upstream).uninitialized_after(1));
    for _ in 0..4 {
        upstream.next();
    }
    client.becomes("flag", json!(1), json!(2));
    client.delete();
    service.quit();
}

fn least_interval(driver: Driver) {
    let upstream = Upstream::start([body(1), body(2)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::polling(&upstream).with_own("pollIntervalMs", 1));
    upstream.next();
    upstream.none_for(A_MOMENT);
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}

fn trial_interval(driver: Driver) {
    let upstream = Upstream::start([body(1), body(2)]);
    let service = Service::start(driver, SHORT);
    let slow = service.create(Wanted::polling(&upstream).with_own("pollIntervalMs", 60_000));
    upstream.next();
    upstream.none_for(A_MOMENT);
    slow.delete();
    let fast = service.create(Wanted::polling(&upstream).with_own("pollIntervalMs", 1));
    for _ in 0..3 {
        upstream.next();
    }
    fast.delete();
    service.quit();
}

fn cuts_the_wait(driver: Driver) {
    let upstream = Upstream::start([Reply::Status(401)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::polling(&upstream).uninitialized_after(1));
    upstream.next().gone(LIMIT);
    // Of the 150 s that this wait has at least, the request would not wait one half.
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}
