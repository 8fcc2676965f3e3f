//! The configuration of a source, and the machine built from it.

use std::time::Duration;

use retrylab_core::{Regime, Retry, RetryRules, Successes};
use retrylab_source::{
    Cause, Connection, PollingConfig, PollingSource, Secret, SourceOptions, SourcePolicy, StreamPolicy,
    StreamingConfig, StreamingSource,
};

use crate::poll_player::Poll;
use crate::stream_player::Stream;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn streaming(initial_reconnect_delay: f64, extended_initial: Option<Duration>) -> StreamingSource<StreamPolicy> {
    let config = StreamingConfig::new(Connection::to("http://example.org"));
    StreamingConfig { initial_reconnect_delay, extended_initial, ..config }.source()
}

fn polling(poll_interval: f64, extended_initial: Option<Duration>) -> PollingSource<Retry<Successes>> {
    let config = PollingConfig::new(Connection::to("http://example.org"));
    PollingConfig { poll_interval, extended_initial, ..config }.source()
}

/// First and longest wait of a ladder.
fn bounds(source: &StreamingSource<StreamPolicy>, regime: Regime) -> (Duration, Duration) {
    let bounds = source.policy().rules().bounds(regime);
    (bounds.initial, bounds.ceiling)
}

#[test]
fn the_defaults_are_those_of_the_rules() {
    let connection = Connection::to("http://example.org");
    assert_eq!((connection.connect_timeout, connection.read_timeout), (s(10), s(300)));
    assert_eq!((connection.size_limit, &connection.credential), (64 << 20, &None));
    let stream = StreamingConfig::new(connection.clone()).source();
    assert_eq!(stream.endpoint().unwrap().to_string(), "http://example.org/all");
    assert_eq!(bounds(&stream, Regime::Normal), (s(1), s(30)));
    assert_eq!(bounds(&stream, Regime::Extended), (s(300), s(3_600)));
    assert_eq!(stream.policy().next_delay(), s(0));
    let poll = PollingConfig::new(connection).source();
    assert_eq!(poll.endpoint().unwrap().to_string(), "http://example.org/sdk/latest-all");
    assert_eq!(poll.policy().next_delay(), s(30));
}

#[test]
fn a_poll_interval_is_first_raised_to_thirty_seconds_without_a_warning() {
    for (given, interval) in [
        (0.0, 30),
        (-0.0, 30),
        (-5.0, 30),
        (f64::NEG_INFINITY, 30),
        (5e-324, 30),
        (29.999, 30),
        (30.0, 30),
        (31.0, 31),
        (7_200.0, 7_200),
    ] {
        let mut poll = Poll::of(polling(given, None));
        assert_eq!(poll.machine.policy().next_delay(), s(interval), "{given}");
        assert!(poll.start().iter().all(|line| !line.starts_with("warning")), "{given}");
    }
}

#[test]
fn nan_and_infinity_pass_the_minimum_and_cause_a_warning() {
    for given in [f64::NAN, f64::INFINITY] {
        let mut poll = Poll::of(polling(given, None));
        assert_eq!(poll.machine.policy().next_delay(), s(30));
        let warnings: Vec<_> = poll.start().into_iter().filter(|line| line.starts_with("warning")).collect();
        assert_eq!(
            warnings,
            [format!(
                "warning: poll_interval must be a positive finite number of seconds, not {given}; \
                 using the default of 30s"
            )]
        );
    }
}

#[test]
fn a_shorter_minimum_interval_is_allowed() {
    let config = PollingConfig::new(Connection::to("http://example.org"));
    for (poll_interval, least_interval, interval) in [(0.5, 1.0, 1), (2.0, 1.0, 2), (2.0, f64::NAN, 2)] {
        let source = PollingConfig { poll_interval, least_interval, ..config.clone() }.source();
        assert_eq!(source.policy().next_delay(), s(interval));
    }
}

#[test]
fn a_reconnect_delay_is_not_raised_and_an_unusable_one_causes_a_warning() {
    for given in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut stream = Stream::of(streaming(given, None));
        assert_eq!(bounds(&stream.machine, Regime::Normal), (s(1), s(30)), "{given}");
        assert_eq!(
            stream.start()[0],
            format!(
                "warning: initial_reconnect_delay must be a positive finite number of seconds, not {given}; \
                 using the default of 1s"
            )
        );
    }
    let mut stream = Stream::of(streaming(0.001, None));
    assert_eq!(bounds(&stream.machine, Regime::Normal).0, Duration::from_millis(1));
    assert!(stream.start()[0].starts_with("info"));
}

