//! How long a user waits for the first data.

use std::time::Duration;

use retrylab_source::{Level, LogMessage, LogRecord, StartWait};

#[test]
fn five_seconds_unless_said_otherwise() {
    assert_eq!(StartWait::default(), StartWait::seconds(5.0));
    assert_eq!(StartWait::default().duration(), Some(Duration::from_secs(5)));
    assert_eq!(StartWait::seconds(7.5).as_seconds().to_string(), "7.5");
    assert!(!StartWait::default().is_long());
}

#[test]
fn nothing_is_waited_at_or_below_zero_or_for_what_is_no_number() {
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
fn no_wait_is_too_long_for_a_duration_or_too_short() {
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
        (Level::Warning, "A start wait of 60.5s blocks for long; 60s is the most that is sensible")
    );
    let over = LogRecord::new(LogMessage::StartWaitOver);
    assert_eq!(
        (over.level, over.to_string().as_str()),
        (Level::Warning, "Not initialized when the start wait was over; still retrying")
    );
}
