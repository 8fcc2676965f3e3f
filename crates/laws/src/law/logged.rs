//! Laws of the log and the statuses of a client.

use retrylab_core::{FailureKind, Fault, nanos};
use retrylab_sim::{ErrorKind, Event, Level, LogMessage, Next, State};
use retrylab_spec::Shape;

use super::{Check, Law, Need, Ruling, on, same, text, violated};

pub(super) const REPLACED_CONFIGURATION: Law = Law {
    name: "a-replaced-configuration-is-told",
    statement: "An unusable configured value is replaced by the default, with exactly one warning before anything \
                else; a usable one is kept without a warning.",
    cite: "implementations that replace a zero delay silently",
    about: |claim| claim.is_replaced().is_some(),
    needs: &[Need::Log],
    check: Check::Record(on::FAILURE | on::SUCCESS | on::OTHER | on::ASIDE, |moment| {
        let (event, is_first) = (moment.record.event, !moment.past.began);
        match (moment.claim.is_replaced(), matches!(event, Event::Warning(_))) {
            (Some(true), false) if is_first => violated("a warning", event),
            (Some(true), true) if !is_first => violated("one warning, before anything else", event),
            (Some(false), true) => violated("no warning", event),
            _ if is_first => Ruling::Holds,
            _ => Ruling::Silent,
        }
    }),
};

pub(super) const LOGGED_BY_ITS_KIND: Law = Law {
    name: "a-failure-is-logged-by-its-kind",
    statement: "An HTTP failure is logged as a warning if it is normal and as an error if it is unexpected.",
    cite: "implementations that log every HTTP failure as an error, or every one as a warning",
    about: |claim| claim.logs(),
    needs: &[Need::Log],
    check: Check::Record(on::ASIDE, |moment| match moment.record.event {
        Event::Log { level, message: LogMessage::Http { kind, .. } } => {
            let expected = match kind {
                FailureKind::Normal => Level::Warning,
                FailureKind::Unexpected => Level::Error,
            };
            same(expected, level, |level| level.to_string())
        }
        _ => Ruling::Silent,
    }),
};

pub(super) const REAL_DELAY: Law = Law {
    name: "the-wait-that-is-logged-is-the-wait",
    statement: "The log line of a failure states the wait that follows.",
    cite: "implementations that draw their jitter at each read, so that the logged wait is not the actual one",
    about: |claim| claim.logs(),
    needs: &[Need::Log],
    check: Check::Record(on::ASIDE, |moment| match (moment.record.event, moment.past.last_failed) {
        (Event::Log { message, .. }, Some((_, Some(wait)))) => match message.next() {
            Some(Next::Retry(logged)) => same(wait, nanos(logged), text),
            _ => Ruling::Silent,
        },
        _ => Ruling::Silent,
    }),
};

pub(super) const MALFORMED_POLL: Law = Law {
    name: "a-malformed-poll-is-of-no-known-kind",
    statement: "The status after a poll with an unreadable body has an error of kind UNKNOWN.",
    cite: "implementations that report INVALID_DATA",
    about: |claim| claim.logs() && claim.shape() == Shape::Polling,
    needs: &[Need::Log],
    check: Check::Record(on::ASIDE, |moment| match (moment.record.event, moment.past.last_failed) {
        (Event::Status { error: Some(error), .. }, Some((Some(Fault::Malformed), _))) => {
            same(ErrorKind::Unknown, error.kind, |kind| kind.name().to_owned())
        }
        _ => Ruling::Silent,
    }),
};

pub(super) const VALID_WITH_ALL_DATA: Law = Law {
    name: "valid-comes-with-all-data",
    statement: "A stream is VALID once all data has come over the present connection, not after a change alone.",
    cite: "implementations that are VALID after any message",
    about: |claim| claim.logs() && claim.shape() == Shape::Streaming,
    needs: &[Need::Log],
    check: Check::Record(on::ASIDE, |moment| match moment.record.event {
        Event::Status { state: State::Valid, .. } if moment.past.has_data => Ruling::Holds,
        Event::Status { state: State::Valid, .. } => violated("not VALID yet", "VALID"),
        _ => Ruling::Silent,
    }),
};
