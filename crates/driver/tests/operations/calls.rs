//! The bounded call exactly: calls, waits and errors, each worked by hand, and the same on both drivers.

use std::error::Error;

use retrylab_core::{CallRulesError, GiveUp};
use retrylab_driver::RetryError;

use crate::script::Entry::{Succeeds, Terminal, Transient};
use crate::script::{CallError, Played, exact, ms, play, s};

const PAYLOAD: &str = "payload for https://example.org/flags";

#[test]
fn a_success_returns_at_once() {
    let Played { answer, calls, waits } = play(exact(4), &[Succeeds]);
    assert_eq!((answer.as_deref(), calls, waits), (Ok(PAYLOAD), 1, vec![]));
}

#[test]
fn a_transient_failure_waits_and_goes_round_again() {
    let Played { answer, calls, waits } = play(exact(4), &[Transient, Transient, Succeeds]);
    assert_eq!((answer.as_deref(), calls, waits), (Ok(PAYLOAD), 3, vec![ms(500), s(1)]));
}

#[test]
fn a_success_on_the_last_attempt_is_a_success() {
    let Played { answer, calls, waits } = play(exact(4), &[Transient, Transient, Transient, Succeeds]);
    assert_eq!((answer.as_deref(), calls, waits), (Ok(PAYLOAD), 4, vec![ms(500), s(1), s(2)]));
}

#[test]
fn four_attempts_sleep_half_a_second_one_and_two_and_not_after_the_last() {
    let Played { answer, calls, waits } = play(exact(4), &[Transient]);
    assert_eq!((calls, waits), (4, vec![ms(500), s(1), s(2)]));
    let error = answer.unwrap_err();
    assert_eq!(error.to_string(), "giving up on https://example.org/flags after 4 attempts");
    assert_eq!(error.source().unwrap().to_string(), "connection reset on call 4");
    // The clock moves only while the driver waits: 0.5 + 1 + 2 s.
    let RetryError::Exhausted { target, attempts, elapsed, why, last } = error else {
        panic!("{error:?} is not exhausted");
    };
    assert_eq!((target.as_deref(), attempts, elapsed), (Some("https://example.org/flags"), 4, ms(3500)));
    assert_eq!((why, last), (GiveUp::Attempts, CallError::Reset(4)));
}

#[test]
fn there_is_always_one_wait_fewer_than_attempts_and_each_is_twice_the_one_before() {
    for attempts in 1..=30 {
        let Played { answer, calls, waits } = play(exact(attempts), &[Transient]);
        assert!(matches!(answer, Err(RetryError::Exhausted { .. })), "{answer:?}");
        assert_eq!(calls, attempts);
        assert_eq!(waits, (1..attempts).map(|n| ms(500 << (n - 1))).collect::<Vec<_>>());
    }
}

#[test]
fn one_attempt_is_exhausted_without_a_wait() {
    let Played { answer, calls, waits } = play(exact(1), &[Transient]);
    assert_eq!((calls, waits), (1, vec![]));
    let error = answer.unwrap_err();
    assert_eq!(error.to_string(), "giving up on https://example.org/flags after 1 attempts");
    assert_eq!(error.source().unwrap().to_string(), "connection reset on call 1");
}

#[test]
fn a_terminal_failure_comes_back_at_once_and_unchanged() {
    for (script, calls, waits) in [
        (&[Terminal][..], 1, vec![]),
        (&[Transient, Terminal], 2, vec![ms(500)]),
        // On the last attempt, too, it is what it is.
        (&[Transient, Transient, Transient, Terminal], 4, vec![ms(500), s(1), s(2)]),
    ] {
        let played = play(exact(4), script);
        assert_eq!((played.calls, played.waits), (calls, waits));
        let error = played.answer.unwrap_err();
        assert_eq!(error.to_string(), format!("404 on call {calls}"));
        assert!(error.source().is_none(), "the failure itself has no source");
        assert_eq!(error, RetryError::Terminal(CallError::NotFound(calls)));
    }
}

#[test]
fn no_attempt_is_refused_before_the_first_call() {
    let Played { answer, calls, waits } = play(exact(0), &[Succeeds]);
    assert_eq!((calls, waits), (0, vec![]));
    let error = answer.unwrap_err();
    assert_eq!(error, RetryError::Refused(CallRulesError::NoAttempt));
    assert_eq!(error.to_string(), "attempts is 0; at least 1 is allowed");
    assert!(error.source().is_none());
}

#[test]
fn waits_end_at_the_longest_that_a_platform_knows() {
    // 0.5 s · 2^34 is 8,589,934,592 s; twice that is above 9,223,372,036 s.
    let Played { answer, waits, .. } = play(exact(100), &[Transient]);
    assert_eq!(waits[34], s(8_589_934_592));
    assert_eq!(waits[35..], [s(9_223_372_036); 64]);
    assert_eq!(answer.unwrap_err().to_string(), "giving up on https://example.org/flags after 100 attempts");
}
