//! A policy behind a reset rule: the outcomes that it receives, and when; an outage is one call of its budget.

use std::cell::Cell;

use retrylab_core::{
    Call, CallRules, Decision, Failure, HealthyFor, Instant, Policy, Regime, ResetBy, ResetRule, Rung, Successes,
};

use crate::call::{TERMINAL, TRANSIENT, exact};
use crate::call_limits::Books;
use crate::client::s;

const fn at(seconds: u64) -> Instant {
    Instant::from_secs(seconds)
}

/// 0.5, 1, 2, 4 s and so on, without a limit of attempts.
fn rules() -> CallRules {
    exact(u32::MAX).build().expect("an attempt")
}

/// As [`rules`], paid for by `books`.
fn outages<R: ResetRule>(rule: R, books: &Books) -> ResetBy<R, Call<&Books>> {
    ResetBy::new(rule, Call::with_budget(rules(), books))
}

fn books() -> Books {
    Books { left: Cell::new(100), ..Books::default() }
}

/// Calls begun, retries paid for, and calls that succeeded.
fn counts(books: &Books) -> (u32, u32, u32) {
    (books.requests.get(), books.paid.get(), books.successes.get())
}

/// The wait in milliseconds after a transient failure, which the policy also has to store.
fn fails(policy: &mut impl Policy, now: Instant) -> u128 {
    let decision = policy.record_failure(TRANSIENT, now, 0);
    assert_eq!(decision, Decision::RetryAfter(policy.next_delay()));
    policy.next_delay().as_millis()
}

#[test]
fn health_that_is_due_at_a_failure_clears_the_ladder_before_the_failure_counts() {
    let books = books();
    let mut policy = outages(HealthyFor::new(s(60)), &books);
    assert_eq!([fails(&mut policy, at(0)), fails(&mut policy, at(1))], [500, 1000]);
    policy.record_success(at(10));
    // One nanosecond short of a minute: the same outage.
    let short = Instant::from_nanos(70_000_000_000 - 1);
    assert_eq!(fails(&mut policy, short), 2000);
    policy.record_success(at(80));
    assert_eq!(counts(&books), (1, 3, 0), "an outage is one call, and it is not over");
    assert_eq!(fails(&mut policy, at(140)), 500);
    assert_eq!(counts(&books), (2, 4, 1));
}

#[test]
fn health_that_is_due_at_a_success_is_passed_on_at_once_and_once() {
    let books = books();
    let mut policy = outages(Successes::new(2), &books);
    assert_eq!([fails(&mut policy, at(0)), fails(&mut policy, at(1))], [500, 1000]);
    policy.record_success(at(2));
    assert_eq!(policy.policy().state().failures(), 2, "one success is not enough");
    policy.record_success(at(3));
    assert_eq!((policy.policy().state().failures(), counts(&books)), (0, (1, 2, 1)));
    // It stays due until the next failure, which is no reason to count it again.
    policy.record_success(at(4));
    policy.record_success(at(5));
    assert_eq!(counts(&books), (1, 2, 1));
    assert_eq!(fails(&mut policy, at(6)), 500);
    assert_eq!(counts(&books), (2, 3, 1));
}

#[test]
fn health_before_the_first_failure_is_no_call() {
    let books = books();
    let mut policy = outages(Successes::new(1), &books);
    policy.record_success(at(0));
    policy.record_success(at(1));
    assert_eq!(counts(&books), (0, 0, 0));
    assert_eq!(fails(&mut policy, at(2)), 500);
    assert_eq!(counts(&books), (1, 1, 0));
}

#[test]
fn a_rule_that_is_due_without_a_success_ends_the_outage_without_a_refill() {
    let books = books();
    let mut policy = outages(Successes::new(0), &books);
    assert_eq!([0, 1, 2].map(|now| fails(&mut policy, at(now))), [500, 500, 500]);
    assert_eq!(counts(&books), (3, 3, 0));
    policy.record_success(at(3));
    assert_eq!(counts(&books), (3, 3, 1));
    assert_eq!(fails(&mut policy, at(4)), 500);
    assert_eq!(counts(&books), (4, 4, 1));
}

#[test]
fn an_outage_that_was_given_up_is_not_ended_again_by_health() {
    let books = books();
    let call = Call::with_budget(exact(2).build().unwrap(), &books);
    let mut policy = ResetBy::new(Successes::new(1), call);
    assert_eq!(fails(&mut policy, at(0)), 500);
    assert!(matches!(policy.record_failure(TRANSIENT, at(1), 0), Decision::GiveUp(_)));
    policy.record_success(at(2));
    assert_eq!(counts(&books), (1, 1, 0), "the call failed");
    assert!(matches!(policy.record_failure(TERMINAL, at(3), 0), Decision::GiveUp(_)));
    policy.record_success(at(4));
    assert_eq!(counts(&books), (2, 1, 0));
}

