//! What only polls do: tags, and bodies that are compressed.

use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use retrylab_driver_tokio::source::Source;
use retrylab_source::{Connection, Kind, MemoryStore, PollingConfig};

use crate::journal::{Journal, end, polling, without_details};
use crate::server::{Script, Server, answer, status};

const BODY: &str = r#"{"flags": {"f": {"version": 7}}, "segments": {}}"#;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

#[tokio::test]
async fn a_poll_asks_for_what_is_new_since_the_last_one() {
    let server = Server::play([
        Script::closes(answer("ETag: \"one\"\r\nX-LD-EnvID: here\r\n", BODY)),
        Script::closes("HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n\r\n"),
        Script::closes(answer("", BODY)),
        Script::closes(answer("", BODY)),
    ]);
    let mut journal = Journal::new();
    let store = Arc::new(MemoryStore::new());
    let handle = journal.keep(polling(server.uri()).store(store.clone()), 3).start();
    assert_eq!(
        without_details(journal.until("wait ").await),
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
    assert_eq!(journal.until("wait ").await, ["debug Data not modified", "debug Data handled", "success", "wait 30s"]);
    journal.until("wait ").await;
    journal.until("wait ").await;
    assert_eq!(store.version(), 7);
    assert_eq!(handle.environment().as_deref(), Some("here"), "the last answers do not say");
    end(handle).await;

    let requests = server.requests();
    let tags = requests.iter().map(|request| request.lines().find(|line| line.starts_with("if-none-match")));
    let expected = [None, Some("if-none-match: \"one\""), Some("if-none-match: \"one\""), None];
    assert_eq!(tags.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_request_is_what_the_server_expects() {
    let server = Server::play([Script::closes(answer("", BODY))]);
    let mut config = PollingConfig::new(Connection::to(format!("{}/base/", server.uri())));
    config.connection.credential = Some(retrylab_source::Secret::new("my-key"));
    let mut journal = Journal::new();
    let handle = journal.keep(Source::polling(config), 0).start();
    journal.until("wait ").await;
    end(handle).await;
    let port = server.port;
    let requests = server.requests();
    let mut lines: Vec<_> = requests[0].trim_end().lines().collect();
    assert_eq!(lines.remove(0), "GET /base/sdk/latest-all HTTP/1.1");
    lines.sort_unstable();
    let host = format!("host: 127.0.0.1:{port}");
    assert_eq!(lines, ["accept-encoding: gzip", "authorization: my-key", &host, "user-agent: retrylab/0.1.0"]);
}

#[tokio::test]
async fn a_compressed_body_is_data_like_any_other() {
    let server = Server::play([Script::closes(answer("Content-Encoding: gzip\r\n", gzip(BODY.as_bytes())))]);
    let store = Arc::new(MemoryStore::new());
    let mut journal = Journal::new();
    let handle = journal.keep(polling(server.uri()).store(store.clone()), 0).start();
    journal.until("ready").await;
    assert_eq!(store.get(Kind::Flag, "f").unwrap()["version"], 7);
    end(handle).await;
}

#[tokio::test]
async fn what_cannot_be_unpacked_or_is_too_large_unpacked_is_malformed() {
    let bomb = gzip(&vec![b' '; 8 << 20]);
    assert!(bomb.len() < 100_000, "as packed it is small");
    let whole = gzip(BODY.as_bytes());
    let broken = [&whole[..12], &[0xff; 20]].concat();
    let half = whole[..20].to_vec();
    for body in [bomb, broken, half] {
        let server = Server::play([Script::closes(answer("Content-Encoding: gzip\r\n", body))]);
        let mut config = PollingConfig::new(Connection::to(server.uri()));
        config.connection.size_limit = 1 << 20;
        let mut journal = Journal::new();
        let handle = journal.keep(Source::polling(config), 0).start();
        assert!(journal.until("failure").await.contains(&"failure malformed normal 30s".to_owned()));
        end(handle).await;
    }
}

#[tokio::test]
async fn a_compressed_body_that_breaks_off_is_a_reset() {
    let whole = answer("Content-Encoding: gzip\r\n", gzip(BODY.as_bytes()));
    let server = Server::play([Script::closes(&whole[..whole.len() - 10])]);
    let mut journal = Journal::new();
    let handle = journal.keep(polling(server.uri()), 0).start();
    assert_eq!(without_details(journal.until("failure").await)[1], "failure reset normal 30s");
    end(handle).await;
}

#[tokio::test]
async fn a_body_may_have_as_many_bytes_as_are_allowed_and_not_one_more() {
    for (limit, first) in [(BODY.len(), "status VALID"), (BODY.len() - 1, "failure malformed normal 30s")] {
        let server = Server::play([Script::closes(answer("", BODY))]);
        let mut config = PollingConfig::new(Connection::to(server.uri()));
        config.connection.size_limit = limit;
        let mut journal = Journal::new();
        let handle = journal.keep(Source::polling(config), 0).start();
        assert_eq!(without_details(journal.until("wait ").await)[1], first);
        end(handle).await;
    }
}

#[tokio::test]
async fn a_server_that_says_when_to_come_back_is_heard_and_not_heeded() {
    let server = Server::play([Script::closes("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")]);
    let mut journal = Journal::new();
    let handle = journal.keep(polling(server.uri()), 0).start();
    assert_eq!(journal.until("wait ").await.last().unwrap(), "wait 30s");
    end(handle).await;
}

#[tokio::test]
async fn a_poll_goes_on_whatever_comes() {
    let server = Server::play([
        Script::closes(status(401)),
        Script::closes(answer("", BODY)),
        Script::closes(status(401)),
        Script::closes(answer("", BODY)),
        Script::closes(answer("", BODY)),
        Script::closes(status(503)),
    ]);
    let mut journal = Journal::new();
    let handle = journal.keep(polling(server.uri()), 6).start();
    let mut waits = Vec::new();
    for _ in 0..7 {
        waits.push(journal.until("wait ").await.pop().unwrap());
    }
    // Extended from the first rejection on: 300 s, and 600 s, because one success does not end it; two do. At the end
    // nobody listens.
    assert_eq!(waits, ["wait 300s", "wait 30s", "wait 600s", "wait 30s", "wait 30s", "wait 30s", "wait 30s"]);
    end(handle).await;
}
