//! What the service says to requests, good ones and bad ones, and how its clients live beside each other.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use retrylab_driver::source::blocking::Source;
use serde_json::{Value, json};

use crate::data::{flag, patch, stream};
use crate::server::{Driver, Setting};
use crate::service::Service;
use crate::upstream::{LIMIT, Reply, Upstream};
use crate::wanted::Wanted;
use crate::{Row, row};

pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("protocol/the service says what it can do", describes),
        row("protocol/clients are numbered below the service", locations),
        row("protocol/requests that cannot be read are refused", unreadable),
        row("protocol/a client without a usable base URI is refused", no_base),
        row("protocol/a client that is not there is not found", missing),
        row("protocol/commands about events are accepted", events),
        row("protocol/unknown commands are refused", unknown_command),
        row("protocol/a client that gets no data in time is no client", uninitialized),
        row("protocol/a server that says nothing holds nobody up", silence),
        row("protocol/without data every flag has its default", defaults),
        row("protocol/many clients live beside each other", many),
        row("protocol/who quits ends every client", quits),
        row("protocol/who quits ends the wait for a client", quits_while_waiting),
        row("protocol/who quits does not wait for half a request", quits_on_the_slow),
        row("protocol/each client waits as long as it says", waits_of_their_own),
        row("protocol/nobody waits for the end of a client that got no data", end_unawaited),
        row("protocol/a start wait of 0 is the default one", zero_start_wait),
    ]
}

fn describes(driver: Driver) {
    let service = Service::full_length(driver);
    let answer = service.get("/");
    assert_eq!(answer.status, 200);
    let described: Value = serde_json::from_str(&answer.text).unwrap();
    assert!(described["name"].is_string() && described["clientVersion"].is_string(), "{described}");
    // Neither TLS nor proxies nor filters; and since it never stops, not what would check that it does.
    let capabilities =
        ["server-side", "server-side-polling", "retry-conformance-fdv1-streaming", "retry-conformance-fdv1-polling"];
    assert_eq!(described["capabilities"], json!(capabilities));
    service.quit();
}

fn locations(driver: Driver) {
    let upstream = Upstream::start([stream(1)]);
    let service = Service::full_length(driver);
    let first = service.create(Wanted::streaming(&upstream));
    let second = service.create(Wanted::streaming(&upstream));
    assert_eq!([&first.location, &second.location], ["/clients/1", "/clients/2"]);
    first.delete();
    second.delete();
    service.quit();
}

