//! Short ways to write timelines down.

use core::time::Duration;

use retrylab_sim::{Event, Record};
use retrylab_spec::{
    CallSpec, Client, ConnectFault, Draft, End, Entry, Expect, FirstMessage, JitterChoice, Outcome, Play, PolicySpec,
    Seconds, Timeline,
};

pub(crate) const S: u64 = 1_000_000_000;

pub(crate) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A stream of 1 s without jitter that plays `script` and stops.
pub(crate) fn stream(script: Vec<Play>) -> Draft {
    draft(PolicySpec::Streaming { initial_reconnect_delay: Some(Seconds::Text(secs(1))) }, script)
}

/// A poller of 30 s without jitter that plays `script` and stops.
pub(crate) fn poller(script: Vec<Play>) -> Draft {
    draft(PolicySpec::Polling { poll_interval: Some(Seconds::Text(secs(30))) }, script)
}

/// Calls of at most `attempts` attempts, one after the other, that say nothing else.
pub(crate) fn calls(attempts: u32, script: Vec<Play>) -> Draft {
    let spec = CallSpec { attempts: Some(attempts), ..CallSpec::default() };
    Draft { script, ..Draft::new("A test.", Client::new(PolicySpec::Call(spec))) }
}

fn draft(kind: PolicySpec, script: Vec<Play>) -> Draft {
    Draft { script, ..Draft::new("A test.", Client { kind, jitter: JitterChoice::None }) }
}

pub(crate) fn checked(draft: Draft) -> Timeline {
    Timeline::new(draft).expect("the test's timeline is valid")
}

pub(crate) fn expecting(mut draft: Draft, expect: Expect) -> Timeline {
    draft.expect = Some(expect);
    checked(draft)
}

pub(crate) fn entry(outcome: Outcome) -> Entry {
    Entry::new(outcome)
}

pub(crate) fn status(status: u16) -> Play {
    Play::Attempt(entry(Outcome::Status { status, retry_after: None }))
}

pub(crate) fn refused() -> Play {
    Play::Attempt(entry(Outcome::Fault(ConnectFault::Refused)))
}

pub(crate) fn ok() -> Play {
    Play::Attempt(entry(Outcome::Ok))
}

pub(crate) fn up(seconds: u64, end: End) -> Play {
    Play::Attempt(entry(Outcome::Up { lasts: Some((secs(seconds), end)), first: FirstMessage::Put }))
}

pub(crate) fn stays_up() -> Play {
    Play::Attempt(entry(Outcome::Up { lasts: None, first: FirstMessage::Put }))
}

pub(crate) fn times(times: u64, play: Vec<Play>) -> Play {
    Play::Repeat { times, play }
}

pub(crate) fn records(timeline: &Timeline) -> Vec<Record> {
    retrylab_sim::play(timeline, 0).expect("a built-in client").filter(Record::is_plain).collect()
}

/// True time in seconds and the event's text, for each record.
pub(crate) fn events(timeline: &Timeline) -> Vec<(u64, String)> {
    records(timeline).iter().map(|record| (record.time_ns / S, record.event.to_string())).collect()
}

/// The waits after failures, in whole seconds.
pub(crate) fn delays(timeline: &Timeline) -> Vec<u64> {
    let failures = records(timeline).into_iter().filter(|record| matches!(record.event, Event::Failure { .. }));
    failures.filter_map(|record| record.wait_ns()).map(|wait| wait / S).collect()
}
