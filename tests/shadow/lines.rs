//! What is compared: one line for everything that a source tells or does, with the attempt and the time.

use std::time::Duration;

use retrylab_core::FailureKind;
use retrylab_source::{Cause, Level, LogMessage, Status};
use retrylab_spec::duration::Text;

pub(crate) const SUCCESS: &str = "records a success";
pub(crate) const CONNECTED: &str = "is connected";
pub(crate) const STOP: &str = "is stopped by its user";

/// At this many nanoseconds, in this attempt.
pub(crate) fn line(now: u64, attempt: u64, what: &str) -> String {
    format!("{} (attempt {attempt}): {what}", Text(Duration::from_nanos(now)))
}

pub(crate) fn failure(cause: Cause, kind: FailureKind, delay: Duration) -> String {
    format!("records a failure, {cause:?}, {kind:?}, next delay {}", Text(delay))
}

pub(crate) fn log(level: Level, message: LogMessage) -> String {
    format!("logs {level}, {message:?}")
}

/// As a listener sees it: with the last error, however old.
pub(crate) fn status(status: &Status) -> String {
    let Status { state, since, error } = status;
    format!("is {state} since {}, last error {error:?}", Text(Duration::from_nanos(since.as_nanos())))
}

pub(crate) fn waits(delay: Duration) -> String {
    format!("waits {}", Text(delay))
}

pub(crate) fn attempts(attempts: u64) -> String {
    format!("{attempts} attempts in all")
}
