//! Whatever a source meets has its row: how it is recorded, logged and reported, and how long the wait is.

use std::io::Write;
use std::time::Duration;

use retrylab_source::{Connection, ServerRetry, SourceOptions, StreamingConfig};

use crate::journal::{BOTH, Config, Journal, met, played, polling, streaming, with, without_details};
use crate::server::{
    End, LAST_CHUNK, PUT, STREAM, Script, Server, answer, chunk, closed_port, read_head, status, stream, whole_stream,
};

/// The entries of one attempt of a stream, from its start line to its wait.
fn streamed(script: Script) -> Vec<String> {
    played(streaming, &script)
}

/// The same of a poll.
fn polled(script: Script) -> Vec<String> {
    played(polling, &script)
}

/// The row of a fault that ends a stream before there was data.
fn stream_fault(fault: &str, words: &str) -> [String; 4] {
    [
        format!("failure {fault} normal 1s"),
        format!("warning Error on stream connection: {words} - will retry in 1.0s"),
        "status INITIALIZING UNKNOWN".to_owned(),
        "wait 1s".to_owned(),
    ]
}

/// The row of a fault of a poll.
fn poll_fault(fault: &str, words: &str) -> [String; 4] {
    [
        format!("failure {fault} normal 30s"),
        format!("error Error encountered when updating flags: {words} - will retry in 30.0s"),
        "status INITIALIZING UNKNOWN".to_owned(),
        "wait 30s".to_owned(),
    ]
}

const RESET: &str = "the connection was reset";
const MALFORMED: &str = "the data cannot be parsed";

/// What a put does.
const VALID: [&str; 5] = ["success", "debug Data handled", "status VALID", "ready", "info Initialized ok"];

#[test]
fn a_status_that_is_expected_to_pass_is_a_normal_failure_of_a_stream() {
    for code in [204, 300, 301, 304, 305, 400, 408, 429, 500, 503, 599, 999] {
        let expected = [
            format!("failure {code} normal 1s"),
            format!("warning Received HTTP error {code} for stream connection - will retry in 1.0s"),
            format!("status INITIALIZING ERROR_RESPONSE {code}"),
            "wait 1s".to_owned(),
        ];
        assert_eq!(streamed(Script::closes(status(code))), expected);
    }
}

#[test]
fn any_other_status_of_400_to_499_is_an_unexpected_failure_of_a_stream() {
    for (code, hint) in [(401, " (invalid SDK key)"), (403, " (invalid SDK key)"), (404, ""), (405, ""), (499, "")] {
        let expected = [
            format!("failure {code} unexpected 300s"),
            format!("error Received HTTP error {code}{hint} for stream connection - will retry in 300.0s"),
            format!("status INITIALIZING ERROR_RESPONSE {code}"),
            "wait 300s".to_owned(),
        ];
        assert_eq!(streamed(Script::closes(status(code))), expected);
    }
}

#[test]
fn a_status_of_400_and_more_is_a_failure_of_a_poll() {
    for (code, kind, level, hint, wait) in [
        (400, "normal", "warning", "", 30),
        (408, "normal", "warning", "", 30),
        (429, "normal", "warning", "", 30),
        (503, "normal", "warning", "", 30),
        (401, "unexpected", "error", " (invalid SDK key)", 300),
        (404, "unexpected", "error", "", 300),
    ] {
        let expected = [
            format!("failure {code} {kind} {wait}s"),
            format!("{level} Received HTTP error {code}{hint} for polling request - will retry in {wait}.0s"),
            format!("status INITIALIZING ERROR_RESPONSE {code}"),
            format!("wait {wait}s"),
        ];
        assert_eq!(polled(Script::closes(status(code))), expected);
    }
}

#[test]
fn a_status_without_data_is_a_failure_of_a_poll_that_is_none_of_http() {
    for code in [204, 300, 304, 305] {
        let words = format!("status {code} without data");
        assert_eq!(polled(Script::closes(status(code))), poll_fault(&code.to_string(), &words));
    }
}

#[test]
fn a_response_that_is_no_event_stream_has_a_wrong_content_type() {
    let row = stream_fault("content-type", "the response has the wrong content type");
    for headers in ["", "Content-Type: application/json\r\n", "Content-Type: text/event-streams\r\n"] {
        assert_eq!(streamed(Script::closes(answer(headers, PUT))), row);
    }
    for headers in ["Content-Type: text/event-stream;charset=utf-8\r\n", "content-type: TEXT/Event-Stream\r\n"] {
        assert_eq!(streamed(Script::closes(answer(headers, PUT)))[..5], VALID);
    }
}

