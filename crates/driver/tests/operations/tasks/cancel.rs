//! Cancelling: by dropping the future, or by the token; and that nothing stays behind.

use std::sync::Arc;

use retrylab_core::{Call, HealthyFor, Retry, RetryRules, TokenBucket};
use retrylab_driver::RetryError;
use retrylab_driver::tokio::{CancellationToken, Driver, retry};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::call;
use crate::script::s;

/// Waits an hour after each failure, for ever.
fn hourly() -> Retry<HealthyFor> {
    Retry::new(RetryRules::streaming(s(3600)))
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_ends_a_wait_and_leaves_nothing_behind() {
    let start = Instant::now();
    let held = Arc::new(());
    let holds = held.clone();
    let mut calls = 0;
    let operation = || {
        let held_by_the_attempt = holds.clone();
        calls += 1;
        async move {
            let _held = held_by_the_attempt;
            Err::<(), _>("refused")
        }
    };
    let driver = Driver::new().entropy(|| 0);
    assert!(timeout(s(5400), driver.retry(hourly(), operation)).await.is_err());
    assert_eq!(start.elapsed(), s(5400));
    assert_eq!(calls, 2, "at the start and an hour later");
    drop(holds);
    assert_eq!(Arc::strong_count(&held), 1);
    assert_eq!(Handle::current().metrics().num_alive_tasks(), 0, "no task was ever started");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_future_ends_an_attempt() {
    let (started, operation_runs) = oneshot::channel::<()>();
    let mut started = Some(started);
    let hangs = retry(call(4), || {
        let dropped_with_the_attempt = started.take();
        async move {
            let _started = dropped_with_the_attempt;
            std::future::pending::<Result<(), ()>>().await
        }
    });
    assert!(timeout(s(1), hangs).await.is_err());
    assert!(operation_runs.await.is_err(), "the attempt's own values are gone");
}

#[tokio::test(start_paused = true)]
async fn the_token_ends_a_wait_at_once() {
    let start = Instant::now();
    let token = CancellationToken::new();
    let driver = Driver::new().cancel(token.clone()).entropy(|| 0);
    let client = driver.retry(hourly(), async || Err::<(), _>("refused"));
    let (answer, ()) = tokio::join!(client, async {
        tokio::time::sleep(s(10)).await;
        token.cancel();
    });
    assert_eq!(answer, Err(RetryError::Cancelled { attempts: 1, last: Some("refused") }));
    assert_eq!(start.elapsed(), s(10));
}

#[tokio::test(start_paused = true)]
async fn cancelling_between_the_decision_and_the_wait_is_not_lost() {
    let start = Instant::now();
    let token = CancellationToken::new();
    let driver = Driver::new().cancel(token.clone()).on_retry(|_| token.cancel());
    let answer = driver.retry(hourly(), async || Err::<(), _>("refused")).await;
    assert_eq!(answer, Err(RetryError::Cancelled { attempts: 1, last: Some("refused") }));
    assert_eq!(start.elapsed(), s(0));
}

#[tokio::test(start_paused = true)]
async fn cancelled_before_the_start_nothing_is_called() {
    let token = CancellationToken::new();
    token.cancel();
    let mut calls = 0;
    let driver = Driver::new().cancel(token);
    let answer = driver.retry(hourly(), || {
        calls += 1;
        async { Ok::<_, ()>(()) }
    });
    assert_eq!(answer.await, Err(RetryError::Cancelled { attempts: 0, last: None }));
    assert_eq!(calls, 0);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_cancelled_while_it_runs_may_finish() {
    let token = CancellationToken::new();
    let driver = Driver::new().cancel(token.clone()).on_retry(|_: &_| panic!("there is no retry"));
    let succeeds = async || {
        token.cancel();
        tokio::time::sleep(s(1)).await;
        Ok::<_, &str>("done")
    };
    assert_eq!(driver.retry(hourly(), succeeds).await, Ok("done"));

    let token = CancellationToken::new();
    let driver = driver.cancel(token.clone());
    let fails = async || {
        token.cancel();
        tokio::time::sleep(s(1)).await;
        Err::<&str, _>("refused")
    };
    let answer = driver.retry(hourly(), fails).await;
    assert_eq!(answer, Err(RetryError::Cancelled { attempts: 1, last: Some("refused") }));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_lent_begins_anew_whenever_its_future_is_dropped() {
    let bucket = TokenBucket::new(100);
    let mut lent = Call::with_budget(*call(4).rules(), &bucket);
    let driver = Driver::new().entropy(|| 0);
    // Waits of 0.5, 1 and 2 s. After 1 s the second wait has begun: the first retry was made, the second is not.
    let refused = timeout(s(1), driver.retry(&mut lent, async || Err::<(), _>("refused"))).await;
    assert!(refused.is_err());
    assert_eq!((lent.state().failures(), bucket.tokens()), (0, 99));

    // The first retry hangs: it was made.
    let mut attempts = 0;
    let hangs = driver.retry(&mut lent, || {
        attempts += 1;
        let fails = attempts == 1;
        async move { if fails { Err::<(), _>("refused") } else { std::future::pending().await } }
    });
    assert!(timeout(s(60), hangs).await.is_err());
    assert_eq!((lent.state().failures(), bucket.tokens()), (0, 98));

    let answer = driver.retry(&mut lent, async || Err::<(), _>("refused")).await;
    assert!(matches!(answer, Err(RetryError::Exhausted { attempts: 4, .. })), "{answer:?}");
    assert_eq!(bucket.tokens(), 95);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_lent_begins_anew_after_its_token_was_cancelled() {
    let bucket = TokenBucket::new(100);
    let mut lent = Call::with_budget(*call(4).rules(), &bucket);
    let token = CancellationToken::new();
    let driver = Driver::new().entropy(|| 0).cancel(token.clone());
    let (answer, ()) = tokio::join!(driver.retry(&mut lent, async || Err::<(), _>("refused")), async {
        tokio::time::sleep(s(1)).await;
        token.cancel();
    });
    assert_eq!(answer, Err(RetryError::Cancelled { attempts: 2, last: Some("refused") }));
    assert_eq!((lent.state().failures(), bucket.tokens()), (0, 99));
}
