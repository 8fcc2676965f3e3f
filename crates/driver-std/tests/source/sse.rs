//! Event streams, however they are written and cut.

use retrylab_core::Fault;
use retrylab_source::{Cause, Kind};

use crate::server::{PUT, STREAM, Script, Server, answer};
use crate::stage::{Stage, Told};

/// How many messages are handled of a stream that comes in these pieces, and what it fails of.
fn handled(pieces: Vec<Vec<u8>>) -> (usize, Cause, Stage) {
    let script: Script = Box::new(move |mut exchange| {
        exchange.request();
        exchange.socket.set_nodelay(true).expect("works");
        for piece in pieces {
            exchange.send(piece);
        }
    });
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    let told = stage.until(|told| matches!(told, Told::Failure(..)));
    let Some(Told::Failure(cause, _)) = told.last() else { unreachable!() };
    handle.stop();
    handle.join();
    server.finish();
    (told.iter().filter(|told| **told == Told::Success).count(), *cause, stage)
}

#[test]
fn a_stream_may_be_cut_anywhere() {
    let whole = format!("{STREAM}{PUT}");
    let (pieces, expected) = (whole.bytes().map(|byte| vec![byte]).collect(), (1, Cause::Fault(Fault::Close)));
    let (messages, cause, stage) = handled(pieces);
    assert_eq!((messages, cause), expected);
    assert!(stage.store.get(Kind::Flag, "a").is_some());
}

#[test]
fn lines_may_end_in_every_way_and_a_mark_may_come_first() {
    let line_feed = format!("\u{feff}: a comment\n\n{PUT}{PUT}");
    for text in [line_feed.clone(), line_feed.replace('\n', "\r\n"), line_feed.replace('\n', "\r")] {
        let (messages, cause, _) = handled(vec![format!("{STREAM}{text}").into_bytes()]);
        assert_eq!((messages, cause), (2, Cause::Fault(Fault::Close)), "{text:?}");
    }
}

#[test]
fn text_may_be_cut_inside_of_a_letter() {
    let put = "event: put\ndata: {\"data\":{\"flags\":{\"größe\":{\"version\":1}},\"segments\":{}}}\n\n";
    let whole = format!("{STREAM}{put}").into_bytes();
    for at in STREAM.len()..whole.len() {
        let (messages, _, stage) = handled(vec![whole[..at].to_vec(), whole[at..].to_vec()]);
        assert_eq!(messages, 1);
        assert!(stage.store.get(Kind::Flag, "größe").is_some());
    }
}

#[test]
fn comments_alone_are_no_health_and_half_an_event_is_none() {
    for text in [": heartbeat\n\n: heartbeat\n\n", "event: put\ndata: {}", "event: put\ndata: {\"data\":{}}\n"] {
        let (messages, cause, _) = handled(vec![format!("{STREAM}{text}").into_bytes()]);
        assert_eq!((messages, cause), (0, Cause::Fault(Fault::Close)), "{text:?}");
    }
}

#[test]
fn a_chunked_stream_is_one_whose_chunks_are_no_events() {
    let mut bytes =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for piece in PUT.as_bytes().chunks(7) {
        bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    let (messages, cause, _) = handled(vec![bytes]);
    assert_eq!((messages, cause), (1, Cause::Fault(Fault::Close)));
}

#[test]
fn a_stream_is_asked_for_plainly() {
    let mut server = Server::start([answer(format!("{STREAM}{PUT}"))]);
    let stage = Stage::new();
    let _handle = stage.stream_from(server.uri()).start();
    let requests = server.finish();
    let lines: Vec<&str> = requests[0].trim_end().split("\r\n").collect();
    assert_eq!(lines[0], "GET /all HTTP/1.1");
    let mut headers: Vec<String> = lines[1..].iter().map(|line| line.to_lowercase()).collect();
    headers.sort();
    let agent = format!("user-agent: retrylab/{}", env!("CARGO_PKG_VERSION"));
    let host = format!("host: {}", server.address);
    assert_eq!(headers, ["accept-encoding: identity", "accept: text/event-stream", &host, &agent]);
}