#[test]
fn a_clean_end_of_a_stream_is_a_close() {
    let open_end = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let known_length = answer("Content-Type: text/event-stream\r\n", PUT);
    let old = ["HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", PUT].concat();
    for script in [
        Script::closes(whole_stream(PUT)),
        Script::closes([open_end, PUT].concat()),
        Script::closes(old),
        Script::closes(&*known_length),
        // The end of the body is known, although the server does not close.
        Script::holds(whole_stream(PUT)),
        Script::holds(known_length),
    ] {
        let entries = streamed(script);
        assert_eq!(entries[..5], VALID);
        assert_eq!(
            entries[5..],
            [
                "failure close normal 1s",
                "warning The server closed the stream connection - will retry in 1.0s",
                "status INTERRUPTED NETWORK_ERROR",
                "wait 1s",
            ]
        );
    }
}

#[test]
fn an_end_before_the_answer_is_whole_is_a_reset() {
    let row = stream_fault("reset", RESET);
    for cut in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n", STREAM] {
        assert_eq!(streamed(Script::closes(cut)), row, "{cut:?}");
        assert_eq!(streamed(Script::resets(cut)), row, "{cut:?}");
    }
    for cut in [&stream(PUT)[..], &[&stream(PUT)[..], b"5\r\nevent"].concat()] {
        let entries = streamed(Script::closes(cut));
        assert_eq!(entries[..6], [&VALID[..], &["failure reset normal 1s"]].concat());
    }
    for cut in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"] {
        assert_eq!(polled(Script::closes(cut)), poll_fault("reset", RESET), "{cut:?}");
        assert_eq!(polled(Script::resets(cut)), poll_fault("reset", RESET), "{cut:?}");
    }
}

#[test]
fn a_connection_that_is_reset_before_its_request_is_read_is_a_reset() {
    for on in BOTH {
        let server = Server::speak(1, |_, _| (String::new(), Vec::new(), End::Reset));
        assert_eq!(met(on, streaming(server.uri())), stream_fault("reset", RESET));
        server.requests();
    }
}

