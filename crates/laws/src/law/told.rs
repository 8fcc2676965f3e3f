//! Laws of what a client says of itself.

use core::time::Duration;

use retrylab_core::{FailureKind, Fault};
use retrylab_scenario::Shape;
use retrylab_scenario::duration::Text;
use retrylab_sim::{ErrorKind, Event, Level, LogMessage, Next, State};

use super::{Check, Finding, Law, broken};

pub(super) const REPLACED_CONFIGURATION: Law = Law {
    name: "a-replaced-configuration-is-told",
    statement: "A configured value that cannot be used is replaced by the default, and the client says so before anything \
                else, once; one that can be used is kept in silence.",
    cite: "implementations that replace a zero delay without a word",
    about: |claim| claim.replaced.is_some(),
    check: Check::Moment(|moment| {
        let warns = matches!(moment.record.event, Event::Warning(_));
        match moment.claim.replaced {
            Some(true) if !moment.past.began && !warns => broken("a warning", moment.record.event),
            Some(true) if moment.past.began && warns => {
                broken("one warning, before anything else", moment.record.event)
            }
            Some(false) if warns => broken("no warning", moment.record.event),
            _ if moment.past.began => Finding::Silent,
            _ => Finding::Holds,
        }
    }),
};

pub(super) const LOGGED_BY_ITS_KIND: Law = Law {
    name: "a-failure-is-logged-by-its-kind",
    statement: "An HTTP failure is logged as a warning if it is normal and as an error if it is unexpected.",
    cite: "implementations that log every HTTP failure as an error, or every one as a warning",
    about: |claim| claim.logs,
    check: Check::Moment(|moment| match moment.record.event {
        Event::Log { level, message: LogMessage::Http { kind, .. } } => {
            let expected = match kind {
                FailureKind::Normal => Level::Warning,
                FailureKind::Unexpected => Level::Error,
            };
            if level == expected { Finding::Holds } else { broken(expected, level) }
        }
        _ => Finding::Silent,
    }),
};

pub(super) const REAL_DELAY: Law = Law {
    name: "the-wait-that-is-logged-is-the-wait",
    statement: "The line that tells of a failure states the wait that follows.",
    cite: "implementations that draw their jitter at each read, so that the wait that is logged is not the one that is waited",
    about: |claim| claim.logs,
    check: Check::Moment(|moment| {
        let logged = match moment.record.event {
            Event::Log { message, .. } => message.next(),
            _ => None,
        };
        let (Some(Next::Retry(logged)), Some((_, Some(wait)))) = (logged, moment.past.last_failed) else {
            return Finding::Silent;
        };
        let wait = Duration::from_nanos(wait);
        if logged == wait { Finding::Holds } else { broken(Text(wait), Text(logged)) }
    }),
};

pub(super) const MALFORMED_POLL: Law = Law {
    name: "a-malformed-poll-is-of-no-known-kind",
    statement: "The status that tells of a poll whose body cannot be read has an error of kind UNKNOWN.",
    cite: "implementations that call it INVALID_DATA",
    about: |claim| claim.logs && claim.shape == Shape::Polling,
    check: Check::Moment(|moment| match (moment.record.event, moment.past.last_failed) {
        (Event::Status { error: Some(error), .. }, Some((Some(Fault::Malformed), _))) => {
            if error.kind == ErrorKind::Unknown {
                Finding::Holds
            } else {
                broken(ErrorKind::Unknown.name(), error.kind.name())
            }
        }
        _ => Finding::Silent,
    }),
};

pub(super) const VALID_WITH_ALL_DATA: Law = Law {
    name: "valid-comes-with-all-data",
    statement: "A stream is VALID once all data came over the present connection, and not after a change alone.",
    cite: "implementations that are VALID after any message",
    about: |claim| claim.logs && claim.shape == Shape::Streaming,
    check: Check::Moment(|moment| match moment.record.event {
        Event::Status { state: State::Valid, .. } => {
            if moment.past.has_data {
                Finding::Holds
            } else {
                broken("not VALID yet", "VALID")
            }
        }
        _ => Finding::Silent,
    }),
};
