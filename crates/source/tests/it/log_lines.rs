//! The lines of a source's log: level, text, and the wait that they state.

use std::time::Duration;

use retrylab_core::{FailureKind, Fault};
use retrylab_source::{Cause, Level, LogMessage, LogRecord, Next, Request};

fn closed(delay: Duration) -> String {
    LogRecord::new(LogMessage::ServerClosed { delay: Next::Retry(delay) }).to_string()
}

#[test]
fn the_wait_has_one_decimal_correctly_rounded_with_ties_to_even() {
    for (milliseconds, shown) in [
        (0, "0.0"),
        (40, "0.0"),
        (50, "0.1"),
        (250, "0.2"),
        (350, "0.3"),
        (750, "0.8"),
        (999, "1.0"),
        (1_000, "1.0"),
        (300_000, "300.0"),
        (3_600_000, "3600.0"),
    ] {
        let line = format!("The server closed the stream connection - will retry in {shown}s");
        assert_eq!(closed(Duration::from_millis(milliseconds)), line);
    }
}

/// One of each failure message.
const fn failures(delay: Next) -> [LogMessage; 5] {
    [
        LogMessage::Http { status: 503, kind: FailureKind::Normal, request: Request::Poll, delay },
        LogMessage::ServerClosed { delay },
        LogMessage::Unparseable { delay },
        LogMessage::StreamError { fault: Fault::Reset, delay },
        LogMessage::PollError { cause: Cause::Fault(Fault::Reset), delay },
    ]
}

#[test]
fn a_failure_message_has_its_next_step_and_an_outline_without_it() {
    let delay = Next::Retry(Duration::from_secs(2));
    for message in failures(delay) {
        assert_eq!(message.next(), Some(delay), "{message}");
        assert_eq!(message.outline().next(), Some(Next::Untold), "{message}");
        assert_eq!(format!("{} - will retry in 2.0s", message.outline()), message.to_string());
    }
    for message in [LogMessage::Handled, LogMessage::Stopping, LogMessage::CallbackFailed, LogMessage::StartWaitOver] {
        assert_eq!((message.next(), message.outline()), (None, message));
    }
}

#[test]
fn each_failure_line_ends_with_the_next_step_also_with_a_detail() {
    for delay in [Next::Retry(Duration::from_secs(2)), Next::GiveUp] {
        let end = if delay != Next::GiveUp { " - will retry in 2.0s" } else { " - giving up" };
        for message in failures(delay) {
            let line = LogRecord::new(message).to_string();
            let before = line.strip_suffix(end).unwrap_or_else(|| panic!("{line}"));
            let detailed = LogRecord::new(message).with_detail(Some("os error 104".to_owned())).to_string();
            assert_eq!(detailed, format!("{before} (os error 104){end}"));
        }
    }
}

#[test]
fn each_message_has_its_level() {
    let delay = Next::GiveUp;
    for (message, level, text) in [
        (LogMessage::Handled, Level::Debug, "Data handled"),
        (LogMessage::NotModified, Level::Debug, "Data not modified"),
        (LogMessage::Initialized, Level::Info, "Initialized ok"),
        (LogMessage::Stopping, Level::Info, "Stopping"),
        (LogMessage::UnknownPath, Level::Warning, "Ignored a change at an unknown path"),
        (LogMessage::UnknownEvent, Level::Warning, "Ignored an event with an unknown name"),
        (LogMessage::ServerClosed { delay }, Level::Warning, "The server closed the stream connection - giving up"),
        (
            LogMessage::Unparseable { delay },
            Level::Error,
            "Unparseable data on stream connection: the data cannot be parsed - giving up",
        ),
        (
            LogMessage::StreamError { fault: Fault::Tls, delay },
            Level::Warning,
            "Error on stream connection: the TLS handshake failed - giving up",
        ),
        (
            LogMessage::PollError { cause: Cause::Fault(Fault::Tls), delay },
            Level::Error,
            "Error encountered when updating flags: the TLS handshake failed - giving up",
        ),
        (LogMessage::CallbackFailed, Level::Error, "The callback of a repeating task failed"),
    ] {
        let record = LogRecord::new(message);
        assert_eq!((record.level, record.to_string().as_str()), (level, text));
    }
}

#[test]
fn only_the_errors_of_polls_and_callbacks_have_a_stack_trace() {
    let delay = Next::GiveUp;
    assert!(LogMessage::CallbackFailed.wants_trace());
    assert!(LogMessage::PollError { cause: Cause::Status(304), delay }.wants_trace());
    assert!(!LogMessage::StreamError { fault: Fault::Reset, delay }.wants_trace());
    assert!(!LogMessage::Unparseable { delay }.wants_trace());
    let kind = FailureKind::Unexpected;
    assert!(!LogMessage::Http { status: 401, kind, request: Request::Poll, delay }.wants_trace());
}

#[test]
fn levels_have_the_names_of_traces_and_an_order() {
    let levels = [Level::Debug, Level::Info, Level::Warning, Level::Error];
    assert_eq!(levels.map(Level::name), ["debug", "info", "warning", "error"]);
    assert!(levels.is_sorted());
}
