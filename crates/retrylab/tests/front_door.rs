//! What a program reaches through the front door, and that it is what the other crates call so.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use retrylab::{BlockingRetryable, Exponential, RetryError, check, millis, play, secs, simulate};

#[test]
fn a_retry_is_shipped_simulated_and_checked_by_one_crate() {
    const POLICY: Exponential = Exponential::new(secs(2), secs(30)).attempts(6);
    let run = simulate(POLICY).outage(503, secs(60)).then_ok().run();
    assert_eq!(run.attempts(), 6);

    // Waits with full jitter are what the policy claims; exact ones claim to be exact.
    let with_jitter = || [2, 4, 8, 16, 30].into_iter().map(|rung| (secs(rung) / 1024) * next_of_1024());
    check(with_jitter).claims(POLICY).cases(200).run();
    let my_waits = || [2, 4, 8, 16, 30].into_iter().map(secs);
    check(my_waits).claims(POLICY.without_jitter()).cases(200).run();

    let fetch = || Err::<(), _>(io::Error::from(io::ErrorKind::TimedOut));
    let waits = std::cell::RefCell::new(Vec::new());
    let ended = fetch
        .retry(POLICY.without_jitter())
        .classify(retrylab::IoErrors)
        .sleeper(|wait| waits.borrow_mut().push(wait))
        .call();
    assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 6, .. })));
    assert_eq!(waits.take(), run.waits());
}

/// A number below 1024: each is as likely as any other, in an order that is always the same.
fn next_of_1024() -> u32 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    static LAST: AtomicU64 = AtomicU64::new(0);
    u32::try_from(LAST.fetch_add(GOLDEN, Relaxed) >> 54).unwrap_or_default()
}

#[test]
fn an_iterator_and_rules_can_be_played_from_a_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outage.toml");
    play(path, || [2, 4, 8, 16, 30].into_iter().map(secs));
    play(path, || Exponential::new(secs(2), secs(30)).attempts(6).without_jitter());
}

#[tokio::test(start_paused = true)]
async fn the_same_on_tokio() {
    use retrylab::Retryable;
    let fetch = || async { Err::<(), _>("timeout") };
    let ended = fetch.retry(Exponential::new(millis(200), secs(10)).attempts(5)).await;
    assert!(matches!(ended, Err(RetryError::Exhausted { attempts: 5, .. })));
}

#[test]
fn its_rules_drop_into_other_people_s_clients() {
    let rules = Exponential::new(millis(200), secs(10));
    assert!(retrylab::tower::TowerRetry::new(rules).is_ok());
    assert!(retrylab::retry_policies::RetryView::new(rules).is_ok());
}
