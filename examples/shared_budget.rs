//! Shares a budget among tasks, so that an outage is not answered with a storm. `cargo run --example shared_budget`
//!
//! The runtime's clock is paused, so it is over at once.

use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use retrylab::{Budget, Exponential, Retryable, TokenBucket, Unlimited, millis, secs};

const TASKS: u32 = 100;
const POLICY: Exponential = Exponential::new(millis(200), secs(10)).attempts(5);

/// How many requests reach a server that fails each of them.
async fn requests(budget: impl Budget + Clone + Send + 'static) -> u32 {
    let requests = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let requests = Arc::clone(&requests);
            let fetch = move || {
                requests.fetch_add(1, Relaxed);
                async { Err::<(), _>(Error::from(ErrorKind::ConnectionReset)) }
            };
            tokio::spawn(fetch.retry(POLICY).budget(budget.clone()).into_future())
        })
        .collect();
    for task in tasks {
        // Each ends with an error, as it has to.
        drop(task.await);
    }
    requests.load(Relaxed)
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    println!("{TASKS} operations, five attempts each, and a server that is down:");
    println!("  without a budget  {} requests", requests(Unlimited).await);
    println!("  with 50 tokens    {} requests", requests(Arc::new(TokenBucket::new(50))).await);
}
