//! Whatever a source meets has its row: how it is recorded, logged and reported, and how long the wait is.

use retrylab_driver_tokio::source::Source;
use retrylab_source::{Connection, StreamingConfig};
use std::time::Duration;

use crate::journal::{Journal, end, polling, streaming, without_details};
use crate::server::{
    LAST_CHUNK, PUT, STREAM, Script, Server, answer, chunk, closed_port, status, stream, whole_stream,
};

/// What follows from one attempt of a stream, from its start line to its wait.
async fn streamed(script: Script) -> Vec<String> {
    let server = Server::play([script]);
    let entries = met(streaming(server.uri())).await;
    assert_eq!(server.requests().len(), 1, "nothing is asked twice");
    entries
}

/// The same of a poll.
async fn polled(script: Script) -> Vec<String> {
    let server = Server::play([script]);
    let entries = met(polling(server.uri())).await;
    assert_eq!(server.requests().len(), 1, "nothing is asked twice");
    entries
}

async fn met(source: Source) -> Vec<String> {
    let mut journal = Journal::new();
    let handle = journal.keep(source, 0).start();
    let entries = without_details(journal.until("wait ").await);
    end(handle).await;
    entries[1..].to_vec()
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

const RESET: &str = "the connection broke off";
const MALFORMED: &str = "the data cannot be parsed";

/// What a put does.
const VALID: [&str; 5] = ["success", "debug Data handled", "status VALID", "ready", "info Initialized ok"];

#[tokio::test]
async fn a_status_that_is_expected_to_pass_is_a_normal_failure_of_a_stream() {
    for code in [204, 300, 304, 305, 400, 408, 429, 500, 503, 599] {
        let expected = [
            format!("failure {code} normal 1s"),
            format!("warning Received HTTP error {code} for stream connection - will retry in 1.0s"),
            format!("status INITIALIZING ERROR_RESPONSE {code}"),
            "wait 1s".to_owned(),
        ];
        assert_eq!(streamed(Script::closes(status(code))).await, expected);
    }
}

#[tokio::test]
async fn any_other_status_of_400_to_499_is_an_unexpected_failure_of_a_stream() {
    for (code, hint) in [(401, " (invalid SDK key)"), (403, " (invalid SDK key)"), (404, ""), (405, ""), (499, "")] {
        let expected = [
            format!("failure {code} unexpected 300s"),
            format!("error Received HTTP error {code}{hint} for stream connection - will retry in 300.0s"),
            format!("status INITIALIZING ERROR_RESPONSE {code}"),
            "wait 300s".to_owned(),
        ];
        assert_eq!(streamed(Script::closes(status(code))).await, expected);
    }
}

#[tokio::test]
async fn a_status_of_400_and_more_is_a_failure_of_a_poll() {
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
        assert_eq!(polled(Script::closes(status(code))).await, expected);
    }
}

#[tokio::test]
async fn a_status_without_data_is_a_failure_of_a_poll_that_is_none_of_http() {
    for code in [204, 300, 304, 305] {
        let words = format!("status {code} without data");
        assert_eq!(polled(Script::closes(status(code))).await, poll_fault(&code.to_string(), &words));
    }
}

#[tokio::test]
async fn what_is_no_event_stream_is_the_wrong_content_type() {
    let row = stream_fault("content-type", "the answer has the wrong content type");
    for headers in ["", "Content-Type: application/json\r\n", "Content-Type: text/event-streams\r\n"] {
        assert_eq!(streamed(Script::closes(answer(headers, PUT))).await, row);
    }
    for headers in ["Content-Type: text/event-stream;charset=utf-8\r\n", "content-type: TEXT/Event-Stream\r\n"] {
        assert_eq!(streamed(Script::closes(answer(headers, PUT))).await[..5], VALID);
    }
}

#[tokio::test]
async fn a_clean_end_of_a_stream_is_a_close() {
    let open_end = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let known_length = answer("Content-Type: text/event-stream\r\n", PUT);
    for whole in [whole_stream(PUT), [open_end, PUT].concat().into_bytes(), known_length] {
        let entries = streamed(Script::closes(whole)).await;
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

#[tokio::test]
async fn an_end_before_the_answer_is_whole_is_a_reset() {
    let row = stream_fault("reset", RESET);
    for cut in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n", STREAM] {
        assert_eq!(streamed(Script::closes(cut)).await, row, "{cut:?}");
        assert_eq!(streamed(Script::resets(cut)).await, row, "{cut:?}");
    }
    for cut in [&stream(PUT)[..], &[&stream(PUT)[..], b"5\r\nevent"].concat()] {
        let entries = streamed(Script::closes(cut)).await;
        assert_eq!(entries[..6], [&VALID[..], &["failure reset normal 1s"]].concat());
    }
    for cut in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"] {
        assert_eq!(polled(Script::closes(cut)).await, poll_fault("reset", RESET), "{cut:?}");
        assert_eq!(polled(Script::resets(cut)).await, poll_fault("reset", RESET), "{cut:?}");
    }
}