#[test]
fn after_a_success_there_is_nothing_to_wait_for_and_the_place_is_still_that_of_the_outage() {
    let mut policy = ResetBy::new(HealthyFor::new(s(60)), Call::new(rules()));
    assert_eq!(policy.next_delay(), s(0));
    assert_eq!([fails(&mut policy, at(0)), fails(&mut policy, at(1))], [500, 1000]);
    let second = Rung { regime: Regime::Normal, number: 2, base: s(1), jitter: s(0) };
    assert_eq!(policy.explain(0), Some(second));
    policy.record_success(at(2));
    assert_eq!((policy.next_delay(), policy.explain(0)), (s(0), Some(second)));
    assert_eq!(fails(&mut policy, at(3)), 2000);
}

/// A policy that records its inputs.
#[derive(Default)]
struct Diary(Vec<String>);

impl Policy for Diary {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.0.push(format!("{} at {}, draw {draw}", failure.kind, now.as_nanos()));
        Decision::RetryAfter(s(7))
    }

    fn record_success(&mut self, now: Instant) {
        self.0.push(format!("success at {}", now.as_nanos()));
    }

    fn record_connected(&mut self, now: Instant) {
        self.0.push(format!("connected at {}", now.as_nanos()));
    }

    fn record_cancelled_retry(&mut self, failure: Failure) {
        self.0.push(format!("cancelled after {}", failure.kind));
    }

    fn record_abandoned(&mut self) {
        self.0.push("abandoned".to_string());
    }

    fn next_delay(&self) -> core::time::Duration {
        s(7)
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        Some(Rung { regime: Regime::Extended, number: 3, base: s(4), jitter: core::time::Duration::from_nanos(draw) })
    }
}

/// Passes one of each input to a policy.
fn tell(policy: &mut impl Policy) {
    let decision = policy.record_failure(TRANSIENT, Instant::from_nanos(1), 2);
    assert_eq!((decision, policy.next_delay()), (Decision::RetryAfter(s(7)), s(7)));
    let jitter = core::time::Duration::from_nanos(9);
    assert_eq!(policy.explain(9), Some(Rung { regime: Regime::Extended, number: 3, base: s(4), jitter }));
    policy.record_connected(Instant::from_nanos(3));
    policy.record_cancelled_retry(TERMINAL);
    policy.record_abandoned();
    policy.record_success(Instant::from_nanos(4));
}

#[test]
fn a_box_and_a_reference_of_a_policy_pass_on_every_input() {
    let all =
        ["normal at 1, draw 2", "connected at 3", "cancelled after unexpected", "abandoned", "success at 4"].as_slice();
    let mut lent = Diary::default();
    tell(&mut &mut lent);
    assert_eq!(lent.0, all);
    let mut boxed = Box::new(Diary::default());
    tell(&mut boxed);
    assert_eq!(boxed.0, all);
}

#[test]
fn a_reset_rule_passes_on_every_input_but_an_abandoned_operation() {
    let mut policy = ResetBy::new(Successes::new(1), Diary::default());
    tell(&mut policy);
    assert_eq!(
        policy.policy().0,
        ["normal at 1, draw 2", "connected at 3", "cancelled after unexpected", "success at 4"],
        "an abandoned operation does not end an outage"
    );
}

/// A policy with the required methods alone.
struct Plain;

impl Policy for Plain {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::RetryAfter(s(7))
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> core::time::Duration {
        s(7)
    }
}

#[test]
fn a_policy_may_ignore_connections_cancelled_retries_and_rungs() {
    let mut policy = Plain;
    policy.record_connected(at(0));
    policy.record_cancelled_retry(TRANSIENT);
    policy.record_abandoned();
    assert_eq!((policy.next_delay(), policy.explain(0)), (s(7), None));
}

#[test]
fn a_cancelled_retry_is_refunded_and_the_outage_goes_on() {
    let books = books();
    let mut policy = outages(Successes::new(1), &books);
    assert_eq!([fails(&mut policy, at(0)), fails(&mut policy, at(1))], [500, 1000]);
    policy.record_cancelled_retry(TRANSIENT);
    policy.record_abandoned();
    assert_eq!(counts(&books), (1, 1, 0));
    assert_eq!(fails(&mut policy, at(2)), 2000);
}
