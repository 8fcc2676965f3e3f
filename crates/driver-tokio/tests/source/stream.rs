//! How a stream is read, wherever it is cut.

use std::sync::Arc;

use retrylab_driver_tokio::source::Source;
use retrylab_source::{Connection, Kind, MemoryStore, ServerRetry, StreamingConfig};

use crate::journal::{Journal, end, streaming, without_details};
use crate::server::{LAST_CHUNK, PUT, STREAM, Script, Server, chunk, status, stream, whole_stream};

#[tokio::test]
async fn a_stream_is_read_byte_by_byte() {
    let text = "\u{feff}: heartbeat\r\nevent: put\r\ndata: {\"data\":\r\ndata:  {\"flags\": {\"ü€\": {\"version\": 1}},\rdata: \"segments\": {}}}\r\r: \
                again\n\nid: 3\nevent: patch\rdata: {\"path\": \"/flags/ü€\", \"data\": {\"version\": 2}}\r\n\r\n";
    let bytes: Vec<u8> = text.bytes().flat_map(|byte| chunk([byte])).collect();
    let server = Server::play([Script::closes([STREAM.as_bytes(), &bytes, LAST_CHUNK.as_bytes()].concat())]);
    let mut journal = Journal::new();
    let store = Arc::new(MemoryStore::new());
    let handle = journal.keep(streaming(server.uri()).store(store.clone()), 0).start();
    assert_eq!(
        without_details(journal.until("failure").await)[1..],
        [
            "success",
            "debug Data handled",
            "status VALID",
            "ready",
            "info Initialized ok",
            "success",
            "debug Data handled",
            "failure close normal 1s",
        ]
    );
    assert_eq!(store.get(Kind::Flag, "ü€").unwrap()["version"], 2);
    end(handle).await;
}

#[tokio::test]
async fn a_request_is_what_the_server_expects() {
    let server = Server::play([Script::closes(whole_stream(PUT))]);
    let mut config = StreamingConfig::new(Connection::to(server.uri()));
    config.connection.credential = Some(retrylab_source::Secret::new("my-key"));
    let mut journal = Journal::new();
    let handle = journal.keep(Source::streaming(config), 0).start();
    journal.until("wait ").await;
    end(handle).await;
    let port = server.port;
    let requests = server.requests();
    let mut lines: Vec<_> = requests[0].trim_end().lines().collect();
    assert_eq!(lines.remove(0), "GET /all HTTP/1.1");
    lines.sort_unstable();
    let host = format!("host: 127.0.0.1:{port}");
    let expected = [
        "accept-encoding: identity",
        "accept: text/event-stream",
        "authorization: my-key",
        &host,
        "user-agent: retrylab/0.1.0",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn wherever_an_answer_breaks_off_the_source_comes_back() {
    let whole = whole_stream(PUT);
    let put_ends = stream(PUT).len() - 2;
    let scripts = (0..whole.len()).map(|cut| Script::closes(&whole[..cut])).chain([Script::closes(&*whole)]);
    let server = Server::play(scripts);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), whole.len()).start();
    for cut in 0..=whole.len() {
        let entries = journal.until("wait ").await;
        let failures: Vec<_> = entries.iter().filter(|entry| entry.starts_with("failure")).collect();
        let cause = if cut == whole.len() { "close" } else { "reset" };
        assert!(matches!(failures[..], [failure] if failure.starts_with(&format!("failure {cause} normal"))), "{cut}");
        assert_eq!(entries.contains(&"success".to_owned()), cut >= put_ends, "{cut}");
    }
    end(handle).await;
    assert_eq!(server.requests().len(), whole.len() + 1, "one request each");
}

#[tokio::test]
async fn the_ladder_is_climbed_and_the_status_told_at_each_rung() {
    let server = Server::play([Script::closes(status(503)), Script::closes(status(503)), Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 2).start();
    let entries = without_details(journal.until("ready").await);
    let statuses: Vec<_> =
        entries.iter().filter(|entry| entry.starts_with("status") || entry.starts_with("wait")).collect();
    assert_eq!(
        statuses,
        [
            "status INITIALIZING ERROR_RESPONSE 503",
            "wait 1s",
            "status INITIALIZING ERROR_RESPONSE 503",
            "wait 2s",
            "status VALID ERROR_RESPONSE 503",
        ]
    );
    end(handle).await;
}

#[tokio::test]
async fn the_environment_comes_from_the_head_of_a_stream_and_not_from_an_error() {
    let head = "HTTP/1.1 200 OK\r\nX-LD-EnvID: there\r\nContent-Type: text/event-stream\r\n\r\n";
    let server = Server::play([
        Script::closes("HTTP/1.1 503 No\r\nX-LD-EnvID: nowhere\r\nContent-Length: 0\r\n\r\n"),
        Script::closes("HTTP/1.1 200 OK\r\nX-LD-EnvID: \r\nContent-Type: text/event-stream\r\n\r\n"),
        Script::closes([head, PUT].concat()),
    ]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 2).start();
    let entries = [journal.until("wait ").await, journal.until("wait ").await, journal.until("wait ").await].concat();
    let environments: Vec<_> = entries.iter().filter(|entry| entry.starts_with("environment")).collect();
    assert_eq!(environments, ["environment there"]);
    assert_eq!(handle.environment().as_deref(), Some("there"));
    end(handle).await;
}

#[tokio::test]
async fn a_servers_wait_is_ignored_unless_it_is_to_be_honoured() {
    for (server_retry, wait) in [(ServerRetry::Ignored, "wait 1s"), (ServerRetry::Honoured, "wait 9s")] {
        let server = Server::play([Script::closes(whole_stream(["retry: 9000\n", PUT].concat()))]);
        let mut config = StreamingConfig::new(Connection::to(server.uri()));
        config.options.server_retry = server_retry;
        let mut journal = Journal::new();
        let handle = journal.keep(Source::streaming(config), 0).start();
        assert_eq!(journal.until("wait ").await.last().unwrap(), wait);
        end(handle).await;
    }
}

#[tokio::test]
async fn each_start_begins_anew() {
    let server = Server::play([Script::holds(stream(PUT)), Script::closes(status(503))]);
    let mut journal = Journal::new();
    let source = journal.keep(streaming(server.uri()), 0);
    let first = source.start();
    journal.until("info Initialized").await;
    assert!(first.is_initialized());
    first.stop();
    first.closed().await;
    let stopped = journal.rest();
    assert_eq!(stopped, ["info Stopping", "status OFF"]);

    let second = source.start();
    let entries = without_details(journal.until("wait ").await);
    assert_eq!(entries[3], "status INITIALIZING ERROR_RESPONSE 503", "it has never been valid");
    assert!(!second.is_initialized());
    end(second).await;
}