#[tokio::test]
async fn what_is_no_http_is_a_reset() {
    let endless_header = ["HTTP/1.1 200 OK\r\nX: ", &"x".repeat(1 << 20)].concat();
    let many_headers = ["HTTP/1.1 200 OK\r\n", &"X: x\r\n".repeat(10_000), "\r\n"].concat();
    for garbage in ["\0\0\0\0", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 999999 No\r\n\r\n", &endless_header, &many_headers]
    {
        assert_eq!(streamed(Script::closes(garbage)).await, stream_fault("reset", RESET));
        assert_eq!(polled(Script::closes(garbage)).await, poll_fault("reset", RESET));
    }
    let no_chunk = [STREAM, "so many\r\n"].concat();
    assert_eq!(streamed(Script::closes(no_chunk)).await, stream_fault("reset", RESET));
}

#[tokio::test]
async fn a_port_on_which_nobody_listens_refuses() {
    let uri = format!("http://127.0.0.1:{}", closed_port());
    assert_eq!(met(streaming(&*uri)).await, stream_fault("refused", "the connection was refused"));
    assert_eq!(met(polling(uri)).await, poll_fault("refused", "the connection was refused"));
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_not_resolved() {
    // A part of a name has 63 bytes at most, so nobody need be asked.
    let uri = format!("http://{}.invalid", "a".repeat(64));
    assert_eq!(met(streaming(&*uri)).await, stream_fault("dns", "the host name was not resolved"));
    assert_eq!(met(polling(uri)).await, poll_fault("dns", "the host name was not resolved"));
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_a_timeout() {
    let mut server = Server::play([Script::holds("")]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 0).start();
    server.asked.recv().await.unwrap();
    // From here on time passes only where nothing else happens.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let entries = without_details(journal.until("wait ").await);
    assert_eq!(entries[1..], stream_fault("timeout", "timed out"));
    assert!(began.elapsed() <= Duration::from_secs(301), "300 s, of which some had passed");
    end(handle).await;
}

#[tokio::test]
async fn a_stream_that_is_silent_for_300_s_is_a_timeout() {
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 0).start();
    journal.until("info Initialized ok").await;
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    assert_eq!(
        journal.until("wait ").await,
        [
            "failure timeout normal 1s",
            "warning Error on stream connection: timed out - will retry in 1.0s",
            "detail nothing came for 300s",
            "status INTERRUPTED UNKNOWN",
            "wait 1s",
        ]
    );
    assert!(began.elapsed() <= Duration::from_secs(301), "300 s, of which some had passed");
    end(handle).await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_message_that_cannot_be_used_ends_the_stream_once() {
    for (message, row) in [
        (
            "event: put\ndata: {sorry\n\n",
            [
                "info An event could not be handled, so the stream starts anew",
                "failure malformed normal 1s",
                "error Unparseable data on stream connection: the data cannot be parsed - will retry in 1.0s",
                "status INITIALIZING INVALID_DATA",
                "wait 1s",
            ],
        ),
        (
            "event: patch\ndata: {}\n\n",
            [
                "info An event could not be handled, so the stream starts anew",
                "failure missing-key normal 1s",
                "warning Error on stream connection: the data lacks something - will retry in 1.0s",
                "status INITIALIZING UNKNOWN",
                "wait 1s",
            ],
        ),
    ] {
        // What follows it in the same piece is heard of no more, and the server sees that the client closes.
        let script = Script::holds(stream([message, PUT].concat()));
        assert_eq!(streamed(script).await, row);
    }
}

#[tokio::test]
async fn an_event_beyond_the_limit_is_a_failure_long_before_it_has_ended() {
    let mut config = StreamingConfig::new(Connection::to(""));
    config.connection.size_limit = 1000;
    let endless = [&stream(PUT)[..], &chunk("data: "), &chunk("x".repeat(100 << 20))].concat();
    let server = Server::play([Script::holds(endless)]);
    config.connection.base_uri = server.uri();
    let entries = met(Source::streaming(config)).await;
    assert_eq!(entries[..5], VALID);
    assert_eq!(
        entries[5..],
        [
            "failure malformed normal 1s",
            "error Unparseable data on stream connection: the data cannot be parsed - will retry in 1.0s",
            "status INTERRUPTED INVALID_DATA",
            "wait 1s",
        ]
    );
    server.requests();
}

#[tokio::test]
async fn a_body_that_cannot_be_used_is_a_failure_of_the_poll() {
    assert_eq!(polled(Script::closes(answer("", "{sorry"))).await, poll_fault("malformed", MALFORMED));
    assert_eq!(polled(Script::closes(answer("", ""))).await, poll_fault("malformed", MALFORMED));
    assert_eq!(polled(Script::closes(answer("", "[]"))).await, poll_fault("missing-key", "the data lacks something"));
}

#[tokio::test]
async fn a_heartbeat_is_no_message() {
    let script = Script::closes([&stream(": heartbeat\n\n")[..], LAST_CHUNK.as_bytes()].concat());
    assert_eq!(streamed(script).await[0], "failure close normal 1s");
}
