//! How a stream is read, however it is written and wherever it is cut.

use retrylab_source::{Connection, Kind, Secret, ServerRetry, SourceOptions, StreamingConfig};

use crate::journal::{BOTH, Config, Journal, On, played, streaming, with, without_details};
use crate::server::{LAST_CHUNK, PUT, STREAM, Script, Server, chunk, status, stream, whole_stream};

/// The number of messages that are handled, and the journal of a source that received this until the end of its connection.
fn handled(on: On, script: Script) -> (usize, Vec<String>, Journal) {
    let server = Server::play([script]);
    let mut journal = Journal::new();
    let handle = journal.keep(on, streaming(server.uri()), 0).start();
    let entries = without_details(journal.until("failure"));
    handle.end();
    server.requests();
    (entries.iter().filter(|entry| *entry == "success").count(), entries, journal)
}

#[test]
fn a_stream_is_read_byte_by_byte() {
    let text = "\u{feff}: heartbeat\r\nevent: put\r\ndata: {\"data\":\r\ndata:  {\"flags\": {\"ü€\": {\"version\": 1}},\rdata: \"segments\": {}}}\r\r: \
                again\n\nid: 3\nevent: patch\rdata: {\"path\": \"/flags/ü€\", \"data\": {\"version\": 2}}\r\n\r\n";
    let bytes: Vec<u8> = text.bytes().flat_map(|byte| chunk([byte])).collect();
    let script = Script::closes([STREAM.as_bytes(), &bytes, LAST_CHUNK.as_bytes()].concat());
    for on in BOTH {
        let (_, entries, journal) = handled(on, script.clone());
        assert_eq!(
            entries[1..],
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
        assert_eq!(journal.store.get(Kind::Flag, "ü€").unwrap()["version"], 2);
    }
}

#[test]
fn lines_may_end_in_every_way_and_a_mark_may_come_first() {
    let line_feed = format!("\u{feff}: a comment\n\n{PUT}{PUT}");
    for text in [line_feed.clone(), line_feed.replace('\n', "\r\n"), line_feed.replace('\n', "\r")] {
        for on in BOTH {
            let (messages, entries, _) = handled(on, Script::closes(whole_stream(&text)));
            assert_eq!((messages, &**entries.last().unwrap()), (2, "failure close normal 1s"), "{text:?}");
        }
    }
}

#[test]
fn comments_alone_are_no_health_and_half_an_event_is_none() {
    for text in [": heartbeat\n\n: heartbeat\n\n", "event: put\ndata: {}", "event: put\ndata: {\"data\":{}}\n"] {
        for on in BOTH {
            let (messages, entries, _) = handled(on, Script::closes(whole_stream(text)));
            assert_eq!((messages, &**entries.last().unwrap()), (0, "failure close normal 1s"), "{text:?}");
        }
    }
}

#[test]
fn a_request_has_the_expected_form() {
    for on in BOTH {
        let server = Server::play([Script::closes(whole_stream(PUT))]);
        let config = with(streaming(server.uri()), |connection| connection.credential = Some(Secret::new("my-key")));
        crate::journal::met(on, config);
        let host = format!("host: 127.0.0.1:{}", server.port);
        let requests = server.requests();
        let mut lines: Vec<_> = requests[0].trim_end().lines().collect();
        assert_eq!(lines.remove(0), "GET /all HTTP/1.1");
        lines.sort_unstable();
        let expected = [
            "accept-encoding: identity",
            "accept: text/event-stream",
            "authorization: my-key",
            &host,
            "user-agent: retrylab/0.1.0",
        ];
        assert_eq!(lines, expected);
    }
}

#[test]
fn wherever_an_answer_breaks_off_the_source_comes_back() {
    let whole = whole_stream(PUT);
    let put_ends = stream(PUT).len() - 2;
    for on in BOTH {
        let scripts = (0..whole.len()).map(|cut| Script::closes(&whole[..cut])).chain([Script::closes(&*whole)]);
        let server = Server::play(scripts);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), whole.len()).start();
        for cut in 0..=whole.len() {
            let entries = journal.until("wait ");
            let failures: Vec<_> = entries.iter().filter(|entry| entry.starts_with("failure")).collect();
            // The blocking client takes a last chunk that lacks its empty line for the end, too.
            let ends = cut == whole.len() || on == On::Thread && cut == whole.len() - 2;
            let cause = format!("failure {} normal", if ends { "close" } else { "reset" });
            assert!(matches!(failures[..], [failure] if failure.starts_with(&cause)), "{on:?} {cut} {failures:?}");
            assert_eq!(entries.contains(&"success".to_owned()), cut >= put_ends, "{on:?} {cut}");
        }
        handle.end();
        assert_eq!(server.requests().len(), whole.len() + 1, "one request each");
    }
}

