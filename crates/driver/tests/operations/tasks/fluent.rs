//! An operation with its retry in one expression, on tokio's time.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use retrylab_core::{Exponential, GiveUp, TokenBucket};
// Both traits at once: the result of the function says which of them applies.
use retrylab_driver::BlockingRetryable;
use retrylab_driver::tokio::{AttemptTimedOut, CancellationToken, Retryable};
use retrylab_driver::{IoErrors, RetryError, Retrying};
use tokio::time::Instant;

use crate::script::{ms, s};

const EXACT: Exponential = Exponential::new(ms(200), s(10)).attempts(5).without_jitter();

#[derive(Debug, PartialEq)]
enum Error {
    Timeout,
    Refused,
}

impl Error {
    fn is_timeout(&self) -> bool {
        *self == Self::Timeout
    }
}

impl From<AttemptTimedOut> for Error {
    fn from(_: AttemptTimedOut) -> Self {
        Self::Timeout
    }
}

async fn fetch() -> Result<(), Error> {
    Err(Error::Timeout)
}

fn now() -> Instant {
    Instant::now()
}

#[tokio::test(start_paused = true)]
async fn the_waits_are_those_of_the_policy_and_the_hook_receives_each() {
    let start = now();
    let heard = Mutex::new(Vec::new());
    let log = |retrying: &Retrying<'_, Error>| heard.lock().unwrap().push(retrying.delay);
    let ended = fetch.retry(EXACT).when(Error::is_timeout).notify(log).await;
    assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 5, why: GiveUp::Attempts, .. })), "{ended:?}");
    assert_eq!(now() - start, ms(200 + 400 + 800 + 1600));
    assert_eq!(heard.into_inner().unwrap(), [ms(200), ms(400), ms(800), ms(1600)]);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_the_predicate_refuses_ends_it_at_once() {
    let refused = || async { Err::<(), _>(Error::Refused) };
    let ended = refused.retry(EXACT).when(Error::is_timeout).await;
    assert_eq!(ended, Err(RetryError::Terminal(Error::Refused)));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_takes_too_long_is_dropped_and_fails_as_the_operation_s_own_error() {
    let start = now();
    let attempts = AtomicU32::new(0);
    let slow_at_first = || async {
        if attempts.fetch_add(1, SeqCst) < 2 {
            std::future::pending::<()>().await;
        }
        Ok::<_, Error>("Ada")
    };
    let user = slow_at_first.retry(EXACT).when(Error::is_timeout).attempt_timeout(s(3)).await;
    assert_eq!(user, Ok("Ada"));
    // Twice the limit, and two waits.
    assert_eq!(now() - start, s(6) + ms(200 + 400));

    let hangs = || std::future::pending::<io::Result<()>>();
    let ended = hangs.retry(EXACT.attempts(1)).classify(IoErrors).attempt_timeout(s(1)).await;
    assert_eq!(ended.unwrap_err().into_last().unwrap().kind(), io::ErrorKind::TimedOut);
}

#[tokio::test(start_paused = true)]
async fn the_future_can_be_spawned_while_it_borrows_nothing_and_shares_a_budget() {
    static SHARED: TokenBucket = TokenBucket::new(2);
    let ended = tokio::spawn(fetch.retry(EXACT).budget(&SHARED).into_future()).await.unwrap();
    assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 3, why: GiveUp::Budget, .. })), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_and_a_token_end_it() {
    let ended = fetch.retry(EXACT).deadline(ms(700)).await;
    // Attempts at 0, 200 and 600 ms; the next would start at 1 400 ms.
    assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 3, why: GiveUp::Elapsed, .. })), "{ended:?}");
    let token = CancellationToken::new();
    token.cancel();
    let ended = fetch.retry(EXACT).cancel(token).await;
    assert_eq!(ended, Err(RetryError::Cancelled { attempts: 0, last: None }));
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_is_not_send_runs_in_place() {
    let calls = std::rc::Rc::new(std::cell::Cell::new(0));
    let counted = || {
        let calls = calls.clone();
        async move {
            calls.set(calls.get() + 1);
            Err::<(), _>(Error::Timeout)
        }
    };
    assert!(counted.retry(EXACT).run().await.is_err());
    assert_eq!(calls.get(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_blocking_operation_beside_them_is_called() {
    let parse = || "42".parse::<u32>();
    assert_eq!(parse.retry(EXACT).call(), Ok(42));
}
