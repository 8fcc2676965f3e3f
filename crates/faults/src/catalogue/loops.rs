//! Loops around a correct policy that wait wrongly.

use core::time::Duration;

use retrylab_sim::{Event, LogMessage, Next, Record};

use super::clients::STREAMING;
use super::{Category, KnownFault, in_the_loop};

pub(super) const SLEEP_COUNTS_AS_WAITING: KnownFault = in_the_loop(
    Category::Loop,
    "sleep-counts-as-waiting",
    "no-attempt-before-its-time",
    "The end of a wait is a time of day, which has passed when the machine wakes, so that all clients attempt at once.",
    STREAMING,
    wakes_into_attempts,
);

pub(super) const LOGS_THE_BASE: KnownFault = in_the_loop(
    Category::Loop,
    "logs-the-base",
    "the-wait-that-is-logged-is-the-wait",
    "The log line of a failure states the wait before jitter, not the actual one.",
    STREAMING,
    logs_bases,
);

/// Moves the outcome after a suspend to its end.
fn wakes_into_attempts(records: &mut [Record]) {
    for nth in 0..records.len() {
        let Event::Suspend(length) = records[nth].event else { continue };
        let slept = records[nth];
        for record in records[nth + 1..].iter_mut().take_while(|record| is_of_an_outcome(record)) {
            record.time_ns = slept.time_ns.saturating_add(length);
            record.clock_ns = slept.clock_ns;
        }
    }
}

fn is_of_an_outcome(record: &Record) -> bool {
    !record.is_plain() || record.is_success() || record.is_failure()
}

/// Writes the base that the last failure shows into the line about it.
fn logs_bases(records: &mut [Record]) {
    let mut base = None;
    for record in records {
        base = if record.is_failure() { record.base_ns().map(Duration::from_nanos) } else { base };
        if let (Event::Log { message: LogMessage::Http { delay, .. }, .. }, Some(base)) = (&mut record.event, base) {
            *delay = Next::Retry(base);
        }
    }
}
