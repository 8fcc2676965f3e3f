//! What only polls do: tags, and bodies that are compressed.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use retrylab_source::{Kind, Secret};

use crate::journal::{BOTH, Journal, On, met, played, polling, with, without_details};
use crate::server::{End, Script, Server, answer, read_head, status};

const BODY: &str = r#"{"flags": {"f": {"version": 7}}, "segments": {}}"#;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn compressed(body: impl AsRef<[u8]>) -> Script {
    Script::closes(answer("Content-Encoding: gzip\r\n", body))
}

#[test]
fn a_poll_requests_changes_since_the_last_one() {
    for on in BOTH {
        let server = Server::play([
            Script::closes(answer("ETag: \"one\"\r\nX-LD-EnvID: here\r\n", BODY)),
            Script::closes("HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n\r\n"),
            Script::closes(answer("", BODY)),
            Script::closes(status(304)),
        ]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, polling(server.uri()), 3).start();
        let entries = journal.until("wait ");
        assert_eq!(entries[1], format!("detail http://127.0.0.1:{}/sdk/latest-all", server.port));
        assert_eq!(
            without_details(entries),
            [
                "info Starting to poll every 30s",
                "environment here",
                "status VALID",
                "ready",
                "info Initialized ok",
                "debug Data handled",
                "success",
                "wait 30s",
            ]
        );
        let unchanged = ["debug Data not modified", "debug Data handled", "success", "wait 30s"];
        assert_eq!(journal.until("wait "), unchanged);
        journal.until("wait ");
        // The last 304 answers a poll that had no tag; there is data all the same.
        assert_eq!(journal.until("wait "), unchanged);
        assert_eq!(journal.store.version(), 7);
        assert_eq!(handle.environment().as_deref(), Some("here"), "the last answers name none");
        handle.end();

        let requests = server.requests();
        let tags = requests.iter().map(|request| request.lines().find(|line| line.starts_with("if-none-match")));
        let one = Some("if-none-match: \"one\"");
        assert_eq!(tags.collect::<Vec<_>>(), [None, one, one, None]);
    }
}

#[test]
fn a_request_has_the_expected_form() {
    for on in BOTH {
        let server = Server::play([Script::closes(answer("", BODY))]);
        let config = polling(format!("{}/base/", server.uri()));
        met(on, with(config, |connection| connection.credential = Some(Secret::new("my-key"))));
        let host = format!("host: 127.0.0.1:{}", server.port);
        let requests = server.requests();
        let mut lines: Vec<_> = requests[0].trim_end().lines().collect();
        assert_eq!(lines.remove(0), "GET /base/sdk/latest-all HTTP/1.1");
        lines.retain(|line| *line != "accept: */*");
        lines.sort_unstable();
        assert_eq!(lines, ["accept-encoding: gzip", "authorization: my-key", &host, "user-agent: retrylab/0.1.0"]);
    }
}

#[test]
fn a_compressed_body_is_data_like_any_other() {
    for on in BOTH {
        let server = Server::play([compressed(gzip(BODY.as_bytes()))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, polling(server.uri()), 0).start();
        journal.until("ready");
        assert_eq!(journal.store.get(Kind::Flag, "f").unwrap()["version"], 7);
        handle.end();
    }
}

#[test]
fn a_body_that_cannot_be_decompressed_or_is_too_large_is_malformed() {
    let bomb = gzip(&vec![b' '; 8 << 20]);
    assert!(bomb.len() < 100_000, "as packed it is small");
    let whole = gzip(BODY.as_bytes());
    let broken = [&whole[..12], &[0xff; 20]].concat();
    let half = whole[..20].to_vec();
    for body in [bomb, broken, half, BODY.into()] {
        let config = |uri| with(polling(uri), |connection| connection.size_limit = 1 << 20);
        assert_eq!(played(config, &compressed(body))[0], "failure malformed normal 30s");
    }
}

#[test]
fn a_body_that_is_too_large_is_not_read_to_its_end() {
    for on in BOTH {
        let server = Server::speak(1, |_, stream| {
            let request = read_head(stream);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("a reader");
            let piece = [b' '; 1 << 20];
            let sent = (0..100).take_while(|_| stream.write_all(&piece).is_ok()).count();
            // The buffers of the system's sockets take some; the source takes its limit.
            assert!(sent < 50, "{sent} MiB");
            (request, Vec::new(), End::Close)
        });
        let mut journal = Journal::new();
        let config = with(polling(server.uri()), |connection| connection.size_limit = 1 << 20);
        let handle = journal.keep(on, config, 0).start();
        let entries = journal.until("wait ");
        assert_eq!(entries[2], "failure malformed normal 30s");
        assert_eq!(entries[4], "detail the body is larger than the 1048576 bytes that are allowed");
        handle.end();
        server.requests();
    }
}

#[test]
fn a_compressed_body_that_breaks_off_is_a_reset_unless_the_client_takes_it_for_bad_data() {
    let whole = answer("Content-Encoding: gzip\r\n", gzip(BODY.as_bytes()));
    // The blocking client reports the end of the connection as an error of the decompression.
    for (on, failure) in [(On::Thread, "failure malformed normal 30s"), (On::Task, "failure reset normal 30s")] {
        let server = Server::play([Script::closes(&whole[..whole.len() - 10])]);
        assert_eq!(met(on, polling(server.uri()))[0], failure);
        server.requests();
    }
}

#[test]
fn a_body_may_have_as_many_bytes_as_are_allowed_and_not_one_more() {
    for (limit, first) in [(BODY.len(), "status VALID"), (BODY.len() - 1, "failure malformed normal 30s")] {
        let config = |uri| with(polling(uri), |connection| connection.size_limit = limit);
        assert_eq!(played(config, &Script::closes(answer("", BODY)))[0], first);
    }
}

#[test]
fn retry_after_is_passed_on_and_ignored() {
    let script = Script::closes("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(played(polling, &script).last().unwrap(), "wait 30s");
}

#[test]
fn every_poll_has_a_connection_of_its_own() {
    for on in BOTH {
        // Each holds its connection until the client closes it, and only then takes the next.
        let data = || Script::holds(answer("", BODY));
        let server = Server::play([data(), data(), Script::holds(status(503))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, polling(server.uri()), 2).start();
        for expected in ["success", "success", "status INTERRUPTED ERROR_RESPONSE 503"] {
            assert!(journal.until("wait ").contains(&expected.to_owned()));
        }
        handle.end();
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn a_poller_continues_after_every_response() {
    for on in BOTH {
        let server = Server::play([
            Script::closes(status(401)),
            Script::closes(answer("", BODY)),
            Script::closes(status(401)),
            Script::closes(answer("", BODY)),
            Script::closes(answer("", BODY)),
            Script::closes(status(503)),
        ]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, polling(server.uri()), 6).start();
        let mut waits = Vec::new();
        for _ in 0..7 {
            waits.push(journal.until("wait ").pop().unwrap());
        }
        // Extended from the first rejection on: 300 s, and 600 s, because one success does not end it; two do. At the end
        // nobody listens.
        assert_eq!(waits, ["wait 300s", "wait 30s", "wait 600s", "wait 30s", "wait 30s", "wait 30s", "wait 30s"]);
        handle.end();
    }
}
