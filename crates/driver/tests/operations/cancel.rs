//! Cancelling: before, between, during and after.

use std::cell::Cell;
use std::sync::mpsc;
use std::thread;

use retrylab_core::{Call, HealthyFor, Retry, RetryRules};
use retrylab_driver::blocking::{Cancel, Driver};
use retrylab_driver::{LONGEST_WAIT, RetryError};

use crate::script::{exact, s};

/// Waits an hour after each failure, for ever.
fn hourly() -> Retry<HealthyFor> {
    Retry::new(RetryRules::streaming(s(3600)))
}

#[test]
fn a_wait_that_has_begun_ends_at_once() {
    let cancel = Cancel::new();
    let (tell, told) = mpsc::channel();
    let client = {
        let driver =
            Driver::new().cancel(cancel.clone()).on_retry(move |retrying| tell.send(retrying.attempt).unwrap());
        thread::spawn(move || driver.retry(hourly(), || Err::<(), _>("refused")))
    };
    assert_eq!(told.recv(), Ok(1), "the wait begins next, for an hour");
    cancel.cancel();
    assert_eq!(client.join().unwrap(), Err(RetryError::Cancelled { attempts: 1, last: Some("refused") }));
    assert!(told.recv().is_err(), "no further attempt");
}

#[test]
fn every_wait_of_a_handle_ends_at_once() {
    let cancel = Cancel::new();
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..4 {
            let driver = Driver::new().cancel(cancel.clone()).on_retry(|_| tell.send(()).unwrap());
            scope.spawn(move || driver.retry(hourly(), || Err::<(), _>(())).unwrap_err());
        }
        for _ in 0..4 {
            told.recv().unwrap();
        }
        cancel.cancel();
    });
}

#[test]
fn cancelling_between_the_decision_and_the_wait_is_not_lost() {
    let cancel = Cancel::new();
    let driver = Driver::new().cancel(cancel.clone()).on_retry(|_| cancel.cancel());
    let answer = driver.retry(hourly(), || Err::<(), _>("refused"));
    assert_eq!(answer, Err(RetryError::Cancelled { attempts: 1, last: Some("refused") }));
}

#[test]
fn cancelled_before_the_start_nothing_is_called() {
    let cancel = Cancel::new();
    cancel.cancel();
    cancel.cancel();
    let calls = Cell::new(0);
    let answer = Driver::new().cancel(cancel).retry(hourly(), || {
        calls.set(calls.get() + 1);
        Ok::<_, ()>(())
    });
    assert_eq!((answer, calls.get()), (Err(RetryError::Cancelled { attempts: 0, last: None }), 0));
}

#[test]
fn an_attempt_that_is_cancelled_while_it_runs_may_finish() {
    let cancel = Cancel::new();
    let driver = Driver::new()
        .cancel(cancel.clone())
        .sleeper(|_| panic!("there is nothing to wait for"))
        .on_retry(|_| panic!("there is no retry"));
    let succeeds = || {
        cancel.cancel();
        Ok::<_, &str>("done")
    };
    assert_eq!(driver.retry(hourly(), succeeds), Ok("done"));

    let cancel = Cancel::new();
    let driver = driver.cancel(cancel.clone());
    let fails = || {
        cancel.cancel();
        Err::<&str, _>("refused")
    };
    assert_eq!(driver.retry(hourly(), fails), Err(RetryError::Cancelled { attempts: 1, last: Some("refused") }));
}

#[test]
fn a_policy_that_gives_up_is_exhausted_even_when_cancelled() {
    let cancel = Cancel::new();
    let driver = Driver::new().cancel(cancel.clone());
    let answer = driver.retry(Call::new(exact(1).build().unwrap()), || {
        cancel.cancel();
        Err::<(), _>("refused")
    });
    assert!(matches!(answer, Err(RetryError::Exhausted { attempts: 1, .. })), "{answer:?}");
}

#[test]
fn a_wait_without_a_cancellation_ends_by_itself() {
    let cancel = Cancel::new();
    assert!(!cancel.wait(s(0)));
    assert!(!cancel.wait(std::time::Duration::from_nanos(1)));
    assert!(!cancel.is_cancelled());
}

#[test]
fn the_longest_wait_can_be_begun_and_cancelled() {
    let cancel = Cancel::new();
    thread::scope(|scope| {
        let wait = scope.spawn(|| cancel.wait(LONGEST_WAIT));
        cancel.cancel();
        assert!(wait.join().unwrap());
    });
    assert!(cancel.wait(LONGEST_WAIT), "and it stays cancelled");
}
