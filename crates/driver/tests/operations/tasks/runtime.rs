//! Tokio's time: exact where it is paused, and shared with the other tasks.

use std::sync::Mutex;

use retrylab_core::{Backoff, Call, CallRules, HealthyFor, Jitter, Ladder, Retry, RetryRules};
use retrylab_driver::tokio::{Driver, TokioClock, retry};
use retrylab_driver::{Clock, IoErrors, RetryError};
use tokio::time::Instant;

use super::call;
use crate::script::{ms, s};

#[tokio::test(start_paused = true)]
async fn waits_are_exact_on_a_paused_clock() {
    let start = Instant::now();
    let mut at = Vec::new();
    let answer = retry(call(4), || {
        at.push(start.elapsed());
        async { Err::<(), _>("refused") }
    });
    let error = answer.await.unwrap_err();
    assert_eq!(at, [s(0), ms(500), ms(1500), ms(3500)]);
    let RetryError::Exhausted { elapsed, .. } = error else { panic!("{error:?} is not exhausted") };
    assert_eq!(elapsed, ms(3500));
}

#[tokio::test(start_paused = true)]
async fn waits_of_years_are_exact_too() {
    let start = Instant::now();
    // 0.5 s doubled thirty times over: the sum of the waits before the 31st attempt is 0.5 s · (2^30 - 1), 17 years.
    retry(call(31), async || Err::<(), _>(())).await.unwrap_err();
    assert_eq!(start.elapsed(), ms(500 * ((1 << 30) - 1)));
}

#[tokio::test(start_paused = true)]
async fn the_clock_is_the_paused_one() {
    let (before, other) = (TokioClock.now(), TokioClock.now());
    assert_eq!(before, other, "it stands still");
    tokio::time::advance(s(3600)).await;
    assert_eq!(TokioClock.now().since(before), s(3600));
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_is_lent_sees_one_clock_in_all_of_its_operations() {
    let driver = Driver::new().entropy(|| 0);
    let mut stream = Retry::new(RetryRules::streaming(s(1)));
    let fail = async |stream: &mut Retry<HealthyFor>, failures| {
        let start = Instant::now();
        let mut left = failures;
        let operation = || {
            left -= 1;
            let ended = if left < 0 { Ok(start.elapsed()) } else { Err(()) };
            std::future::ready(ended)
        };
        driver.retry(stream, operation).await
    };
    // 1 + 2 + 4 s. Healthy for 59 s the ladder goes on with 8 s; for 60 s it starts again.
    assert_eq!(fail(&mut stream, 3).await, Ok(s(7)));
    tokio::time::advance(s(59)).await;
    assert_eq!(fail(&mut stream, 1).await, Ok(s(8)));
    tokio::time::advance(s(60)).await;
    assert_eq!(fail(&mut stream, 2).await, Ok(s(3)));
}

#[tokio::test(start_paused = true)]
async fn both_kinds_of_closures_can_be_spawned() {
    let attempts = std::sync::Arc::new(Mutex::new(0));
    let count = attempts.clone();
    let one = tokio::spawn(async move {
        retry(call(2), async || {
            *count.lock().unwrap() += 1;
            Err::<(), _>("refused")
        })
        .await
    });
    let two = tokio::spawn(async move {
        let driver = Driver::new().classify(IoErrors).on_retry(|retrying| assert_eq!(retrying.attempt, 1));
        driver.retry(call(2), || async { Err::<(), _>(std::io::Error::from(std::io::ErrorKind::TimedOut)) }).await
    });
    assert!(matches!(one.await.unwrap(), Err(RetryError::Exhausted { attempts: 2, .. })));
    assert!(matches!(two.await.unwrap(), Err(RetryError::Exhausted { attempts: 2, .. })));
    assert_eq!(*attempts.lock().unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_retry_without_a_wait_lets_the_other_tasks_run() {
    let backoff = Backoff::new(Ladder::constant(s(0)), Jitter::None);
    let call = Call::new(CallRules::builder().attempts(u32::MAX).backoff(backoff).build().unwrap());
    let driver = Driver::new();
    let endless = driver.retry(call, async || Err::<(), _>(()));
    let other = tokio::spawn(async {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    });
    tokio::select! {
        answer = endless => panic!("{answer:?}: there is no end"),
        done = other => done.unwrap(),
    }
}

#[tokio::test(start_paused = true)]
async fn clones_of_one_policy_wait_differently() {
    let backoff = Backoff::new(Ladder::constant(s(1 << 30)), Jitter::Full);
    let policy = Call::new(CallRules::builder().attempts(11).backoff(backoff).build().unwrap());
    let mut totals = Vec::new();
    for client in [policy; 2] {
        let start = Instant::now();
        retry(client, async || Err::<(), _>(())).await.unwrap_err();
        totals.push(start.elapsed());
    }
    // Ten waits of up to 34 years, to the millisecond: equal by chance once in 10^12.
    assert_ne!(totals[0], totals[1]);
}
