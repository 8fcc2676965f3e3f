//! The bounded call exactly: calls, waits and errors, each worked by hand; the blocking driver has the same.

use std::error::Error;

use retrylab_core::{CallRulesError, GiveUp};
use retrylab_driver_tokio::RetryError;

use crate::script::Entry::{Succeeds, Terminal, Transient};
use crate::script::{CallError, Played, exact, ms, play, s};

const PAYLOAD: &str = "payload for https://example.org/flags";

#[tokio::test]
async fn a_success_returns_at_once() {
    let Played { answer, calls, waits } = play(exact(4).build(), &[Succeeds]).await;
    assert_eq!((answer.as_deref(), calls, waits), (Ok(PAYLOAD), 1, vec![]));
}

#[tokio::test]
async fn a_transient_failure_waits_and_goes_round_again() {
    let Played { answer, calls, waits } = play(exact(4).build(), &[Transient, Transient, Succeeds]).await;
    assert_eq!((answer.as_deref(), calls, waits), (Ok(PAYLOAD), 3, vec![ms(500), s(1)]));
}

#[tokio::test]
async fn a_success_on_the_last_attempt_is_a_success() {
    let Played { answer, calls, waits } = play(exact(4).build(), &[Transient, Transient, Transient, Succeeds]).await;
    assert_eq!((answer.as_deref(), calls, waits), (Ok(PAYLOAD), 4, vec![ms(500), s(1), s(2)]));
}

#[tokio::test]
async fn four_attempts_sleep_half_a_second_one_and_two_and_not_after_the_last() {
    let Played { answer, calls, waits } = play(exact(4).build(), &[Transient]).await;
    assert_eq!((calls, waits), (4, vec![ms(500), s(1), s(2)]));
    let error = answer.unwrap_err();
    assert_eq!(error.to_string(), "giving up on https://example.org/flags after 4 attempts");
    assert_eq!(error.source().unwrap().to_string(), "connection reset on call 4");
    let RetryError::Exhausted { target, attempts, why, last, .. } = error else {
        panic!("{error:?} is not exhausted");
    };
    assert_eq!((target.as_deref(), attempts), (Some("https://example.org/flags"), 4));
    assert_eq!((why, last), (GiveUp::Attempts, CallError::Reset(4)));
}

#[tokio::test]
async fn there_is_always_one_wait_fewer_than_attempts_and_each_is_twice_the_one_before() {
    for attempts in 1..=30 {
        let Played { answer, calls, waits } = play(exact(attempts).build(), &[Transient]).await;
        assert!(matches!(answer, Err(RetryError::Exhausted { .. })), "{answer:?}");
        assert_eq!(calls, attempts);
        assert_eq!(waits, (1..attempts).map(|n| ms(500 << (n - 1))).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_terminal_failure_comes_back_at_once_and_unchanged() {
    for (script, calls, waits) in [
        (&[Terminal][..], 1, vec![]),
        (&[Transient, Terminal], 2, vec![ms(500)]),
        // On the last attempt, too, it is what it is.
        (&[Transient, Transient, Transient, Terminal], 4, vec![ms(500), s(1), s(2)]),
    ] {
        let played = play(exact(4).build(), script).await;
        assert_eq!((played.calls, played.waits), (calls, waits));
        let error = played.answer.unwrap_err();
        assert_eq!(error.to_string(), format!("404 on call {calls}"));
        assert!(error.source().is_none(), "the failure itself has no source");
        assert_eq!(error, RetryError::Terminal(CallError::NotFound(calls)));
    }
}

#[tokio::test]
async fn no_attempt_is_refused_before_the_first_call() {
    let Played { answer, calls, waits } = play(exact(0).build(), &[Succeeds]).await;
    assert_eq!((calls, waits), (0, vec![]));
    assert_eq!(answer, Err(RetryError::Refused(CallRulesError::NoAttempt)));
}

#[tokio::test]
async fn waits_end_at_the_longest_that_a_platform_knows() {
    // 0.5 s · 2^34 is 8,589,934,592 s; twice that is above 9,223,372,036 s.
    let Played { waits, .. } = play(exact(100).build(), &[Transient]).await;
    assert_eq!(waits[34], s(8_589_934_592));
    assert_eq!(waits[35..], [s(9_223_372_036); 64]);
}
