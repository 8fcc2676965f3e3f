//! Redirects are followed, three at most, and a credential is for one server.

use retrylab_source::{Cause, Connection, Secret, StreamingConfig};

use crate::server::{PUT, STREAM, Script, Server, answer};
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
