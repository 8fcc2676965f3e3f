//! Ships a retry: an operation, a policy, and everything else that may end it. `cargo run --example ship_a_retry`
//!
//! The runtime's clock is paused, so it is over at once.

use std::future::pending;
use std::io::{Error, ErrorKind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use retrylab::{Exponential, RetryError, Retryable, Retrying, millis, secs};

/// Five attempts; waits of 0.2 s doubling to 10 s, with full jitter.
const POLICY: Exponential = Exponential::new(millis(200), secs(10)).attempts(5);

/// Refused, then without an answer, then there.
async fn fetch() -> Result<&'static str, Error> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    match CALLS.fetch_add(1, Relaxed) {
        0 => Err(ErrorKind::ConnectionRefused.into()),
        1 => pending().await,
        _ => Ok("Ada"),
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), RetryError<Error>> {
    let log = |retrying: &Retrying<'_, Error>| {
        println!("attempt {} failed ({}), again in {:?}", retrying.attempt, retrying.error, retrying.delay);
    };
    let worth_it = |error: &Error| matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::TimedOut);
    let user = fetch
        .retry(POLICY)
        .when(worth_it)
        .attempt_timeout(secs(2))
        .deadline(secs(30))
        .target("the user")
        .notify(log)
        .await?;
    println!("the user is {user}");
    Ok(())
}
