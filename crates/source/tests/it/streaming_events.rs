//! The table of streaming events, one test per row: the retry state's input, the status, the log line, the wait, and
//! their order.

use std::sync::Arc;

use retrylab_core::{Fault, Instant, Regime};
use retrylab_source::{Cause, Connection, ErrorKind, EventReader, State, StreamInput, StreamNeed, StreamingConfig};

use crate::stream_player::{PATCH, PUT, Stream, own};
use crate::unruly::{How, NoDecoder, NoStore};

#[test]
fn source_starts() {
    let mut stream = Stream::new();
    assert_eq!(stream.machine.need(), StreamNeed::Start);
    assert_eq!(stream.start(), ["info: Starting the stream (http://example.org/all)", "connect 1"]);
    assert_eq!(stream.machine.need(), StreamNeed::Connection(1));
    assert_eq!((stream.draws, stream.lines.status.state), (0, State::Initializing));
}

#[test]
fn source_starts_with_an_unusable_delay_and_warns_once() {
    let mut stream = own(f64::NAN);
    let start = stream.start();
    assert_eq!(
        start,
        [
            "warning: initial_reconnect_delay must be a positive finite number of seconds, not NaN; \
             using the default of 1s",
            "info: Starting the stream (http://example.org/all)",
            "connect 1"
        ]
    );
    assert!(stream.ended(Cause::Fault(Fault::Reset)).iter().all(|line| !line.contains("finite")));
}

#[test]
fn source_starts_with_an_unusable_base_uri_and_goes_off_with_one_error_line() {
    let mut stream = Stream::of(StreamingConfig::new(Connection::to("example.org")).source());
    assert_eq!(
        stream.start(),
        [
            "error: The base URI is invalid, so there will be no data \
             (the base URI `example.org` has no scheme; http:// or https:// is allowed)",
            "status OFF, seen as OFF",
            "stopped"
        ]
    );
    assert_eq!(stream.machine.need(), StreamNeed::Stopped);
    assert_eq!(stream.stop(), [""; 0]);
}

#[test]
fn connected_2xx_sse() {
    let mut stream = Stream::new();
    stream.start();
    assert_eq!(stream.connect(Some("production")), ["environment production"]);
    assert_eq!(stream.connect(None), [""; 0]);
    assert_eq!(stream.connect(Some("")), [""; 0], "an empty name is none");
    assert_eq!((stream.draws, stream.lines.status.state), (0, State::Initializing));
}

#[test]
fn comment_or_heartbeat() {
    // The machine has no input for it, so nothing can change.
    let mut heard = Vec::new();
    EventReader::new().read(b": heartbeat\n\n:\n\n:\r\r", |event| heard.push(event)).unwrap();
    assert_eq!(heard, []);
}

#[test]
fn put_handled() {
    let mut stream = Stream::connected();
    assert_eq!(
        stream.at(2.0).message("put", PUT),
        [
            "apply put",
            "success",
            "debug: Data handled (flags: 1, segments: 0)",
            "init of 0ns succeeded after 2s",
            "status VALID, seen as VALID",
            "ready",
            "info: Initialized ok",
        ]
    );
    assert_eq!(stream.machine.need(), StreamNeed::Connection(1), "no wait: the cadence is 0");
    assert_eq!(
        stream.at(3.0).message("put", PUT),
        ["apply put", "success", "debug: Data handled (flags: 1, segments: 0)", "status VALID, not seen"],
        "the second put is neither the first nor news"
    );
    assert_eq!(stream.lines.status.since, Instant::from_secs(2));
}

#[test]
fn patch_or_delete_handled() {
    let mut stream = Stream::valid();
    assert_eq!(stream.message("patch", PATCH), ["apply patch", "success", "debug: Data handled"]);
    let delete = r#"{"path": "/segments/gone", "version": 3}"#;
    assert_eq!(stream.message("delete", delete), ["apply delete", "success", "debug: Data handled"]);
}

