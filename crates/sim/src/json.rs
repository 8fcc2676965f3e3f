//! A trace for machines: JSON lines, unfolded, durations as integer nanoseconds.

use serde::{Serialize, Serializer};

use crate::record::{Event, Record};

/// One record as a line of JSON, without the line's end. Fields that do not apply are left out.
///
/// | field | meaning |
/// |---|---|
/// | `time_ns`, `clock_ns` | true time from the start; the client's monotonic clock |
/// | `event` | `message`, `ok`, `not-modified`, `failure`, `gave-up`, `connected`, `silent`, `warning`, `step`, `suspend`, `wall-step`, `refused`, `stop`, `end`; in a full trace also `status`, `log` |
/// | `cause` | of a failure: the status as text, or the fault |
/// | `kind`, `regime`, `attempt`, `rung` | as in the text |
/// | `base_ns`, `jitter_ns`, `wait_ns` | as in the text |
/// | `option` | of a warning: which option was replaced |
/// | `length_ns` | of a change to a clock |
/// | `why` | of `gave-up` and `end` |
/// | `status`, `error` | of `status`: the state and what went wrong |
/// | `level`, `message` | of `log` |
///
/// # Errors
///
/// None that this type can cause; the error is that of the JSON writer.
pub fn json_line(record: &Record) -> Result<String, serde_json::Error> {
    serde_json::to_string(record)
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        JsonRecord::from(self).serialize(serializer)
    }
}

#[derive(Serialize)]
struct JsonRecord {
    time_ns: u64,
    clock_ns: u64,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regime: Option<&'static str>,
    attempt: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rung: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length_ns: Option<i128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl From<&Record> for JsonRecord {
    fn from(record: &Record) -> Self {
        let (regime, rung) = record.shown_place();
        Self {
            time_ns: record.time_ns,
            clock_ns: record.clock_ns,
            event: record.event.name(),
            cause: record.cause().map(|cause| cause.to_string()),
            kind: record.kind().map(retrylab_core::FailureKind::name),
            regime: regime.map(retrylab_core::Regime::name),
            attempt: record.attempt,
            rung,
            base_ns: record.base_ns(),
            jitter_ns: record.jitter_ns(),
            wait_ns: record.wait_ns(),
            option: match record.event {
                Event::Warning(warning) => Some(warning.option.name()),
                _ => None,
            },
            length_ns: match record.event {
                Event::Step(length) | Event::Suspend(length) => Some(i128::from(length)),
                Event::WallStep(length) => Some(i128::from(length)),
                _ => None,
            },
            why: match record.event {
                Event::GaveUp { why, .. } => Some(why.name()),
                Event::End(reason) => Some(reason.name()),
                _ => None,
            },
            status: match record.event {
                Event::Status { state, .. } => Some(state.name()),
                _ => None,
            },
            error: match record.event {
                Event::Status { error, .. } => error.map(|error| error.to_string()),
                _ => None,
            },
            level: match record.event {
                Event::Log { level, .. } => Some(level.name()),
                _ => None,
            },
            message: match record.event {
                Event::Log { message, .. } => Some(message.to_string()),
                _ => None,
            },
        }
    }
}
