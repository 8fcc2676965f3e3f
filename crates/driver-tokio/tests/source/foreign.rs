//! Foreign code that panics: a failure like any other where it is the cause of one, and never the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use retrylab_driver_tokio::source::Source;
use retrylab_source::{
    Change, Connection, DataSet, Decode, DecodeError, Item, Kind, LogRecord, Message, Observer, State, Store,
    StoreError, StreamingConfig,
};
use tokio::time::Instant;

use crate::journal::{Journal, end, polling, streaming, without_details};
use crate::server::{PUT, Script, Server, answer, stream};

struct Panics;

impl Store for Panics {
    fn init(&self, _: DataSet) -> Result<(), StoreError> {
        panic!("no room")
    }

    fn upsert(&self, _: Kind, _: &str, _: Item) -> Result<bool, StoreError> {
        panic!("no room")
    }

    fn is_initialized(&self) -> bool {
        panic!("no room")
    }
}

impl Decode for Panics {
    fn message(&self, _: &Message) -> Result<Change, DecodeError> {
        panic!("no words")
    }

    fn body(&self, _: &[u8]) -> Result<DataSet, DecodeError> {
        panic!("no words")
    }
}

impl Observer for Panics {
    fn log(&self, _: &LogRecord) {
        panic!("no paper")
    }

    fn ready(&self) {
        panic!("not yet")
    }
}

/// Two attempts, each with data.
async fn twice(bytes: Vec<u8>, source: impl FnOnce(String) -> Source) -> Vec<String> {
    let server = Server::play([Script::holds(&*bytes), Script::holds(bytes)]);
    let mut journal = Journal::new();
    let handle = journal.keep(source(server.uri()), 1).start();
    let mut entries = without_details(journal.until("wait ").await);
    entries.extend(without_details(journal.until("wait ").await));
    end(handle).await;
    entries.into_iter().filter(|entry| entry.starts_with("failure") || entry.starts_with("status")).collect()
}

