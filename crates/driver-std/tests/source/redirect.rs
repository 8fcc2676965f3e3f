//! Redirects are followed, three at most, and a credential is for one server.

use retrylab_source::{Cause, Connection, Kind, PollingConfig, Secret, StreamingConfig};

use crate::server::{PUT, STREAM, Script, Server, answer, body, status};
use crate::stage::{Stage, Told, connection};

fn to(location: &str) -> Script {
    answer(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"))
}

fn authorized(request: &str) -> bool {
    request.contains("\r\nauthorization: my-sdk-key\r\n")
}

fn with_credential(stage: &Stage, uri: String) -> retrylab_driver_std::source::Source {
    let connection = Connection { credential: Some(Secret::new("my-sdk-key")), ..connection(uri) };
    stage.streaming(StreamingConfig::new(connection))
}

#[test]
fn up_to_three_redirects_are_followed() {
    for redirects in 1..=3 {
        let locations = (0..redirects).map(|number| to(&format!("/{number}")));
        let scripts: Vec<Script> = locations.chain([answer(format!("{STREAM}{PUT}"))]).collect();
        let mut server = Server::start(scripts);
        let stage = Stage::new();
        let _handle = with_credential(&stage, server.uri()).start();
        assert!(stage.until_wait().contains(&Told::Ready), "{redirects}");
        let requests = server.finish();
        let last = format!("GET /{} HTTP/1.1\r\n", redirects - 1);
        assert!(requests.last().unwrap().starts_with(&last));
        assert!(requests.iter().all(|request| authorized(request)));
    }
}

#[test]
fn the_fourth_redirect_is_a_failure_with_its_status() {
    let mut server = Server::start([to("/1"), to("/2"), to("/3"), to("/4")]);
    let stage = Stage::new();
    let _handle = stage.stream_from(server.uri()).start();
    assert_eq!(stage.failure().0, Cause::Status(302));
    assert_eq!(server.finish().len(), 4);
}

#[test]
fn a_redirect_to_nowhere_is_a_failure_with_its_status() {
    for location in ["ftp://example.org/all", "http://"] {
        let mut server = Server::start([to(location)]);
        let stage = Stage::new();
        let _handle = stage.stream_from(server.uri()).start();
        assert_eq!(stage.failure().0, Cause::Status(302), "{location}");
        server.finish();
    }
}

#[test]
fn what_is_behind_a_redirect_counts() {
    let mut server = Server::start([to("/there"), answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")]);
    let stage = Stage::new();
    let _handle = stage.stream_from(server.uri()).start();
    assert_eq!(stage.failure().0, Cause::Status(403));
    server.finish();
}

#[test]
fn a_redirect_with_an_endless_body_is_followed_all_the_same() {
    let endless: Script = Box::new(|mut exchange| {
        exchange.request();
        exchange.send("HTTP/1.1 301 Moved\r\nLocation: /there\r\nTransfer-Encoding: chunked\r\n\r\n");
        while std::io::Write::write_all(&mut exchange.socket, b"1\r\na\r\n").is_ok() {}
    });
    let mut server = Server::start([endless, answer(format!("{STREAM}{PUT}"))]);
    let stage = Stage::new();
    let _handle = stage.stream_from(server.uri()).start();
    assert!(stage.until_wait().contains(&Told::Ready));
    server.finish();
}

#[test]
fn the_credential_is_for_the_server_that_was_configured() {
    let mut elsewhere = Server::start([answer(format!("{STREAM}{PUT}"))]);
    let mut server = Server::start([to(&format!("{}/all", elsewhere.uri()))]);
    let stage = Stage::new();
    let _handle = with_credential(&stage, server.uri()).start();
    assert!(stage.until_wait().contains(&Told::Ready));
    assert!(authorized(&server.finish()[0]));
    assert!(!elsewhere.finish()[0].to_lowercase().contains("authorization"));
}

#[test]
fn a_credential_that_was_left_behind_is_not_taken_up_again() {
    // From home to elsewhere, and from there back home; elsewhere learns the way from the test.
    let (tell, told) = std::sync::mpsc::channel::<String>();
    let back: Script = Box::new(move |mut exchange| {
        exchange.request();
        let home = told.recv().unwrap();
        exchange.send(format!("HTTP/1.1 302 Found\r\nLocation: {home}/back\r\nContent-Length: 0\r\n\r\n"));
    });
    let mut elsewhere = Server::start([back]);
    let mut home = Server::start([to(&elsewhere.uri()), to("/again"), answer(format!("{STREAM}{PUT}"))]);
    tell.send(home.uri()).unwrap();
    let stage = Stage::new();
    let _handle = with_credential(&stage, home.uri()).start();
    assert!(stage.until_wait().contains(&Told::Ready));
    elsewhere.finish();
    let requests = home.finish();
    assert!(requests[1].starts_with("GET /back ") && requests[2].starts_with("GET /again "));
    assert_eq!(requests.iter().map(|request| authorized(request)).collect::<Vec<_>>(), [true, false, false]);
}

const DATA: &str = r#"{"flags":{"a":{"version":1}},"segments":{}}"#;

fn polls_with_credential(stage: &Stage, uri: String) -> retrylab_driver_std::source::Source {
    let connection = Connection { credential: Some(Secret::new("my-sdk-key")), ..connection(uri) };
    stage.polling(PollingConfig::new(connection))
}

/// The tag that each request asks about.
fn tags(requests: &[String]) -> Vec<Option<&str>> {
    requests.iter().map(|request| request.split("\r\n").find_map(|line| line.strip_prefix("if-none-match: "))).collect()
}

#[test]
fn a_poll_follows_up_to_three_redirects() {
    for redirects in 1..=3 {
        let locations = (0..redirects).map(|number| to(&format!("/{number}")));
        let scripts: Vec<Script> = locations.chain([answer(body("", DATA))]).collect();
        let mut server = Server::start(scripts);
        let stage = Stage::new();
        let _handle = polls_with_credential(&stage, server.uri()).start();
        assert!(stage.until_wait().contains(&Told::Success), "{redirects}");
        assert!(stage.store.get(Kind::Flag, "a").is_some());
        let requests = server.finish();
        assert!(requests.last().unwrap().starts_with(&format!("GET /{} HTTP/1.1\r\n", redirects - 1)));
        assert!(requests.iter().all(|request| authorized(request)));
    }
}

#[test]
fn the_fourth_redirect_of_a_poll_is_a_failure_with_its_status() {
    let mut server = Server::start([to("/1"), to("/2"), to("/3"), to("/4")]);
    let stage = Stage::new();
    let _handle = stage.poll_from(server.uri()).start();
    let line = "Error encountered when updating flags: status 302 without data - will retry in 30.0s".to_owned();
    assert_eq!(stage.failure(), (Cause::Status(302), line));
    assert_eq!(server.finish().len(), 4);
}

#[test]
fn the_tag_of_a_poll_goes_along_and_its_credential_stays() {
    let mut elsewhere = Server::start([answer(body("ETag: \"one\"\r\n", DATA)), answer(status("304 Not Modified"))]);
    let away = format!("{}/there", elsewhere.uri());
    let mut server = Server::start([to("/here"), to(&away), to("/here"), to(&away)]);
    let stage = Stage::with_waits(1);
    let _handle = polls_with_credential(&stage, server.uri()).start();
    for _ in 0..2 {
        assert!(stage.until_wait().contains(&Told::Success));
    }
    let (home, away) = (server.finish(), elsewhere.finish());
    assert!(home.iter().all(|request| authorized(request)));
    assert!(away.iter().all(|request| !request.to_lowercase().contains("authorization")));
    let one = Some("\"one\"");
    assert_eq!((tags(&home), tags(&away)), (vec![None, None, one, one], vec![None, one]));
}