fn unreadable(driver: Driver) {
    let upstream = Upstream::start([stream(1)]);
    let service = Service::full_length(driver);
    let mut bad = vec![String::new(), "{sorry".to_owned(), "[]".to_owned(), r#"{"tag": "x"}"#.to_owned()];
    let wanted = || Wanted::streaming(&upstream);
    for wrong in [
        wanted().with("startWaitTimeMs", "1"),
        wanted().with("startWaitTimeMs", -1),
        wanted().with("initCanFail", "yes"),
        wanted().with("credential", 7),
        wanted().with("streaming", true),
        wanted().with("serviceEndpoints", "x"),
        wanted().with_own("baseUri", 7),
        wanted().with_own("initialRetryDelayMs", "1"),
    ] {
        bad.push(Value::from(wrong).to_string());
    }
    for body in bad {
        let answer = service.post("/", &body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert_ne!(answer.text, "", "{body}");
    }
    let client = service.create(wanted().with("initCanFail", Value::Null));
    for body in ["", "{sorry", "[]", r#"{"command": 7}"#, r#"{"command": "evaluate", "evaluate": 7}"#] {
        assert_eq!(service.post(&client.location, body).status, 400, "{body}");
    }
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    client.delete();
    assert_eq!(upstream.connections(), 1);
    service.quit();
}

fn no_base(driver: Driver) {
    let service = Service::full_length(driver);
    for mode in ["streaming", "polling"] {
        for base in [Value::Null, json!(""), json!("ftp://127.0.0.1"), json!("x y")] {
            let wanted = Value::from(Wanted::at(mode, "").with_own("baseUri", base));
            assert_eq!(service.post("/", &wanted.to_string()).status, 400, "{wanted}");
        }
    }
    // Neither mode is chosen, so it is streaming.
    let answer = service.post("/", r#"{"configuration": {}}"#);
    assert_eq!(answer.status, 400);
    assert!(answer.text.contains("`streaming.baseUri`"), "{}", answer.text);
    service.quit();
}

fn missing(driver: Driver) {
    let upstream = Upstream::start([stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream));
    let location = client.location.clone();
    client.delete();
    for path in [location.as_str(), "/clients/7", "/clients/x", "/clients/-1"] {
        assert_eq!(service.post(path, r#"{"command": "flushEvents"}"#).status, 404, "{path}");
        assert_eq!(service.delete(path).status, 404, "{path}");
    }
    service.quit();
}

fn events(driver: Driver) {
    let upstream = Upstream::start([stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream));
    for command in ["flush", "flushEvents", "customEvent", "identifyEvent"] {
        let answer = service.post(&client.location, &json!({ "command": command, command: {} }).to_string());
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{command}");
    }
    client.delete();
    service.quit();
}

fn unknown_command(driver: Driver) {
    let upstream = Upstream::start([stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream));
    for (command, word) in [("sing", "`sing` is unknown"), ("evaluate", "needs a member"), ("evaluateAll", "needs")] {
        let answer = service.post(&client.location, &json!({ "command": command, command: null }).to_string());
        assert_eq!(answer.status, 400);
        assert!(answer.text.contains(word), "{}", answer.text);
    }
    client.delete();
    service.quit();
}

fn uninitialized(driver: Driver) {
    let upstream = Upstream::start([Reply::Status(401)]);
    let service = Service::full_length(driver);
    let wanted = Value::from(Wanted::streaming(&upstream).with("startWaitTimeMs", 50)).to_string();
    let answer = service.post("/", &wanted);
    assert_eq!(answer.status, 500, "{answer:?}");
    assert!(answer.text.contains("start wait"), "{answer:?}");
    assert_eq!(service.delete("/clients/1").status, 404);
    service.quit();
    assert!(upstream.connections() <= 1);
}

fn silence(driver: Driver) {
    let upstream = Upstream::start([Reply::Silence]);
    let service = Service::full_length(driver);
    let wanted = || Wanted::streaming(&upstream).with("startWaitTimeMs", 50);
    assert_eq!(service.post("/", &Value::from(wanted()).to_string()).status, 500);
    upstream.next().gone(LIMIT);
    let client = service.create(wanted().with("initCanFail", true));
    let request = upstream.next();
    client.delete();
    request.gone(LIMIT);
    service.quit();
}

fn defaults(driver: Driver) {
    let upstream = Upstream::start([Reply::Silence]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).uninitialized_after(1));
    assert_eq!(client.evaluate("flag", json!({ "any": "thing" })), json!({ "any": "thing" }));
    assert_eq!(client.evaluate_all(), json!({ "$flagsState": {}, "$valid": false }));
    client.delete();
    service.quit();
}

fn many(driver: Driver) {
    let service = Service::full_length(driver);
    let streams: Vec<Upstream> = (0..8).map(|_| Upstream::start([stream(1)])).collect();
    let rejecting = Upstream::start([Reply::Status(401)]);
    let silent = Upstream::start([Reply::Silence]);
    let (mut clients, waiting, held) = thread::scope(|scope| {
        let create = |wanted: Wanted| {
            let service = &service;
            scope.spawn(move || service.create(wanted))
        };
        let without_data = |upstream| create(Wanted::streaming(upstream).uninitialized_after(200));
        let (waiting, held) = (without_data(&rejecting), without_data(&silent));
        let clients: Vec<_> = streams.iter().map(|upstream| create(Wanted::streaming(upstream))).collect();
        let clients: Vec<_> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        (clients, waiting.join().unwrap(), held.join().unwrap())
    });
    let arrivals: Vec<_> = streams.iter().map(Upstream::next).collect();
    let last = clients.pop().unwrap();
    last.delete();
    arrivals[7].gone(LIMIT);
    arrivals[0].push("patch", &patch("flags", &flag("mine", 1, "arrived")));
    clients[0].becomes("mine", json!("default"), json!("arrived"));
    for client in &clients[1..] {
        assert_eq!(client.evaluate("mine", json!("default")), "default");
        assert_eq!(client.evaluate("flag", Value::Null), 1);
    }
    assert_eq!(waiting.evaluate("flag", Value::Null), Value::Null);
    held.delete();
    waiting.delete();
    for client in clients {
        client.delete();
    }
    for upstream in streams {
        assert_eq!(upstream.connections(), 1);
    }
    service.quit();
}

fn quits(driver: Driver) {
    let service = Service::full_length(driver);
    let (upstream, rejecting) = (Upstream::start([stream(1)]), Upstream::start([Reply::Status(401)]));
    service.create(Wanted::streaming(&upstream));
    service.create(Wanted::streaming(&rejecting).uninitialized_after(1));
    let stream = upstream.next();
    service.quit();
    stream.gone(LIMIT);
}

fn quits_on_the_slow(driver: Driver) {
    let service = Service::full_length(driver);
    let _halves = ["", "POST / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{"]
        .map(|half| service.half(half));
    // What was sent before is taken up before this is answered, or never.
    assert_eq!(service.get("/").status, 200);
    service.quit();
}

fn quits_while_waiting(driver: Driver) {
    let upstream = Upstream::start([Reply::Silence]);
    let service = Service::full_length(driver);
    let wanted = Value::from(Wanted::streaming(&upstream).with("startWaitTimeMs", 3_600_000)).to_string();
    thread::scope(|scope| {
        let creating = scope.spawn(|| service.post("/", &wanted));
        let request = upstream.next();
        assert_eq!(service.delete("/").status, 204);
        assert_eq!(creating.join().unwrap().status, 500);
        request.gone(LIMIT);
    });
}

fn waits_of_their_own(driver: Driver) {
    let upstream = Upstream::start([Reply::Silence]);
    let service = Service::full_length(driver);
    let with_wait = |ms: u64| Value::from(Wanted::streaming(&upstream).with("startWaitTimeMs", ms)).to_string();
    let (long, short) = (with_wait(3_600_000), with_wait(10));
    thread::scope(|scope| {
        let patient = scope.spawn(|| service.post("/", &long));
        upstream.next();
        assert_eq!(service.post("/", &short).status, 500);
        assert!(!patient.is_finished());
        service.delete("/");
        assert_eq!(patient.join().unwrap().status, 500);
    });
}

fn end_unawaited(driver: Driver) {
    let upstream = Upstream::start([Reply::Status(503)]);
    // A thread that does not let itself be stopped, until this is dropped.
    let (release, held) = channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let thread = move |source: Source| {
        let held = Arc::clone(&held);
        source.sleeper(move |_: Duration| {
            // Nothing is ever sent.
            let _ = held.lock().unwrap().recv();
        })
    };
    let service = Service::with(driver, Setting { thread: Box::new(thread), ..Setting::default() });
    let wanted = Value::from(Wanted::streaming(&upstream).with("startWaitTimeMs", 10)).to_string();
    assert_eq!(service.post("/", &wanted).status, 500);
    drop(release);
    service.quit();
}

fn zero_start_wait(driver: Driver) {
    // Whoever did not wait would not see the third connection.
    let upstream = Upstream::start([Reply::Broken, Reply::Broken, stream(1)]);
    let service = Service::full_length(driver);
    let client = service.create(Wanted::streaming(&upstream).eager().with("startWaitTimeMs", 0));
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    client.delete();
    service.quit();
}