#[test]
fn patch_or_delete_with_an_unknown_path() {
    for (event, data) in
        [("patch", r#"{"path": "/else/x", "data": {}}"#), ("delete", r#"{"path": "/flagsx", "version": 1}"#)]
    {
        assert_eq!(
            Stream::connected().message(event, data),
            [
                format!("apply {event}").as_str(),
                "success",
                "debug: Data handled",
                "warning: Ignored a change at an unknown path"
            ]
        );
    }
}

#[test]
fn unknown_event_name() {
    assert_eq!(
        Stream::connected().message("reboot", "{sorry"),
        ["apply reboot", "success", "warning: Ignored an event with an unknown name"]
    );
}

#[test]
fn message_is_not_json() {
    for event in ["put", "patch", "delete"] {
        let mut stream = Stream::valid();
        let lines = stream.at(10.0).message(event, "{sorry");
        assert_eq!(
            lines,
            [
                &format!("apply {event}"),
                "info: An event could not be handled, so the stream restarts \
                 (not JSON: key must be a string at line 1 column 2)",
                "drop 1",
                "normal failure malformed: 1s",
                "error: Unparseable data on stream connection: the data cannot be parsed \
                 (not JSON: key must be a string at line 1 column 2) - will retry in 1.0s",
                "status INTERRUPTED (INVALID_DATA), seen as INTERRUPTED (INVALID_DATA)",
                "wait until 11s",
            ]
        );
        assert_eq!(stream.draws, 1);
        assert_eq!(stream.ended(Cause::Fault(Fault::Close)), [""; 0], "the close of the machine's own drop");
        assert_eq!(stream.draws, 1);
    }
}

#[test]
fn message_lacks_keys() {
    let mut stream = Stream::connected();
    assert_eq!(
        stream.message("patch", r#"{"path": "/flags/x"}"#),
        [
            "apply patch",
            "info: An event could not be handled, so the stream restarts (`data` is not an object)",
            "drop 1",
            "init of 0ns failed after 0ns",
            "normal failure missing-key: 1s",
            "warning: Error on stream connection: the data lacks a required key (`data` is not an object) \
             - will retry in 1.0s",
            "status INTERRUPTED (UNKNOWN), seen as INITIALIZING (UNKNOWN)",
            "wait until 1s",
        ]
    );
}

#[test]
fn other_handler_error() {
    for (how, text) in [(How::Panic, "panicked: disk on fire"), (How::PanicTwice, "panicked: no text")] {
        let mut stream = Stream::valid();
        stream.decoder = Arc::new(NoDecoder(Some(how)));
        assert_eq!(
            stream.message("put", PUT),
            [
                "apply put",
                &format!("info: An event could not be handled, so the stream restarts ({text})"),
                "drop 1",
                "normal failure missing-key: 1s",
                &format!(
                    "warning: Error on stream connection: the data lacks a required key ({text}) - will retry in 1.0s"
                ),
                "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
                "wait until 1s",
            ]
        );
    }
}

#[test]
fn store_raises() {
    for (how, text) in [
        (How::Error, "the store failed: disk full"),
        (How::Panic, "panicked: disk on fire"),
        (How::PanicTwice, "panicked: no text"),
    ] {
        for (event, data) in [("put", PUT), ("patch", PATCH)] {
            let mut stream = Stream::valid();
            stream.store = Arc::new(NoStore(how));
            assert_eq!(
                stream.message(event, data),
                [
                    &format!("apply {event}"),
                    "status INTERRUPTED (STORE_ERROR), seen as INTERRUPTED (STORE_ERROR)",
                    &format!("info: An event could not be handled, so the stream restarts ({text})"),
                    "drop 1",
                    "normal failure store: 1s",
                    &format!(
                        "warning: Error on stream connection: the data could not be stored ({text}) \
                         - will retry in 1.0s"
                    ),
                    "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
                    "wait until 1s",
                ]
            );
            assert_eq!(stream.draws, 1);
        }
    }
}

#[test]
fn store_raises_before_the_first_valid() {
    let mut stream = Stream::connected();
    stream.store = Arc::new(NoStore(How::Error));
    let seen: Vec<_> = stream.message("put", PUT).into_iter().filter(|line| line.starts_with("status")).collect();
    assert_eq!(
        seen,
        [
            "status INTERRUPTED (STORE_ERROR), seen as INITIALIZING (STORE_ERROR)",
            "status INTERRUPTED (UNKNOWN), seen as INITIALIZING (UNKNOWN)"
        ]
    );
}

#[test]
fn http_400_408_429_5xx_or_204() {
    for status in [400, 408, 429, 500, 503, 599, 204] {
        let mut stream = Stream::new();
        stream.start();
        assert_eq!(
            stream.at(0.5).ended(Cause::Status(status)),
            [
                "init of 0ns failed after 500ms",
                &format!("normal failure {status}: 1s"),
                &format!("warning: Received HTTP error {status} for stream connection - will retry in 1.0s"),
                &format!(
                    "status INTERRUPTED (ERROR_RESPONSE {status}), seen as INITIALIZING (ERROR_RESPONSE {status})"
                ),
                "wait until 1.5s",
            ]
        );
        assert_eq!(stream.draws, 1);
    }
}

#[test]
fn http_other_4xx() {
    for (status, hint) in [(401, " (invalid SDK key)"), (403, " (invalid SDK key)"), (404, ""), (405, ""), (499, "")] {
        let mut stream = Stream::new();
        stream.start();
        assert_eq!(
            stream.ended(Cause::Status(status)),
            [
                "init of 0ns failed after 0ns",
                &format!("unexpected failure {status}: 300s"),
                &format!("error: Received HTTP error {status}{hint} for stream connection - will retry in 300.0s"),
                &format!(
                    "status INTERRUPTED (ERROR_RESPONSE {status}), seen as INITIALIZING (ERROR_RESPONSE {status})"
                ),
                "wait until 300s",
            ]
        );
        assert_eq!(stream.at(300.0).timer(), ["connect 2"]);
        let second = stream.ended(Cause::Status(status));
        assert_eq!(
            second[2],
            format!("error: Received HTTP error {status}{hint} for stream connection - will retry in 600.0s")
        );
    }
}

#[test]
fn not_an_event_stream() {
    let mut stream = Stream::valid();
    assert_eq!(
        stream.ended(Cause::Fault(Fault::ContentType)),
        [
            "normal failure content-type: 1s",
            "warning: Error on stream connection: the response has the wrong content type - will retry in 1.0s",
            "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
            "wait until 1s",
        ]
    );
}

#[test]
fn dns_refused_reset_tls_certificate_or_read_timeout() {
    for (fault, words) in [
        (Fault::Dns, "the host name was not resolved"),
        (Fault::Refused, "the connection was refused"),
        (Fault::Reset, "the connection was reset"),
        (Fault::Tls, "the TLS handshake failed"),
        (Fault::Certificate, "the certificate was not accepted"),
        (Fault::Timeout, "timed out"),
    ] {
        let mut stream = Stream::valid();
        let input = StreamInput::Ended {
            connection: 1,
            cause: Cause::Fault(fault),
            retry_after: None,
            detail: Some("os error 104".to_owned()),
        };
        assert_eq!(
            stream.feed(input),
            [
                &format!("normal failure {fault}: 1s"),
                &format!("warning: Error on stream connection: {words} (os error 104) - will retry in 1.0s"),
                "status INTERRUPTED (UNKNOWN), seen as INTERRUPTED (UNKNOWN)",
                "wait until 1s",
            ]
        );
    }
}

#[test]
fn server_closes_cleanly() {
    let mut stream = Stream::valid();
    // Half of all draws: a quarter of the second is subtracted, and 0.75 has two nearest decimals, of which the even wins.
    let lines = stream.at(5.0).feed_with(
        StreamInput::Ended { connection: 1, cause: Cause::Fault(Fault::Close), retry_after: None, detail: None },
        1 << 63,
    );
    assert_eq!(
        lines,
        [
            "normal failure close: 750ms",
            "warning: The server closed the stream connection - will retry in 0.8s",
            "status INTERRUPTED (NETWORK_ERROR), seen as INTERRUPTED (NETWORK_ERROR)",
            "wait until 5.75s",
        ]
    );
    assert_eq!(stream.draws, 1);
}

#[test]
fn clean_close_after_own_interrupt() {
    let mut stream = Stream::valid();
    stream.message("put", "{sorry");
    let (draws, failures) = (stream.draws, stream.lines.status);
    // While the wait lasts, and while the next connection is there: it is still the close of connection 1.
    assert_eq!(stream.ended(Cause::Fault(Fault::Close)), [""; 0]);
    stream.at(1.0).timer();
    stream.connect(None);
    stream.connection = 1;
    assert_eq!(stream.ended(Cause::Fault(Fault::Close)), [""; 0]);
    assert_eq!((stream.draws, stream.lines.status), (draws, failures));
}

#[test]
fn a_real_close_after_an_unobserved_own_interrupt_counts() {
    let mut stream = Stream::valid();
    stream.message("put", "{sorry");
    // The dropped connection was already dead, so its close is never observed.
    stream.at(1.0).timer();
    stream.connect(None);
    assert_eq!(stream.ended(Cause::Fault(Fault::Close))[1], "normal failure close: 2s");
}

#[test]
fn failure_event_while_not_running() {
    let mut idle = Stream::new();
    idle.connection = 1;
    assert_eq!(idle.ended(Cause::Status(503)), [""; 0]);
    let mut stopped = Stream::valid();
    stopped.stop();
    assert_eq!(stopped.ended(Cause::Status(503)), [""; 0]);
    assert_eq!(stopped.message("put", "{sorry"), [""; 0]);
    assert_eq!((idle.draws, stopped.draws), (0, 0));
    assert_eq!(stopped.machine.need(), StreamNeed::Stopped);
}

#[test]
fn stop_while_connected() {
    let mut stream = Stream::valid();
    stream.ended(Cause::Status(503));
    stream.at(1.0).timer();
    stream.connect(None);
    stream.message("put", PUT);
    assert_eq!(
        stream.at(7.0).stop(),
        ["info: Stopping", "drop 2", "status OFF, seen as OFF (ERROR_RESPONSE 503)", "stopped"],
        "OFF keeps the last error, and adds none"
    );
    assert_eq!(stream.machine.need(), StreamNeed::Stopped);
    assert_eq!(stream.stop(), [""; 0], "twice");
}

#[test]
fn stop_during_a_wait() {
    let mut stream = Stream::new();
    stream.start();
    stream.ended(Cause::Status(401));
    assert_eq!(
        stream.at(1.0).stop(),
        ["info: Stopping", "status OFF, seen as OFF (ERROR_RESPONSE 401)", "stopped"],
        "299 s before the wait is over"
    );
    assert_eq!(stream.at(300.0).timer(), [""; 0]);
    assert_eq!(stream.machine.need(), StreamNeed::Stopped);
}

#[test]
fn stop_before_the_start_and_start_after_the_stop() {
    let mut stream = Stream::new();
    assert_eq!(stream.stop(), ["info: Stopping", "status OFF, seen as OFF", "stopped"]);
    assert_eq!(stream.start(), [""; 0]);
    assert_eq!(stream.timer(), [""; 0]);
}

#[test]
fn start_twice() {
    let mut stream = Stream::connected();
    assert_eq!(stream.start(), ["info: Already started; starting again changes nothing"]);
    stream.ended(Cause::Status(503));
    assert_eq!(stream.start(), ["info: Already started; starting again changes nothing"]);
    assert_eq!(stream.machine.need(), StreamNeed::Wait(Instant::from_secs(1)));
}

#[test]
fn stop_discards_outputs_that_were_not_taken() {
    let mut stream = Stream::connected();
    stream.machine.handle(stream.end(Cause::Status(503)), Instant::ZERO, || 0);
    // The outputs of the failure were not taken: none of them may come after OFF.
    assert_eq!(stream.stop(), ["info: Stopping", "status OFF, seen as OFF", "stopped"]);
}

#[test]
fn the_example_of_the_status_rules() {
    let mut stream = Stream::new();
    let mut states = Vec::new();
    let mut note =
        |stream: &Stream| states.push((stream.lines.status.state, stream.lines.status.error.map(|e| e.status)));
    stream.start();
    for seconds in [0.0, 1.0] {
        stream.at(seconds).timer();
        stream.ended(Cause::Status(503));
        note(&stream);
    }
    stream.at(3.0).timer();
    stream.message("put", PUT);
    note(&stream);
    stream.ended(Cause::Status(401));
    note(&stream);
    stream.stop();
    note(&stream);
    assert_eq!(
        states,
        [
            (State::Initializing, Some(503)),
            (State::Initializing, Some(503)),
            (State::Valid, Some(503)),
            (State::Interrupted, Some(401)),
            (State::Off, Some(401)),
        ]
    );
}

#[test]
fn diagnostics_of_a_failure_without_a_pending_attempt_are_none() {
    let mut stream = Stream::valid();
    assert!(
        stream.ended(Cause::Status(503)).iter().all(|line| !line.starts_with("init")),
        "a put had cleared the time"
    );
    stream.at(1.0).timer();
    assert_eq!(stream.at(4.0).ended(Cause::Status(503))[0], "init of 1s failed after 3s", "stamped after the wait");
}

#[test]
fn sixty_seconds_of_health_reset_at_the_next_failure_and_a_nanosecond_less_does_not() {
    let just_below = Instant::from_nanos(359_999_999_999);
    for (now, regime, wait) in [(just_below, Regime::Extended, 600), (Instant::from_secs(360), Regime::Normal, 1)] {
        let mut stream = own(1.0);
        stream.start();
        stream.ended(Cause::Status(401));
        stream.at(300.0).timer();
        stream.connect(None);
        stream.message("put", PUT);
        stream.now = now;
        assert_eq!(stream.ended(Cause::Fault(Fault::Close))[0], format!("normal failure close: {wait}s"));
        assert_eq!(stream.machine.policy().regime(), regime);
    }
}

#[test]
fn health_begins_with_the_first_message_and_not_with_the_connection() {
    let mut stream = own(1.0);
    stream.start();
    stream.ended(Cause::Fault(Fault::Reset));
    stream.at(1.0).timer();
    stream.connect(None);
    // 60 s after the connection, 1 s after the first message: no reset, so the second rung.
    stream.at(60.0).message("ping", "");
    assert_eq!(stream.at(61.0).ended(Cause::Fault(Fault::Close))[1], "normal failure close: 2s");
}

#[test]
fn faults_that_a_driver_may_report_of_a_stream_have_the_error_of_their_kind() {
    for fault in Fault::ALL {
        let mut stream = Stream::valid();
        stream.ended(Cause::Fault(fault));
        let kind = match fault {
            Fault::Close => ErrorKind::NetworkError,
            Fault::Malformed => ErrorKind::InvalidData,
            _ => ErrorKind::Unknown,
        };
        assert_eq!(stream.lines.status.error.map(|error| error.kind), Some(kind), "{fault}");
    }
}