#[tokio::test]
async fn a_store_that_panics_is_a_failure_and_the_next_attempt_follows() {
    assert_eq!(
        twice(stream(PUT), |uri| streaming(uri).store(Arc::new(Panics))).await,
        [
            "status INITIALIZING STORE_ERROR",
            "failure store normal 1s",
            "status INITIALIZING UNKNOWN",
            "status INITIALIZING STORE_ERROR",
            "failure store normal 2s",
            "status INITIALIZING UNKNOWN",
        ]
    );
    let body = answer("", r#"{"flags": {}, "segments": {}}"#);
    assert_eq!(
        twice(body, |uri| polling(uri).store(Arc::new(Panics))).await,
        [
            "status INITIALIZING STORE_ERROR",
            "failure store normal 30s",
            "status INITIALIZING UNKNOWN",
            "status INITIALIZING STORE_ERROR",
            "failure store normal 30s",
            "status INITIALIZING UNKNOWN",
        ]
    );
}

#[tokio::test]
async fn a_decoder_that_panics_is_a_failure_and_the_next_attempt_follows() {
    let row = |wait| [format!("failure missing-key normal {wait}s"), "status INITIALIZING UNKNOWN".to_owned()];
    let streamed = twice(stream(PUT), |uri| streaming(uri).decoder(Arc::new(Panics))).await;
    assert_eq!(streamed, [row(1), row(2)].concat());
    let polled = twice(answer("", "{}"), |uri| polling(uri).decoder(Arc::new(Panics))).await;
    assert_eq!(polled, [row(30), row(30)].concat());
}

#[tokio::test]
async fn a_listener_and_an_observer_that_panic_change_nothing() {
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let source = journal.keep(streaming(server.uri()), 0);
    let after = journal.scribe();
    let source = source
        .observer(Arc::new(Panics))
        .listen(|_| panic!("not listening"))
        .listen(move |status| after.note(format!("then {}", status.state)));
    let handle = source.start();
    assert_eq!(journal.until("then").await, ["status VALID", "then VALID"]);
    handle.start_wait(retrylab_source::StartWait::default()).await;
    assert!(handle.is_initialized());
    end(handle).await;
    assert_eq!(journal.rest(), ["status OFF", "then OFF"]);
}

/// A source that never gets as far as a socket, so that time can stand still.
fn that_trusts_nobody() -> Source {
    let mut config = StreamingConfig::new(Connection::to("https://127.0.0.1:1"));
    config.connection.authorities = Some(Vec::new());
    Source::streaming(config)
}

/// Panics once each time that it is armed.
fn trap() -> (Arc<AtomicBool>, impl Fn() + Send + Sync + Clone) {
    let armed = Arc::new(AtomicBool::new(false));
    let trigger = Arc::clone(&armed);
    (trigger, move || assert!(!armed.swap(false, Ordering::SeqCst), "the trap was armed"))
}

#[tokio::test(start_paused = true)]
async fn callback_raises_outside_its_own_handling_and_a_second_after_an_error_line_the_source_goes_on() {
    let mut journal = Journal::new();
    let (arm_clock, clock) = trap();
    let (arm_entropy, entropy) = trap();
    let began = Instant::now();
    let waits = journal.scribe();
    let source = journal.keep(that_trusts_nobody(), 0);
    let source = source
        .clock(move || {
            clock();
            retrylab_core::Instant::ZERO + began.elapsed()
        })
        .entropy(move || {
            entropy();
            0
        })
        .sleeper(move |delay| {
            waits.note(format!("wait {delay:?} at {:?}", began.elapsed()));
            tokio::time::sleep(delay)
        });
    arm_entropy.store(true, Ordering::SeqCst);
    let handle = source.start();
    let raised = ["error The callback of a repeating task failed", "detail panicked: the trap was armed"];
    let entries = journal.until("wait ").await;
    let errors = entries.iter().position(|entry| entry.starts_with("error")).unwrap();
    assert_eq!(entries[errors..errors + 2], raised);
    assert_eq!(entries.last().unwrap(), "wait 1s at 1s");
    arm_clock.store(true, Ordering::SeqCst);
    // The wait is over at 2 s, and the clock is read. A second later nothing is left of the wait.
    assert_eq!(journal.until("wait ").await, [raised[0], raised[1], "wait 0ns at 3s"]);
    assert_eq!(journal.until("wait ").await.last().unwrap(), "wait 2s at 3s");
    end(handle).await;
}

#[tokio::test]
async fn a_clock_that_panics_keeps_no_stop_from_ending_the_source() {
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let broken = Arc::new(AtomicBool::new(false));
    let breaks = Arc::clone(&broken);
    let source = journal.keep(streaming(server.uri()), 0).clock(move || {
        assert!(!breaks.load(Ordering::SeqCst), "no time");
        retrylab_core::Instant::ZERO
    });
    let handle = source.start();
    journal.until("info Initialized ok").await;
    broken.store(true, Ordering::SeqCst);
    handle.stop();
    assert_eq!(handle.status().state, State::Off);
    assert_eq!(journal.rest(), ["info Stopping", "status OFF"]);
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn where_the_sleeper_panics_the_source_waits_all_the_same() {
    let mut journal = Journal::new();
    let began = Instant::now();
    let waits = journal.scribe();
    let source = journal.keep(that_trusts_nobody(), 0).sleeper(move |delay| {
        waits.note(format!("wait {delay:?} at {:?}", began.elapsed()));
        assert_eq!(delay, Duration::ZERO, "no wait is welcome");
        std::future::ready(())
    });
    let handle = source.start();
    for expected in ["wait 1s at 0ns", "wait 2s at 1s", "wait 4s at 3s"] {
        assert_eq!(journal.until("wait ").await.last().unwrap(), expected);
    }
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_sleeper_that_does_not_wait_lets_the_other_tasks_run() {
    // Nothing that this source does has to be waited for.
    let source = that_trusts_nobody().sleeper(|_| std::future::ready(()));
    let handle = source.start();
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    end(handle).await;
}
