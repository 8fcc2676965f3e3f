//! The wait for a source's first data.

use std::time::Duration;

use retrylab_source::{Level, LogMessage, LogRecord, StartWait};

#[test]
fn the_default_is_five_seconds() {
    assert_eq!(StartWait::default(), StartWait::seconds(5.0));
    assert_eq!(StartWait::default().duration(), Some(Duration::from_secs(5)));
    assert_eq!(StartWait::seconds(7.5).as_seconds().to_string(), "7.5");
    assert!(!StartWait::default().is_long());
}

#[test]
fn zero_a_negative_value_and_nan_are_no_wait() {
    for seconds in [0.0, -0.0, -1.0, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(StartWait::seconds(seconds).duration(), None, "{seconds}");
        assert!(!StartWait::seconds(seconds).is_long(), "{seconds}");
    }
}

#[test]
fn above_sixty_seconds_it_is_long() {
    for (seconds, long) in [(59.9, false), (60.0, false), (60.000_001, true), (1e300, true), (f64::INFINITY, true)] {
        assert_eq!(StartWait::seconds(seconds).is_long(), long, "{seconds}");
    }
}

#[test]
fn a_wait_saturates_at_the_ends_of_a_duration() {
    for (seconds, duration) in [
        (1e300, Duration::MAX),
        (f64::INFINITY, Duration::MAX),
        (0.001, Duration::from_millis(1)),
        (1e-9, Duration::from_nanos(1)),
        (5e-324, Duration::ZERO),
    ] {
        assert_eq!(StartWait::seconds(seconds).duration(), Some(duration), "{seconds}");
    }
}

#[test]
fn its_lines_are_warnings() {
    let long = LogRecord::new(LogMessage::LongStartWait(60.5));
    assert_eq!(
        (long.level, long.to_string().as_str()),
        (Level::Warning, "A start wait of 60.5s is long; at most 60s is recommended")
    );
    let over = LogRecord::new(LogMessage::StartWaitOver);
    assert_eq!(
        (over.level, over.to_string().as_str()),
        (Level::Warning, "Not initialized within the start wait; still retrying")
    );
}
