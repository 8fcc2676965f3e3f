//! tokio-retry2, beside its own loop.

use std::cell::Cell;
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retrylab_adapters::{Client, Library, TokioRetry2};
use retrylab_core::{Decision, Instant, Policy};
use tokio::runtime::Builder;
use tokio_retry2::strategy::FixedInterval;
use tokio_retry2::{Retry, RetryError};

use crate::{asked, s, setting};

/// Waits of 1 s, and three failures with a `retry_after` of 60 s: the waits that the library's own loop announces, and
/// its total wait, on a clock that advances only while every task sleeps.
#[expect(clippy::disallowed_methods, reason = "the paused clock shows the total wait")]
fn own_loop() -> (Vec<Duration>, Duration) {
    let announced = Arc::new(Mutex::new(Vec::new()));
    let notified = Arc::clone(&announced);
    let calls = Cell::new(0);
    let operation = || {
        calls.set(calls.get() + 1);
        ready(if calls.get() > 3 { Ok(()) } else { Err(RetryError::retry_after((), s(60))) })
    };
    let notify = move |(): &(), wait| notified.lock().expect("no panic under the lock").push(wait);
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    let waited = runtime.block_on(async {
        let start = tokio::time::Instant::now();
        Retry::spawn_notify(FixedInterval::from_millis(1000), operation, notify).await.expect("the fourth succeeds");
        start.elapsed()
    });
    let announced = announced.lock().expect("no panic under the lock").clone();
    (announced, waited)
}

#[test]
fn retry_after_is_announced_and_ignored() {
    let (announced, waited) = own_loop();
    assert_eq!(announced, [s(60); 3]);
    // Three waits of 1 s, each of which tokio may round up by a millisecond.
    assert!(waited >= s(3) && waited <= s(3) + Duration::from_millis(3), "{waited:?}");

    let exact = setting().without_jitter();
    let mut policy = Client::new(TokioRetry2::new(&exact, 7).expect("it can double"));
    assert_eq!(policy.record_failure(asked(s(60)), Instant::ZERO, 0), Decision::RetryAfter(s(1)));
}
