//! Calls, one after the other, with the waits of an iterator.

use retrylab_adapters::{Client, Waits};
use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy};

use crate::{asked, fail, s};

fn one_then_five() -> impl Policy {
    Client::new(Waits::new(|| [s(1), s(5)].into_iter()))
}

#[test]
fn waits_come_from_the_iterator_and_next_delay_returns_them() {
    let mut policy = one_then_five();
    assert_eq!(policy.next_delay(), s(0));
    assert_eq!(fail(&mut policy, Instant::ZERO), Decision::RetryAfter(s(1)));
    assert_eq!(policy.next_delay(), s(1));
    assert_eq!(fail(&mut policy, Instant::from_secs(1)), Decision::RetryAfter(s(5)));
    assert_eq!(policy.next_delay(), s(5));
}

#[test]
fn the_end_of_the_iterator_ends_the_call_and_the_next_begins_at_once() {
    let mut policy = one_then_five();
    for _ in 0..2 {
        assert_eq!(fail(&mut policy, Instant::ZERO), Decision::RetryAfter(s(1)));
        assert_eq!(fail(&mut policy, Instant::ZERO), Decision::RetryAfter(s(5)));
        assert_eq!(fail(&mut policy, Instant::ZERO), Decision::GiveUp(GiveUp::Attempts));
        assert_eq!(policy.next_delay(), s(0));
    }
}

#[test]
fn a_success_ends_the_call() {
    let mut policy = one_then_five();
    assert_eq!(fail(&mut policy, Instant::ZERO), Decision::RetryAfter(s(1)));
    policy.record_success(Instant::from_secs(1));
    assert_eq!(policy.next_delay(), s(0));
    assert_eq!(fail(&mut policy, Instant::from_secs(2)), Decision::RetryAfter(s(1)));
}

#[test]
fn an_abandoned_call_is_followed_by_a_new_one() {
    let mut policy = one_then_five();
    assert_eq!(fail(&mut policy, Instant::ZERO), Decision::RetryAfter(s(1)));
    policy.record_abandoned();
    assert_eq!(policy.next_delay(), s(0));
    assert_eq!(fail(&mut policy, Instant::from_secs(2)), Decision::RetryAfter(s(1)));
}

#[test]
fn a_terminal_failure_ends_the_call_without_the_library() {
    let mut policy = one_then_five();
    assert_eq!(fail(&mut policy, Instant::ZERO), Decision::RetryAfter(s(1)));
    let terminal = policy.record_failure(FailureKind::Unexpected.into(), Instant::from_secs(1), 0);
    assert_eq!(terminal, Decision::GiveUp(GiveUp::Terminal));
    assert_eq!(policy.next_delay(), s(0));
    assert_eq!(fail(&mut policy, Instant::from_secs(2)), Decision::RetryAfter(s(1)));
}

#[test]
fn an_iterator_ignores_retry_after() {
    let mut policy = one_then_five();
    assert_eq!(policy.record_failure(asked(s(60)), Instant::ZERO, 0), Decision::RetryAfter(s(1)));
}

#[test]
fn the_iterator_is_made_once_a_call() {
    let mut made = 0;
    {
        let mut policy = Client::new(Waits::new(|| {
            made += 1;
            [s(1)].into_iter()
        }));
        // Three calls: one that is given up, one that fails once, one that succeeds at once and so needs no waits.
        fail(&mut policy, Instant::ZERO);
        fail(&mut policy, Instant::ZERO);
        fail(&mut policy, Instant::ZERO);
        policy.record_success(Instant::ZERO);
        policy.record_success(Instant::ZERO);
    }
    assert_eq!(made, 2);
}
