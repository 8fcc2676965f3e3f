//! Polls over a real socket.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use retrylab_core::Fault;
use retrylab_source::{Cause, Connection, ErrorKind, Kind, Level, PollingConfig, SourceError, State};

use crate::server::{Script, Server, answer, body, hold, status};
use crate::stage::{Stage, Told, connection};

const DATA: &str = r#"{"flags":{"a":{"version":1}},"segments":{}}"#;
const INTERVAL: Duration = Duration::from_secs(30);

fn fails(script: Script) -> (Cause, String) {
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let _handle = stage.poll_from(server.uri()).start();
    let failure = stage.failure();
    server.finish();
    failure
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("works");
    encoder.finish().expect("works")
}

#[test]
fn a_poll_brings_data_then_valid_then_ready_then_success() {
    let mut server = Server::start([answer(body("X-LD-EnvID: production\r\n", DATA))]);
    let stage = Stage::new();
    let handle = stage.poll_from(server.uri()).start();
    let start = format!("Starting to poll every 30s (http://{}/sdk/latest-all)", server.address);
    assert_eq!(
        stage.until_wait(),
        [
            Told::Log(Level::Info, start),
            Told::Environment("production".to_owned()),
            Told::Status(State::Valid, None),
            Told::Ready,
            Told::Log(Level::Info, "Initialized ok".to_owned()),
            Told::Log(Level::Debug, "Data handled".to_owned()),
            Told::Success,
            Told::Waits(INTERVAL),
        ]
    );
    assert!(handle.is_initialized() && stage.store.get(Kind::Flag, "a").is_some());
    let requests = server.finish();
    let lines: Vec<&str> = requests[0].trim_end().split("\r\n").collect();
    assert_eq!(lines[0], "GET /sdk/latest-all HTTP/1.1");
    assert!(lines.contains(&"accept-encoding: gzip"), "{lines:?}");
}

#[test]
fn a_tag_is_sent_back_and_nothing_new_is_a_success() {
    let mut server = Server::start([
        answer(body("ETag: \"one\"\r\n", DATA)),
        answer(status("304 Not Modified")),
        answer(body("", DATA)),
        answer(status("304 Not Modified")),
    ]);
    let stage = Stage::with_waits(3);
    let _handle = stage.poll_from(server.uri()).start();
    let outcomes: Vec<bool> = (0..4).map(|_| stage.until_wait().contains(&Told::Success)).collect();
    // The last 304 answers a poll that had no tag; there is data all the same.
    assert_eq!(outcomes, [true, true, true, true]);
    let tags: Vec<Option<String>> = server
        .finish()
        .iter()
        .map(|request| request.split("\r\n").find(|line| line.starts_with("if-none-match")).map(str::to_owned))
        .collect();
    let one = || Some("if-none-match: \"one\"".to_owned());
    assert_eq!(tags, [None, one(), one(), None]);
}

#[test]
fn nothing_new_without_anything_old_is_a_failure() {
    let (cause, line) = fails(answer(status("304 Not Modified")));
    assert_eq!(cause, Cause::Status(304));
    assert_eq!(line, "Error encountered when updating flags: status 304 without data - will retry in 30.0s");
}

#[test]
fn a_body_may_be_compressed() {
    let mut server = Server::start([answer(body("Content-Encoding: gzip\r\n", gzip(DATA.as_bytes())))]);
    let stage = Stage::new();
    let _handle = stage.poll_from(server.uri()).start();
    assert!(stage.until_wait().contains(&Told::Success));
    assert!(stage.store.get(Kind::Flag, "a").is_some());
    server.finish();
}

#[test]
fn what_a_poll_meets_is_classified() {
    let cut = gzip(DATA.as_bytes())[..20].to_vec();
    for (name, script, expected) in [
        ("204", answer(status("204 No Content")), Cause::Status(204)),
        ("401", answer(status("401 Unauthorized")), Cause::Status(401)),
        ("503", answer(status("503 Unavailable")), Cause::Status(503)),
        ("no JSON", answer(body("", "<html>")), Cause::Fault(Fault::Malformed)),
        ("no flags", answer(body("", r#"{"flags":true}"#)), Cause::Fault(Fault::MissingKey)),
        ("no gzip", answer(body("Content-Encoding: gzip\r\n", DATA)), Cause::Fault(Fault::Malformed)),
        ("half a gzip", answer(body("Content-Encoding: gzip\r\n", cut)), Cause::Fault(Fault::Malformed)),
        ("half a body", answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"), Cause::Fault(Fault::Reset)),
        ("no answer", answer(""), Cause::Fault(Fault::Reset)),
    ] {
        assert_eq!(fails(script).0, expected, "{name}");
    }
}

#[test]
fn a_body_that_is_too_large_is_malformed_compressed_or_not() {
    let large = vec![b' '; 4 << 20];
    for script in [
        hold(body("Content-Encoding: gzip\r\n", gzip(&large))),
        Box::new(|mut exchange: crate::server::Exchange| {
            exchange.request();
            exchange.send("HTTP/1.1 200 OK\r\n\r\n");
            let piece = [b' '; 1 << 20];
            let sent = (0..100).take_while(|_| exchange.socket.write_all(&piece).is_ok()).count();
            assert!(sent < 50, "{sent} MiB");
        }) as Script,
    ] {
        let mut server = Server::start([script]);
        let stage = Stage::new();
        let connection = Connection { size_limit: 1 << 20, ..connection(server.uri()) };
        let _handle = stage.polling(PollingConfig::new(connection)).start();
        let (cause, line) = stage.failure();
        assert_eq!(cause, Cause::Fault(Fault::Malformed));
        assert!(
            line.ends_with(" (the body is larger than the 1048576 bytes that are allowed) - will retry in 30.0s"),
            "{line}"
        );
        server.finish();
    }
}

#[test]
fn a_body_of_exactly_the_limit_is_allowed() {
    for (spare, success) in [(0, true), (1, false)] {
        let mut server = Server::start([answer(body("", DATA))]);
        let stage = Stage::new();
        let connection = Connection { size_limit: DATA.len() - spare, ..connection(server.uri()) };
        let _handle = stage.polling(PollingConfig::new(connection)).start();
        assert_eq!(stage.until_wait().contains(&Told::Success), success);
        server.finish();
    }
}

#[test]
fn every_poll_has_a_connection_of_its_own() {
    // Each would hold its connection until the client closes it, and only then takes the next.
    let mut server = Server::start([hold(body("", DATA)), hold(body("", DATA)), hold(status("503 Unavailable"))]);
    let stage = Stage::with_waits(2);
    let _handle = stage.poll_from(server.uri()).start();
    assert!(stage.until_wait().contains(&Told::Success));
    assert!(stage.until_wait().contains(&Told::Success));
    let refused = SourceError { kind: ErrorKind::ErrorResponse, status: 503 };
    assert!(stage.until_wait().contains(&Told::Status(State::Interrupted, Some(refused))));
    assert_eq!(server.finish().len(), 3);
}
