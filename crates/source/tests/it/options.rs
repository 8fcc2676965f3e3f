//! The options, each in both settings.

use std::time::Duration;

use retrylab_core::{Fault, Instant, Regime, RetryRules};
use retrylab_source::{
    Cause, HttpLevel, MalformedBody, PollTiming, ServerRetry, SourceOptions, StreamInput, StreamPolicy, ValidAfter,
};

use crate::poll_player::{BODY, Poll};
use crate::stream_player::{PATCH, PUT, Stream};

const CLOSE: Cause = Cause::Fault(Fault::Close);

fn options() -> SourceOptions {
    SourceOptions::default()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn a_malformed_body_is_unknown_or_invalid_data() {
    for (malformed_body, kind) in [(MalformedBody::Unknown, "UNKNOWN"), (MalformedBody::InvalidData, "INVALID_DATA")] {
        let mut poll = Poll::with(30.0, SourceOptions { malformed_body, ..options() });
        poll.start();
        let lines = poll.body("{sorry", None);
        assert_eq!(lines[3], format!("status INTERRUPTED ({kind}), seen as INITIALIZING ({kind})"));
        poll.at(30.0).timer();
        let lines = poll.body("{}", None);
        assert!(lines[3].starts_with("status INTERRUPTED (UNKNOWN)"), "JSON of the wrong shape is unknown: {lines:?}");
    }
}

#[test]
fn valid_after_a_put_alone() {
    let mut stream = Stream::connected();
    assert_eq!(stream.message("patch", PATCH), ["apply patch", "success", "debug: Data handled"]);
    assert!(stream.message("put", PUT).contains(&"status VALID, seen as VALID".to_owned()));
    // After a failure in mid-stream, VALID comes with the next stream's put, not with its patches.
    stream.ended(CLOSE);
    stream.at(1.0).timer();
    stream.connect(None);
    assert_eq!(stream.message("patch", PATCH).len(), 3);
    assert!(stream.message("put", PUT).contains(&"status VALID, seen as VALID (NETWORK_ERROR)".to_owned()));
}

#[test]
fn valid_after_any_message() {
    let handled = "debug: Data handled";
    for (event, data, lines) in [
        ("patch", PATCH, &[handled][..]),
        ("delete", r#"{"path": "/other/x"}"#, &[handled, "warning: Ignored a change at an unknown path"]),
        ("other", "", &["warning: Ignored an event with an unknown name"]),
    ] {
        let mut stream = Stream::connected_with(SourceOptions { valid_after: ValidAfter::AnyMessage, ..options() });
        let applied = [&format!("apply {event}"), "success"];
        let valid = ["init of 0ns succeeded after 0ns", "status VALID, seen as VALID", "ready", "info: Initialized ok"];
        assert_eq!(stream.message(event, data), [&applied, lines, &valid].concat());
    }
}

#[test]
fn the_level_of_an_http_failure_is_by_kind_or_always_the_same() {
    for (http_level, normal, unexpected) in [
        (HttpLevel::ByKind, "warning", "error"),
        (HttpLevel::Error, "error", "error"),
        (HttpLevel::Warning, "warning", "warning"),
    ] {
        let options = SourceOptions { http_level, ..options() };
        for (status, level) in [(503, normal), (401, unexpected)] {
            let start = format!("{level}: Received HTTP error {status}");
            let mut stream = Stream::with(options);
            stream.start();
            assert!(stream.ended(Cause::Status(status))[2].starts_with(&start), "{http_level:?} {status}");
            let mut poll = Poll::with(30.0, options);
            poll.start();
            assert!(poll.failed(Cause::Status(status))[1].starts_with(&start), "{http_level:?} {status}");
        }
        let mut stream = Stream::with(options);
        stream.start();
        assert!(stream.ended(CLOSE)[2].starts_with("warning: The server"), "other lines keep theirs");
    }
}

/// A stream that receives a hint of 10 s once, on its first connection.
fn hinted_to_wait_ten_seconds(server_retry: ServerRetry) -> Stream {
    let mut stream = Stream::connected_with(SourceOptions { server_retry, ..options() });
    assert_eq!(stream.feed(StreamInput::Hint { connection: 1, retry: seconds(10) }), [""; 0]);
    stream
}

/// The wait after a failure: its end less its start.
fn wait_of(stream: &mut Stream, cause: Cause) -> Duration {
    stream.ended(cause);
    match stream.machine.need() {
        retrylab_source::StreamNeed::Wait(until) => until.since(stream.now),
        need => panic!("{need:?} is not a wait"),
    }
}

fn next_connection(stream: &mut Stream) {
    if let retrylab_source::StreamNeed::Wait(until) = stream.machine.need() {
        stream.now = until;
    }
    stream.timer();
    stream.connect(None);
}

#[test]
fn a_retry_hint_is_ignored_by_default() {
    let mut stream = hinted_to_wait_ten_seconds(ServerRetry::Ignored);
    let waits: Vec<_> = (0..6)
        .map(|_| {
            let wait = wait_of(&mut stream, CLOSE);
            next_connection(&mut stream);
            wait
        })
        .collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 30].map(seconds));
}

