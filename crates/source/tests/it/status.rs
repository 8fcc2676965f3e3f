//! The effect of a report: the state, its time, its error, and whether listeners are notified.

use retrylab_core::Instant;
use retrylab_source::{ErrorKind, SourceError, State, Status};

const ALL: [State; 4] = [State::Initializing, State::Valid, State::Interrupted, State::Off];
const OLD: SourceError = SourceError::response(500);
const NEW: SourceError = SourceError::response(503);

/// A status that came into this state at 1 s, with an error or without.
fn status(state: State, error: Option<SourceError>) -> Status {
    Status { state, since: Instant::from_secs(1), error }
}

#[test]
fn it_begins_initializing_without_an_error() {
    assert_eq!(Status::new(Instant::from_secs(1)), status(State::Initializing, None));
}

#[test]
fn interrupted_before_the_first_valid_is_initializing_with_the_error() {
    let mut masked = status(State::Initializing, None);
    assert!(masked.update(State::Interrupted, Some(NEW), Instant::from_secs(2)));
    assert_eq!(masked, status(State::Initializing, Some(NEW)));
    assert!(masked.update(State::Interrupted, Some(NEW), Instant::from_secs(3)), "each failed retry is notified");
    assert!(!masked.update(State::Interrupted, None, Instant::from_secs(4)), "no notification without an error");
    assert_eq!(masked, status(State::Initializing, Some(NEW)));
}

#[test]
fn interrupted_after_it_was_valid_is_interrupted() {
    let mut seen = status(State::Valid, None);
    assert!(seen.update(State::Interrupted, Some(NEW), Instant::from_secs(2)));
    assert_eq!(seen, Status { state: State::Interrupted, since: Instant::from_secs(2), error: Some(NEW) });
}

#[test]
fn the_same_state_is_notified_only_with_an_error_and_keeps_its_since() {
    for state in [State::Initializing, State::Valid, State::Interrupted] {
        let mut same = status(state, Some(OLD));
        assert!(!same.update(state, None, Instant::from_secs(2)), "{state}");
        assert_eq!(same, status(state, Some(OLD)), "{state}");
        assert!(same.update(state, Some(NEW), Instant::from_secs(3)), "{state}");
        assert_eq!(same, status(state, Some(NEW)), "{state}");
    }
}

#[test]
fn another_state_is_notified_and_keeps_the_last_error_unless_there_is_a_new_one() {
    for from in [State::Initializing, State::Valid, State::Interrupted] {
        for to in ALL {
            if from == to || (from, to) == (State::Initializing, State::Interrupted) {
                continue;
            }
            for (error, kept) in [(None, Some(OLD)), (Some(NEW), Some(NEW))] {
                let mut moved = status(from, Some(OLD));
                assert!(moved.update(to, error, Instant::from_secs(2)), "{from} to {to}");
                assert_eq!(moved, Status { state: to, since: Instant::from_secs(2), error: kept }, "{from} to {to}");
            }
        }
    }
}

#[test]
fn nothing_follows_off() {
    for to in ALL {
        for error in [None, Some(NEW)] {
            let mut off = status(State::Off, Some(OLD));
            assert!(!off.update(to, error, Instant::from_secs(2)), "{to}");
            assert_eq!(off, status(State::Off, Some(OLD)), "{to}");
        }
    }
}

#[test]
fn states_and_error_kinds_have_their_documented_names() {
    assert_eq!(ALL.map(State::name), ["INITIALIZING", "VALID", "INTERRUPTED", "OFF"]);
    let kinds = [
        ErrorKind::Unknown,
        ErrorKind::NetworkError,
        ErrorKind::ErrorResponse,
        ErrorKind::InvalidData,
        ErrorKind::StoreError,
    ];
    assert_eq!(
        kinds.map(ErrorKind::name),
        ["UNKNOWN", "NETWORK_ERROR", "ERROR_RESPONSE", "INVALID_DATA", "STORE_ERROR"]
    );
    assert_eq!(NEW.to_string(), "ERROR_RESPONSE 503");
    assert_eq!(SourceError::new(ErrorKind::StoreError).to_string(), "STORE_ERROR");
    assert_eq!(SourceError::new(ErrorKind::StoreError).status, 0);
}