#[test]
fn the_extended_initial_is_configurable() {
    let mut stream = Stream::of(streaming(1.0, Some(s(2))));
    stream.start();
    assert_eq!(stream.ended(Cause::Status(401))[1], "unexpected failure 401: 2s");
    assert_eq!(bounds(&stream.machine, Regime::Extended), (s(2), s(3_600)));
    assert_eq!(bounds(&stream.machine, Regime::Normal), (s(1), s(30)));

    let mut poll = Poll::of(polling(60.0, Some(s(100))));
    poll.start();
    assert_eq!(poll.failed(Cause::Status(401))[0], "unexpected failure 401: 100s");
    assert_eq!(poll.machine.policy().rules().cadence(), s(60));
}

#[test]
fn the_extended_initial_is_never_below_the_normal_one() {
    assert_eq!(bounds(&streaming(45.0, Some(s(2))), Regime::Extended).0, s(45));
    assert_eq!(bounds(&streaming(1.0, Some(Duration::ZERO)), Regime::Extended).0, s(1));
    let mut poll = Poll::of(polling(30.0, Some(s(2))));
    poll.start();
    assert_eq!(poll.failed(Cause::Status(401))[0], "unexpected failure 401: 30s");
    assert_eq!(bounds(&streaming(1.0, Some(s(7_200))), Regime::Extended), (s(7_200), s(7_200)), "its ceiling rises");
}

#[test]
fn an_unusable_base_uri_is_an_error_before_the_start() {
    let source = StreamingConfig::new(Connection::to("no")).source();
    assert_eq!(
        source.endpoint().unwrap_err().to_string(),
        "the base URI `no` has no scheme; http:// or https:// is allowed"
    );
    assert!(PollingConfig::new(Connection::to("ftp://x")).source().endpoint().is_err());
}

#[test]
fn secrets_are_never_in_debug() {
    let secret = Secret::new("hidden");
    assert_eq!(format!("{secret:?}"), "[secret]");
    assert_eq!(secret.reveal(), "hidden");
    let connection = Connection {
        credential: Some(secret),
        authorities: Some(b"hidden".to_vec()),
        ..Connection::to("http://user:hidden@example.org?key=hidden")
    };
    assert_eq!(
        format!("{connection:?}"),
        "Connection { base_uri: \"http://[secret]@example.org?[secret]\", credential: Some([secret]), \
         connect_timeout: 10s, read_timeout: 300s, authorities: Some(\"6 bytes\"), size_limit: 67108864 }"
    );
    let streaming = StreamingConfig::new(connection.clone());
    let polling = PollingConfig::new(connection);
    let usable = StreamingConfig::new(Connection::to("http://user:hidden@example.org"));
    for debug in [
        format!("{streaming:?}"),
        format!("{polling:?}"),
        format!("{:?}", streaming.source()),
        format!("{:?}", polling.source()),
        format!("{:?}", usable.source()),
    ] {
        assert!(!debug.contains("hidden"), "{debug}");
    }
}

#[test]
fn secrets_are_never_in_lines() {
    for base in ["http://user:hidden@example.org", "ftp://user:hidden@example.org", "http://example.org?key=hidden"] {
        let lines = Stream::of(StreamingConfig::new(Connection::to(base)).source()).start();
        assert!(lines.iter().all(|line| !line.contains("hidden")), "{lines:?}");
        let lines = Poll::of(PollingConfig::new(Connection::to(base)).source()).start();
        assert!(lines.iter().all(|line| !line.contains("hidden")), "{lines:?}");
    }
}

#[test]
fn options_reach_the_machine() {
    let options = SourceOptions { server_retry: retrylab_source::ServerRetry::Honoured, ..SourceOptions::default() };
    let config = StreamingConfig { options, ..StreamingConfig::new(Connection::to("http://example.org")) };
    let rules = RetryRules::streaming(s(1));
    assert_eq!(*config.source().policy(), StreamPolicy::new(rules).adopting_hints());
    assert_ne!(*config.source().policy(), StreamPolicy::new(rules));
}