#[test]
fn an_adopted_retry_hint_becomes_the_base() {
    let mut stream = hinted_to_wait_ten_seconds(ServerRetry::Honoured);
    let mut waits = Vec::new();
    for _ in 0..4 {
        waits.push(wait_of(&mut stream, CLOSE));
        next_connection(&mut stream);
    }
    assert_eq!(waits, [10, 20, 30, 30].map(seconds), "it doubles, up to the ceiling");
    // A minute of health resets the count; the base stays the server's hint.
    stream.message("put", PUT);
    stream.now = stream.now + seconds(60);
    assert_eq!(wait_of(&mut stream, CLOSE), seconds(10));
    next_connection(&mut stream);
    // Another hint restarts the count.
    stream.feed(StreamInput::Hint { connection: stream.connection, retry: seconds(3) });
    assert_eq!(wait_of(&mut stream, CLOSE), seconds(3));
}

#[test]
fn an_adopted_retry_hint_never_exceeds_the_ceiling_and_leaves_the_extended_ladder_alone() {
    let mut stream = hinted_to_wait_ten_seconds(ServerRetry::Honoured);
    stream.feed(StreamInput::Hint { connection: 1, retry: seconds(86_400) });
    assert_eq!(wait_of(&mut stream, CLOSE), seconds(30));
    next_connection(&mut stream);
    assert_eq!(wait_of(&mut stream, Cause::Status(401)), seconds(300));
}

#[test]
fn a_hint_of_another_connection_is_ignored() {
    let mut stream = hinted_to_wait_ten_seconds(ServerRetry::Honoured);
    stream.feed(StreamInput::Hint { connection: 7, retry: seconds(20) });
    assert_eq!(wait_of(&mut stream, CLOSE), seconds(10), "the last one of this connection");
}

#[test]
fn the_retry_after_of_an_error_response_counts_as_a_hint_where_hints_are_adopted() {
    for (server_retry, wait) in [(ServerRetry::Ignored, 1), (ServerRetry::Honoured, 7)] {
        let mut stream = Stream::connected_with(SourceOptions { server_retry, ..options() });
        let cause = Cause::Status(503);
        let input = StreamInput::Ended { connection: 1, cause, retry_after: Some(seconds(7)), detail: None };
        assert_eq!(stream.feed(input).last().unwrap(), &format!("wait until {wait}s"));
    }
}

#[test]
fn without_a_hint_the_policy_of_a_stream_is_the_plain_state_machine() {
    use retrylab_core::{Failure, FailureKind, Policy, Retry};
    let rules = RetryRules::streaming(Duration::from_secs(1));
    let (mut hinted, mut plain) = (StreamPolicy::new(rules).adopting_hints(), Retry::new(rules));
    for (kind, at) in
        [(FailureKind::Normal, 0), (FailureKind::Normal, 1), (FailureKind::Unexpected, 3), (FailureKind::Normal, 400)]
    {
        let now = Instant::from_secs(at);
        let failure = Failure::from(kind);
        assert_eq!(
            hinted.record_failure(failure, now, 1 << 60),
            Policy::record_failure(&mut plain, failure, now, 1 << 60)
        );
        assert_eq!(hinted.explain(1 << 60), plain.explain(1 << 60));
    }
    assert_eq!(plain.regime(), Regime::Extended);
}

#[test]
fn a_poll_begins_one_interval_after_the_end_of_the_last() {
    let mut poll = Poll::with(30.0, options());
    poll.at(100.0).start();
    assert_eq!(poll.at(112.0).body(BODY, None).last().unwrap(), "wait until 142s");
}

#[test]
fn a_poll_begins_at_the_next_multiple_of_the_interval_after_the_start_of_the_last() {
    let mut poll = Poll::with(30.0, SourceOptions { poll_timing: PollTiming::FixedCadence, ..options() });
    poll.at(100.0).start();
    assert_eq!(poll.at(112.0).body(BODY, None).last().unwrap(), "wait until 130s");
    poll.at(130.0).timer();
    // It took 65 s: 160 and 190 are missed and skipped.
    assert_eq!(poll.at(195.0).body(BODY, None).last().unwrap(), "wait until 220s");
    poll.at(220.0).timer();
    assert_eq!(poll.at(227.0).failed(Cause::Status(503)).last().unwrap(), "wait until 257s", "a failure is waited out");
}