#[test]
fn a_response_that_is_not_http_is_a_reset() {
    let endless_header = ["HTTP/1.1 200 OK\r\nX: ", &"x".repeat(1 << 20)].concat();
    let many_headers = ["HTTP/1.1 200 OK\r\n", &"X: x\r\n".repeat(10_000), "\r\n"].concat();
    for garbage in ["\0\0\0\0", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 999999 No\r\n\r\n", &endless_header, &many_headers]
    {
        assert_eq!(streamed(Script::closes(garbage)), stream_fault("reset", RESET));
        assert_eq!(polled(Script::closes(garbage)), poll_fault("reset", RESET));
    }
    let no_chunk = [STREAM, "so many\r\n"].concat();
    assert_eq!(streamed(Script::closes(no_chunk)), stream_fault("reset", RESET));
}

#[test]
fn a_closed_port_refuses() {
    let uri = format!("http://127.0.0.1:{}", closed_port());
    for on in BOTH {
        assert_eq!(met(on, streaming(&*uri)), stream_fault("refused", "the connection was refused"));
        assert_eq!(met(on, polling(&*uri)), poll_fault("refused", "the connection was refused"));
    }
}

#[test]
fn a_name_that_does_not_exist_is_not_resolved() {
    // A part of a name has 63 bytes at most, so nobody need be asked.
    let uri = format!("http://{}.invalid", "a".repeat(64));
    for on in BOTH {
        assert_eq!(met(on, streaming(&*uri)), stream_fault("dns", "the host name was not resolved"));
        assert_eq!(met(on, polling(&*uri)), poll_fault("dns", "the host name was not resolved"));
    }
}

#[test]
fn silence_that_is_too_long_is_a_timeout() {
    for bytes in ["", "HTTP/1.1 200 OK\r\n", STREAM] {
        let short = |uri| with(streaming(uri), |connection| connection.read_timeout = Duration::from_millis(20));
        assert_eq!(played(short, &Script::holds(bytes)), stream_fault("timeout", "timed out"), "{bytes:?}");
    }
}

#[test]
fn a_head_that_never_ends_is_a_timeout_although_data_always_comes() {
    for on in BOTH {
        for (config, row) in [
            (streaming as fn(String) -> Config, stream_fault("timeout", "timed out")),
            (polling, poll_fault("timeout", "timed out")),
        ] {
            let server = Server::speak(1, |_, stream| {
                let request = read_head(stream);
                while stream.write_all(b"HTTP/1.1 103 Early Hints\r\n\r\n").is_ok() {}
                (request, Vec::new(), End::Close)
            });
            let config = with(config(server.uri()), |connection| connection.read_timeout = Duration::from_millis(20));
            assert_eq!(met(on, config), row, "{on:?}");
            server.requests();
        }
    }
}

#[test]
fn a_message_that_cannot_be_used_ends_the_stream_once() {
    for (message, row) in [
        (
            "event: put\ndata: {sorry\n\n",
            [
                "info An event could not be handled, so the stream restarts",
                "failure malformed normal 1s",
                "error Unparseable data on stream connection: the data cannot be parsed - will retry in 1.0s",
                "status INITIALIZING INVALID_DATA",
                "wait 1s",
            ],
        ),
        (
            "event: patch\ndata: {}\n\n",
            [
                "info An event could not be handled, so the stream restarts",
                "failure missing-key normal 1s",
                "warning Error on stream connection: the data lacks a required key - will retry in 1.0s",
                "status INITIALIZING UNKNOWN",
                "wait 1s",
            ],
        ),
    ] {
        // What follows it in the same piece is heard of no more, and the server sees that the client closes.
        let script = Script::holds(stream([message, PUT].concat()));
        assert_eq!(streamed(script), row);
    }
}

#[test]
fn an_event_beyond_the_limit_is_a_failure_long_before_it_has_ended() {
    let limited = |uri| with(streaming(uri), |connection| connection.size_limit = 1000);
    let endless = [&stream(PUT)[..], &chunk("data: "), &chunk("x".repeat(100 << 20))].concat();
    for on in BOTH {
        let server = Server::play([Script::holds(&*endless)]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, limited(server.uri()), 0).start();
        let entries = journal.until("wait ");
        handle.end();
        server.requests();
        assert_eq!(without_details(entries[..8].to_vec())[1..], VALID);
        assert_eq!(
            entries[8..],
            [
                "failure malformed normal 1s",
                "error Unparseable data on stream connection: the data cannot be parsed - will retry in 1.0s",
                "detail an event is larger than the 1000 bytes that are allowed",
                "status INTERRUPTED INVALID_DATA",
                "wait 1s",
            ]
        );
    }
}

#[test]
fn a_body_that_cannot_be_used_is_a_failure_of_the_poll() {
    assert_eq!(polled(Script::closes(answer("", "{sorry"))), poll_fault("malformed", MALFORMED));
    assert_eq!(polled(Script::closes(answer("", ""))), poll_fault("malformed", MALFORMED));
    assert_eq!(polled(Script::closes(answer("", "[]"))), poll_fault("missing-key", "the data lacks a required key"));
}

#[test]
fn a_heartbeat_is_no_message() {
    let script = Script::closes([&stream(": heartbeat\n\n")[..], LAST_CHUNK.as_bytes()].concat());
    assert_eq!(streamed(script)[0], "failure close normal 1s");
}

#[test]
fn retry_after_is_passed_on_with_the_status() {
    for (header, wait) in [
        ("7", "wait 7s"),
        // 27 s after the date of the source's wall clock.
        ("Sun, 06 Nov 1994 08:49:37 GMT", "wait 27s"),
        // The ladder's 1 s, twice: this date has passed; this is none.
        ("Sun, 06 Nov 1994 08:48:59 GMT", "wait 1s"),
        ("soon", "wait 1s"),
    ] {
        let honoured = |uri: String| {
            let options = SourceOptions { server_retry: ServerRetry::Honoured, ..SourceOptions::default() };
            Config::Streaming(StreamingConfig { options, ..StreamingConfig::new(Connection::to(uri)) })
        };
        let refusal = format!("HTTP/1.1 503 Unavailable\r\nRetry-After: {header}\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(played(honoured, &Script::closes(refusal)).last().unwrap(), wait, "{header}");
    }
}
