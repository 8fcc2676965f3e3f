//! An operation with its retry in one expression, on the calling thread.

use std::cell::{Cell, RefCell};

use retrylab_core::{
    AllTerminal, Call, CallRulesError, Classified, Classify, Constant, Exponential, GiveUp, Instant, RetryRules,
    TokenBucket,
};
use retrylab_driver::blocking::Cancel;
use retrylab_driver::{BlockingRetryable, IoErrors, RetryError};

use crate::script::{ms, s};

const EXACT: Exponential = Exponential::new(ms(200), s(10)).attempts(5).without_jitter();

#[test]
fn the_waits_are_those_of_the_policy() {
    let waits = RefCell::new(Vec::new());
    let fetch = || Err::<(), _>("timeout");
    let ended = fetch.retry(EXACT).sleeper(|wait| waits.borrow_mut().push(wait)).target("the user").call();
    assert_eq!(ended.unwrap_err().to_string(), "giving up on the user after 5 attempts");
    assert_eq!(waits.take(), [ms(200), ms(400), ms(800), ms(1600)]);
}

#[test]
fn a_predicate_decides_which_errors_are_retried() {
    let is_timeout = |error: &&str| *error == "timeout";
    let mut errors = ["timeout", "timeout", "refused"].into_iter();
    let fetch = || Err::<(), _>(errors.next().unwrap());
    assert_eq!(fetch.retry(EXACT).when(is_timeout).sleeper(|_| {}).call(), Err(RetryError::Terminal("refused")));
    // A classification may leave an error to the rule for what nobody knows: it is retried.
    let calls = Cell::new(0);
    let fetch = || {
        calls.set(calls.get() + 1);
        Err::<(), _>("odd")
    };
    let unknown = |error: &&str| (*error == "timeout").then(Classified::transient);
    let ended = fetch.retry(EXACT).when(unknown).sleeper(|_| {}).call();
    assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 5, .. })), "{ended:?}");
    let ended = fetch.retry(EXACT).classify(unknown.or(AllTerminal)).sleeper(|_| {}).call();
    assert_eq!((ended, calls.get()), (Err(RetryError::Terminal("odd")), 6));
}

#[test]
fn a_method_of_the_error_is_a_predicate() {
    struct Timeout(bool);
    impl Timeout {
        const fn is_timeout(&self) -> bool {
            self.0
        }
    }
    let mut errors = [true, false].into_iter();
    let fetch = || Err::<(), _>(Timeout(errors.next().unwrap()));
    let ended = fetch.retry(EXACT).when(Timeout::is_timeout).sleeper(|_| {}).call();
    assert!(matches!(ended, Err(RetryError::Terminal(Timeout(false)))));
}

#[test]
fn the_hook_receives_each_wait_and_no_other_failure() {
    let heard = RefCell::new(Vec::new());
    let fetch = || Err::<(), _>("timeout");
    let ended = fetch
        .retry(EXACT.attempts(3))
        .notify(|retrying| heard.borrow_mut().push((retrying.attempt, retrying.delay, *retrying.error)))
        .sleeper(|_| {})
        .call();
    assert!(ended.is_err());
    assert_eq!(heard.take(), [(1, ms(200), "timeout"), (2, ms(400), "timeout")]);
}

#[test]
fn a_shared_budget_pays_for_the_retries_of_all() {
    let shared = TokenBucket::new(3);
    let fetch = || Err::<(), _>("timeout");
    let attempts = || match fetch.retry(EXACT).budget(&shared).sleeper(|_| {}).call() {
        Err(RetryError::Exhausted { attempts, why, .. }) => (attempts, why),
        ended => panic!("{ended:?}"),
    };
    assert_eq!(attempts(), (4, GiveUp::Budget));
    assert_eq!(attempts(), (1, GiveUp::Budget));
}

#[test]
fn a_deadline_counts_from_the_call_and_its_last_instant_fits() {
    let now = Cell::new(Instant::from_secs(100));
    let run = |deadline| {
        let fetch = || Err::<(), _>("timeout");
        let ended = fetch
            .retry(Constant::new(s(10)).attempts(9).without_jitter())
            .deadline(s(deadline))
            .clock(|| now.get())
            .sleeper(|wait| now.set(now.get() + wait))
            .call();
        match ended {
            Err(RetryError::Exhausted { attempts, why: GiveUp::Elapsed, .. }) => attempts,
            ended => panic!("{ended:?}"),
        }
    };
    // Attempts at 0, 10 and 20 s.
    assert_eq!((run(20), run(19)), (3, 2));
}

#[test]
fn time_before_the_call_is_no_part_of_the_deadline() {
    let now = Cell::new(Instant::from_secs(100));
    let fetch = || Err::<(), _>("timeout");
    let operation = fetch
        .retry(Constant::new(s(10)).attempts(2).without_jitter())
        .deadline(s(10))
        .clock(|| now.get())
        .sleeper(|wait| now.set(now.get() + wait));
    now.set(Instant::from_secs(200));
    let ended = operation.call();
    assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 2, why: GiveUp::Attempts, .. })), "{ended:?}");
}

#[test]
fn rules_that_allow_no_attempt_are_refused_before_the_first_one() {
    let fetch = || -> Result<(), &str> { panic!("called") };
    let ended = fetch.retry(EXACT.attempts(0)).call();
    assert_eq!(ended, Err(RetryError::Refused(CallRulesError::NoAttempt)));
}

#[test]
fn a_cancelled_operation_is_not_attempted() {
    let cancel = Cancel::new();
    cancel.cancel();
    let fetch = || -> Result<(), &str> { panic!("called") };
    let ended = fetch.retry(EXACT).cancel(cancel).call();
    assert_eq!(ended, Err(RetryError::Cancelled { attempts: 0, last: None }));
}

#[test]
fn rules_of_two_regimes_and_a_policy_that_is_lent_do_as_well() {
    let mut errors = [Some("cut"), Some("cut"), None].into_iter();
    let mut connect = || errors.next().unwrap().map_or(Ok(()), Err);
    let waits = RefCell::new(Vec::new());
    let stream = RetryRules::streaming(s(1));
    assert_eq!((&mut connect).retry(stream).sleeper(|wait| waits.borrow_mut().push(wait)).entropy(|| 0).call(), Ok(()));
    assert_eq!(waits.take(), [s(1), s(2)]);

    let mut call = Call::new(EXACT.rules().unwrap());
    let fetch = || Err::<(), _>("timeout");
    let cancel = Cancel::new();
    // Cancelled while it waits: the policy hears that its call is over.
    let ended = fetch.retry(&mut call).cancel(cancel.clone()).sleeper(|_| cancel.cancel()).call();
    assert_eq!(ended, Err(RetryError::Cancelled { attempts: 1, last: Some("timeout") }));
    assert_eq!(call.state().failures(), 0);
}

#[test]
fn errors_of_sockets_have_a_classifier() {
    use std::io::{Error, ErrorKind};
    let mut errors = [ErrorKind::ConnectionReset, ErrorKind::PermissionDenied].into_iter();
    let read = || Err::<(), _>(Error::from(errors.next().unwrap()));
    let ended = read.retry(EXACT).classify(IoErrors).sleeper(|_| {}).call();
    assert!(matches!(ended, Err(RetryError::Terminal(error)) if error.kind() == ErrorKind::PermissionDenied));
}
