//! Foreign code that panics: a failure like any other where it is the cause of one, and never the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use retrylab_core::Instant;
use retrylab_driver_tokio::source::Source;
use retrylab_source::{
    Change, DataSet, Decode, DecodeError, Item, Kind, LogRecord, Message, Observer, Store, StoreError,
};

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

#[tokio::test]
async fn a_clock_entropy_and_a_sleeper_that_panic_once_do_not_end_the_source() {
    // After such a panic the source rests for a second, and after the sleeper's it waits on the runtime's timer: both
    // pass at once here, because nothing else happens.
    let panics_once = || {
        let armed = Arc::new(AtomicBool::new(false));
        let trigger = armed.clone();
        let panics = move || assert!(!armed.swap(false, Ordering::SeqCst), "once");
        (trigger, panics)
    };
    let server = Server::play([Script::closes(""), Script::closes(""), Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let (clock_trigger, clock_panics) = panics_once();
    let (entropy_trigger, entropy_panics) = panics_once();
    let (sleeper_trigger, sleeper_panics) = panics_once();
    let waits = journal.scribe();
    let source = journal
        .keep(streaming(server.uri()), 0)
        .clock(move || {
            clock_panics();
            Instant::ZERO
        })
        .entropy(move || {
            entropy_panics();
            0
        })
        .sleeper(move |delay| {
            waits.note(format!("wait {delay:?}"));
            sleeper_panics();
            std::future::ready(())
        });
    entropy_trigger.store(true, Ordering::SeqCst);
    sleeper_trigger.store(true, Ordering::SeqCst);
    let handle = source.start();
    journal.until("wait ").await;
    clock_trigger.store(true, Ordering::SeqCst);
    journal.until("ready").await;
    end(handle).await;
}
