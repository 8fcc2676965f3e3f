//! What a stream meets over a real socket, and what it takes it for: one row of the event table after the other.

use std::net::TcpListener;
use std::time::Duration;

use retrylab_core::Fault;
use retrylab_source::{
    Cause, Connection, ErrorKind, Level, PollingConfig, ServerRetry, SourceError, SourceOptions, State, StreamingConfig,
};

use crate::server::{PUT, STREAM, Script, Server, answer, hold, status};
use crate::stage::{Stage, Told, connection};

/// What a stream fails of whose only connection does this.
fn fails(script: Script) -> (Cause, String) {
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    let failure = stage.failure();
    handle.stop();
    handle.join();
    server.finish();
    failure
}

fn fault(script: Script) -> Fault {
    let (cause, line) = fails(script);
    cause.fault().unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn a_status_without_a_stream_is_that_status() {
    for (line, code) in [
        ("204 No Content", 204),
        ("205 Reset Content", 0),
        ("301 Moved", 301),
        ("304 Not Modified", 304),
        ("400 Bad Request", 400),
        ("401 Unauthorized", 401),
        ("403 Forbidden", 403),
        ("404 Not Found", 404),
        ("408 Request Timeout", 408),
        ("429 Too Many Requests", 429),
        ("500 Internal Server Error", 500),
        ("503 Service Unavailable", 503),
        ("599 Unknown", 599),
        ("999 Unknown", 999),
    ] {
        // 205 is a success that is no stream: its content type is missing.
        let expected = if code == 0 { Cause::Fault(Fault::ContentType) } else { Cause::Status(code) };
        assert_eq!(fails(answer(status(line))).0, expected, "{line}");
    }
}

#[test]
fn a_failure_is_recorded_then_logged_then_reported_then_waited_for() {
    let mut server = Server::start([answer(status("401 Unauthorized")), answer(status("503 Unavailable"))]);
    let stage = Stage::with_waits(1);
    let handle = stage.stream_from(server.uri()).start();
    let refused = |status, delay, log, line: &str| {
        [
            Told::Failure(Cause::Status(status), Duration::from_secs(delay)),
            Told::Log(log, line.to_owned()),
            Told::Status(State::Initializing, Some(SourceError { kind: ErrorKind::ErrorResponse, status })),
            Told::Waits(Duration::from_secs(delay)),
        ]
    };
    let start = Told::Log(Level::Info, format!("Starting the stream (http://{}/all)", server.address));
    let first = "Received HTTP error 401 (invalid SDK key) for stream connection - will retry in 300.0s";
    let second = "Received HTTP error 503 for stream connection - will retry in 600.0s";
    assert_eq!(stage.next(), start);
    assert_eq!(stage.until_wait(), refused(401, 300, Level::Error, first));
    assert_eq!(stage.until_wait(), refused(503, 600, Level::Warning, second));
    handle.stop();
    handle.join();
    server.finish();
    let off = Some(SourceError { kind: ErrorKind::ErrorResponse, status: 503 });
    assert_eq!(stage.rest(), [Told::Log(Level::Info, "Stopping".to_owned()), Told::Status(State::Off, off)]);
}

#[test]
fn what_is_no_event_stream_is_a_wrong_content_type() {
    for (header, detail) in [
        ("Content-Type: text/html\r\n", "the content type is text/html; text/event-stream is allowed"),
        (
            "Content-Type: text/event-streams\r\n",
            "the content type is text/event-streams; text/event-stream is allowed",
        ),
        ("", "no content type; text/event-stream is allowed"),
    ] {
        let (cause, line) = fails(answer(format!("HTTP/1.1 200 OK\r\n{header}\r\n{PUT}")));
        assert_eq!(cause, Cause::Fault(Fault::ContentType));
        let expected = "Error on stream connection: the answer has the wrong content type";
        assert_eq!(line, format!("{expected} ({detail}) - will retry in 1.0s"));
    }
}

#[test]
fn a_content_type_has_no_case_and_may_have_parameters() {
    for content_type in ["text/event-stream", "Text/Event-Stream; charset=utf-8", "text/event-stream;charset=utf-8"] {
        let (cause, _) = fails(answer(format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n")));
        assert_eq!(cause, Cause::Fault(Fault::Close), "{content_type}");
    }
}

#[test]
fn the_end_of_a_body_is_a_close() {
    let chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let length = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 3\r\n\r\n";
    assert_eq!(fault(answer(format!("{chunked}3\r\n:a\n\r\n0\r\n\r\n"))), Fault::Close);
    assert_eq!(fault(hold(format!("{chunked}3\r\n:a\n\r\n0\r\n\r\n"))), Fault::Close);
    assert_eq!(fault(hold(format!("{length}:a\n"))), Fault::Close);
    assert_eq!(fault(answer(format!("{STREAM}:a\n"))), Fault::Close);
    assert_eq!(fault(answer("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:a\n")), Fault::Close);
}

#[test]
fn a_body_that_breaks_off_is_a_reset() {
    let chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let length = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 3\r\n\r\n";
    for bytes in [
        format!("{chunked}3\r\n:a\n\r\n"),
        format!("{chunked}9\r\n:a\n"),
        format!("{chunked}no number\r\n"),
        format!("{length}:a"),
    ] {
        assert_eq!(fault(answer(bytes.clone())), Fault::Reset, "{bytes:?}");
    }
}

#[test]
fn a_connection_that_is_reset_is_a_reset_wherever_it_is() {
    let after = |bytes: &'static str| -> Script {
        Box::new(move |mut exchange| {
            exchange.request();
            exchange.send(bytes);
            exchange.reset();
        })
    };
    for bytes in ["", "HTTP/1.1 200", STREAM] {
        assert_eq!(fault(after(bytes)), Fault::Reset, "{bytes:?}");
    }
    assert_eq!(fault(Box::new(crate::server::Exchange::reset)), Fault::Reset);
}

#[test]
fn an_answer_that_is_none_is_a_reset() {
    let endless = format!("HTTP/1.1 200 OK\r\n{}", "X-Filler: 0123456789\r\n".repeat(4000));
    for bytes in ["", "HTTP/1.1 200 OK\r\nContent-Ty", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "\0\0\0\0\r\n\r\n", &endless] {
        assert_eq!(fault(answer(bytes)), Fault::Reset, "{:?}", &bytes[..bytes.len().min(40)]);
    }
}

#[test]
fn a_port_where_nobody_listens_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let stage = Stage::new();
    let _handle = stage.stream_from(format!("http://{address}")).start();
    let (cause, line) = stage.failure();
    assert_eq!(cause, Cause::Fault(Fault::Refused));
    let expected = "Error on stream connection: the connection was refused (io: Connection refused";
    assert!(line.starts_with(expected) && line.ends_with(") - will retry in 1.0s"), "{line}");
}

#[test]
fn a_name_that_nobody_can_have_is_not_resolved() {
    // A label has at most 63 letters, so no server is asked for this one.
    let stage = Stage::new();
    let _handle = stage.stream_from(format!("http://{}.example", "a".repeat(64))).start();
    assert_eq!(stage.failure().0, Cause::Fault(Fault::Dns));
}

#[test]
fn silence_that_is_too_long_is_a_timeout() {
    for bytes in ["", "HTTP/1.1 200 OK\r\n", STREAM] {
        let mut server = Server::start([hold(bytes)]);
        let stage = Stage::new();
        let read_timeout = Duration::from_millis(20);
        let connection = Connection { read_timeout, ..Connection::to(server.uri()) };
        let _handle = stage.streaming(StreamingConfig::new(connection)).start();
        assert_eq!(stage.failure().0, Cause::Fault(Fault::Timeout), "{bytes:?}");
        server.finish();
    }
}

#[test]
fn a_head_that_never_ends_is_a_timeout_though_something_always_comes() {
    for polling in [false, true] {
        let script: Script = Box::new(|mut exchange| {
            exchange.request();
            while std::io::Write::write_all(&mut exchange.socket, b"HTTP/1.1 103 Early Hints\r\n\r\n").is_ok() {}
        });
        let mut server = Server::start([script]);
        let stage = Stage::new();
        let read_timeout = Duration::from_millis(20);
        let connection = Connection { read_timeout, ..Connection::to(server.uri()) };
        let source = if polling {
            stage.polling(PollingConfig::new(connection))
        } else {
            stage.streaming(StreamingConfig::new(connection))
        };
        let _handle = source.start();
        assert_eq!(stage.failure().0, Cause::Fault(Fault::Timeout), "polling: {polling}");
        server.finish();
    }
}

#[test]
fn what_never_ends_and_brings_no_data_is_broken_off_though_something_always_comes() {
    // A last chunk whose trailers go on, and blocks of gzip that hold nothing.
    let trailers = "Transfer-Encoding: chunked\r\n\r\n0\r\n";
    let gzip = "Content-Encoding: gzip\r\n\r\n\x1f\u{8b}\x08\0\0\0\0\0\0\u{ff}";
    let stream = format!("Content-Type: text/event-stream\r\n{trailers}");
    for (polling, head, piece, fault) in [
        (false, &*stream, &b"X-Filler: filler\r\n"[..], Fault::Reset),
        (true, trailers, b"X-Filler: filler\r\n", Fault::Reset),
        (true, gzip, b"\0\0\0\xff\xff", Fault::Malformed),
    ] {
        // As Latin-1, whose characters are the bytes of the same number.
        let head: Vec<u8> = format!("HTTP/1.1 200 OK\r\n{head}").chars().map(|byte| byte as u8).collect();
        let piece = piece.repeat(1000);
        let script: Script = Box::new(move |mut exchange| {
            exchange.request();
            exchange.send(head);
            while std::io::Write::write_all(&mut exchange.socket, &piece).is_ok() {}
        });
        let mut server = Server::start([script]);
        let stage = Stage::new();
        let source = if polling {
            stage.polling(PollingConfig::new(connection(server.uri())))
        } else {
            stage.streaming(StreamingConfig::new(connection(server.uri())))
        };
        let _handle = source.start();
        let (cause, line) = stage.failure();
        assert_eq!(cause, Cause::Fault(fault), "{line}");
        assert!(line.contains("more than 1048576 bytes came that bring no data"), "{line}");
        server.finish();
    }
}

#[test]
fn an_event_that_is_too_large_is_malformed_and_not_kept() {
    let script: Script = Box::new(|mut exchange| {
        exchange.request();
        exchange.send(STREAM);
        exchange.send("data: ");
        let piece = vec![b'a'; 1 << 20];
        let sent = (0..100).take_while(|_| std::io::Write::write_all(&mut exchange.socket, &piece).is_ok()).count();
        // The buffers of the system's sockets take some; the source takes its limit.
        assert!(sent < 50, "{sent} MiB");
    });
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let connection = Connection { size_limit: 1 << 20, ..connection(server.uri()) };
    let _handle = stage.streaming(StreamingConfig::new(connection)).start();
    let (cause, line) = stage.failure();
    assert_eq!(cause, Cause::Fault(Fault::Malformed));
    assert!(
        line.ends_with(" (an event is larger than the 1048576 bytes that are allowed) - will retry in 1.0s"),
        "{line}"
    );
    server.finish();
}

#[test]
fn the_connection_is_closed_before_the_wait_when_a_message_is_no_json() {
    let mut server = Server::start([hold(format!("{STREAM}event: put\ndata: {{sorry\n\n"))]);
    let stage = Stage::new();
    let _handle = stage.stream_from(server.uri()).start();
    assert_eq!(stage.failure().0, Cause::Fault(Fault::Malformed));
    stage.until_wait();
    // The source waits, and yet the server has seen the end.
    server.finish();
}

#[test]
fn what_the_server_asks_for_is_passed_on_with_the_status() {
    for (header, delay) in [
        ("7", 7),
        // 27 s after the date that the source's wall clock shows.
        ("Sun, 06 Nov 1994 08:49:37 GMT", 27),
        // The ladder's 1 s, twice: this date has passed; this is none.
        ("Sun, 06 Nov 1994 08:48:59 GMT", 1),
        ("soon", 1),
    ] {
        let refusal = format!("HTTP/1.1 503 Unavailable\r\nRetry-After: {header}\r\nContent-Length: 0\r\n\r\n");
        let mut server = Server::start([answer(refusal)]);
        let stage = Stage::new();
        let options = SourceOptions { server_retry: ServerRetry::Honoured, ..SourceOptions::default() };
        let config = StreamingConfig { options, ..StreamingConfig::new(connection(server.uri())) };
        // Sun, 06 Nov 1994 08:49:10 GMT.
        let date = std::time::UNIX_EPOCH + Duration::from_secs(784_111_750);
        let _handle = stage.streaming(config).wall_clock(move || date).start();
        assert_eq!(stage.until_wait().last(), Some(&Told::Waits(Duration::from_secs(delay))), "{header}");
        server.finish();
    }
}

#[test]
fn only_a_good_answer_names_the_environment() {
    let good = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-LD-EnvID: production\r\n\r\n";
    let empty = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-LD-EnvID: \r\n\r\n";
    let bad = "HTTP/1.1 503 Unavailable\r\nX-LD-EnvID: staging\r\nContent-Length: 0\r\n\r\n";
    let mut server = Server::start([answer(bad), answer(empty), answer(good), answer(bad)]);
    let stage = Stage::with_waits(3);
    let handle = stage.stream_from(server.uri()).start();
    let mut told = Vec::new();
    for _ in 0..4 {
        told.extend(stage.until_wait());
    }
    told.retain(|told| matches!(told, Told::Environment(_)));
    assert_eq!(told, [Told::Environment("production".to_owned())]);
    assert_eq!(handle.environment().as_deref(), Some("production"));
    server.finish();
}