#[test]
fn the_ladder_is_climbed_with_a_status_at_each_rung() {
    for on in BOTH {
        let server =
            Server::play([Script::closes(status(503)), Script::closes(status(503)), Script::holds(stream(PUT))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 2).start();
        let mut entries = journal.until("ready");
        entries.retain(|entry| entry.starts_with("status") || entry.starts_with("wait"));
        assert_eq!(
            entries,
            [
                "status INITIALIZING ERROR_RESPONSE 503",
                "wait 1s",
                "status INITIALIZING ERROR_RESPONSE 503",
                "wait 2s",
                "status VALID ERROR_RESPONSE 503",
            ]
        );
        handle.end();
    }
}

#[test]
fn the_environment_comes_from_the_head_of_a_stream_and_not_from_an_error() {
    let error = "HTTP/1.1 503 No\r\nX-LD-EnvID: nowhere\r\nContent-Length: 0\r\n\r\n";
    let empty = "HTTP/1.1 200 OK\r\nX-LD-EnvID: \r\nContent-Type: text/event-stream\r\n\r\n";
    let head = "HTTP/1.1 200 OK\r\nX-LD-EnvID: there\r\nContent-Type: text/event-stream\r\n\r\n";
    for on in BOTH {
        let server = Server::play(
            [error.to_owned(), empty.to_owned(), [head, PUT].concat(), error.to_owned()].map(Script::closes),
        );
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 3).start();
        let mut entries = Vec::new();
        for _ in 0..4 {
            entries.extend(journal.until("wait "));
        }
        entries.retain(|entry| entry.starts_with("environment"));
        assert_eq!(entries, ["environment there"]);
        assert_eq!(handle.environment().as_deref(), Some("there"));
        handle.end();
    }
}

#[test]
fn retry_after_of_a_stream_is_ignored_unless_it_is_to_be_honoured() {
    for (server_retry, wait) in [(ServerRetry::Ignored, "wait 1s"), (ServerRetry::Honoured, "wait 9s")] {
        let options = SourceOptions { server_retry, ..SourceOptions::default() };
        let config =
            |uri: String| Config::Streaming(StreamingConfig { options, ..StreamingConfig::new(Connection::to(uri)) });
        let script = Script::closes(whole_stream(["retry: 9000\n", PUT].concat()));
        assert_eq!(played(config, &script).last().unwrap(), wait);
    }
}

#[test]
fn each_start_is_a_source_of_its_own() {
    for on in BOTH {
        let server = Server::play([Script::holds(stream(PUT)), Script::closes(status(503))]);
        let mut journal = Journal::new();
        let source = journal.keep(on, streaming(server.uri()), 0);
        let first = source.start();
        journal.until("info Initialized");
        assert!(first.is_initialized());
        first.end();
        assert_eq!(journal.rest(), ["info Stopping", "status OFF"]);
        let second = source.start();
        let entries = without_details(journal.until("wait "));
        assert_eq!(entries[3], "status INITIALIZING ERROR_RESPONSE 503", "it has never been valid");
        assert!(!second.is_initialized());
        second.end();
    }
}
