//! Foreign code that panics: a failure like any other where it is the cause of one, and never the end.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver::{Clock, Monotonic};
use retrylab_source::{
    Change, Connection, DataSet, Decode, DecodeError, Item, Kind, LogRecord, Message, Observer, State, Store,
    StoreError, StreamingConfig,
};

use crate::journal::{BOTH, Config, Journal, On, Source, polling, streaming};
use crate::server::{End, PUT, Script, Server, answer, read_head, stream, whole_stream};

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

    fn recorded(&self, _: retrylab_source::Recorded<std::convert::Infallible>, _: Instant) {
        panic!("no record")
    }

    fn ready(&self) {
        panic!("not yet")
    }
}

/// The failures and statuses of two attempts, each with data, which are the same on both drivers.
fn twice(bytes: &[u8], config: fn(String) -> Config, set: impl Fn(Source) -> Source) -> Vec<String> {
    let [thread, task] = BOTH.map(|on| {
        let server = Server::play([Script::holds(bytes), Script::holds(bytes)]);
        let mut journal = Journal::new();
        let handle = set(journal.keep(on, config(server.uri()), 1)).start();
        let mut entries = [journal.until("wait "), journal.until("wait ")].concat();
        handle.end();
        assert_eq!(server.requests().len(), 2);
        entries.retain(|entry| entry.starts_with("failure") || entry.starts_with("status"));
        entries
    });
    assert_eq!(thread, task);
    thread
}

#[test]
fn a_store_that_panics_is_a_failure_and_the_next_attempt_follows() {
    let row = |wait| {
        [
            "status INITIALIZING STORE_ERROR".to_owned(),
            format!("failure store normal {wait}s"),
            "status INITIALIZING UNKNOWN".to_owned(),
        ]
    };
    let set = |source: Source| source.store(Arc::new(Panics));
    assert_eq!(twice(&stream(PUT), streaming, set), [row(1), row(2)].concat());
    assert_eq!(twice(&answer("", r#"{"flags": {}, "segments": {}}"#), polling, set), [row(30), row(30)].concat());
}

#[test]
fn a_decoder_that_panics_is_a_failure_and_the_next_attempt_follows() {
    let row = |wait| [format!("failure missing-key normal {wait}s"), "status INITIALIZING UNKNOWN".to_owned()];
    let set = |source: Source| source.decoder(Arc::new(Panics));
    assert_eq!(twice(&stream(PUT), streaming, set), [row(1), row(2)].concat());
    assert_eq!(twice(&answer("", "{}"), polling, set), [row(30), row(30)].concat());
}

#[test]
fn a_listener_and_an_observer_that_panic_change_nothing() {
    for on in BOTH {
        let server = Server::play([Script::closes(whole_stream(PUT)), Script::holds(stream(PUT))]);
        let mut journal = Journal::new();
        let after = journal.scribe();
        let source = journal
            .keep(on, streaming(server.uri()), 1)
            .observer(Arc::new(Panics))
            .listen(|_| panic!("not listening"))
            .listen(move |status| after.note(format!("then {}", status.state)));
        let handle = source.start();
        assert_eq!(journal.until("then"), ["status VALID", "then VALID"]);
        assert_eq!(journal.until("then"), ["status INTERRUPTED NETWORK_ERROR", "then INTERRUPTED"]);
        assert_eq!(journal.until("then"), ["wait 1s", "status VALID NETWORK_ERROR", "then VALID"]);
        assert!(handle.start_wait(5.0) && handle.is_initialized());
        handle.end();
        assert_eq!(journal.rest(), ["status OFF NETWORK_ERROR", "then OFF"]);
    }
}

#[test]
fn a_sleeper_that_panics_leaves_the_wait_to_the_real_one() {
    for on in BOTH {
        let server = Server::play([Script::closes(whole_stream(PUT)), Script::closes(whole_stream(PUT))]);
        let (tell, told) = channel();
        let tell = Mutex::new(tell);
        let panics = move |_: Duration| -> () {
            drop(tell.lock().map(|tell| tell.send(Monotonic.now())));
            panic!("no sleep")
        };
        let connection = Connection::to(server.uri());
        let config = StreamingConfig { initial_reconnect_delay: 0.05, ..StreamingConfig::new(connection) };
        let source = match Config::Streaming(config).source(on).entropy(|| 0) {
            Source::Thread(source) => Source::Thread(source.sleeper(panics)),
            Source::Task(source) => Source::Task(source.sleeper(move |delay| {
                panics(delay);
                std::future::ready(())
            })),
        };
        let handle = source.start();
        let first = told.recv().unwrap();
        // The server is done when the second connection was made, which is after the wait.
        server.requests();
        assert!(Monotonic.now().since(first) >= Duration::from_millis(50));
        handle.end();
    }
}

#[test]
fn callback_raises_outside_its_own_handling_and_is_logged_before_the_source_continues() {
    for on in BOTH {
        let server = Server::play([Script::closes(whole_stream(PUT)), Script::closes(whole_stream(PUT))]);
        let mut journal = Journal::new();
        let draws = AtomicUsize::new(0);
        let source = journal.keep(on, streaming(server.uri()), 0).entropy(move || {
            assert_ne!(draws.fetch_add(1, Ordering::SeqCst), 0, "no draw");
            0
        });
        let handle = source.start();
        let entries = journal.until("failure");
        let errors: Vec<_> = entries.iter().enumerate().filter(|(_, entry)| entry.starts_with("error")).collect();
        assert_eq!(errors.len(), 1, "{entries:?}");
        let (place, error) = errors[0];
        assert_eq!(error, "error The callback of a repeating task failed");
        assert!(entries[place + 1].starts_with("detail panicked: "), "{entries:?}");
        assert_eq!(entries.last().unwrap(), "failure close normal 1s");
        // The panic cost one connection.
        assert_eq!(server.requests().len(), 2);
        handle.end();
    }
}

#[test]
fn a_clock_that_panics_while_a_stream_is_read_breaks_it_off() {
    for on in BOTH {
        let armed = Arc::new(AtomicBool::new(false));
        let arms = Arc::clone(&armed);
        let server = Server::speak(1, move |_, stream| {
            let request = read_head(stream);
            arms.store(true, Ordering::SeqCst);
            (request, crate::server::stream(PUT), End::Hold)
        });
        let mut journal = Journal::new();
        let source = journal.keep(on, streaming(server.uri()), 0).clock(move || {
            assert!(!armed.swap(false, Ordering::SeqCst), "no time");
            Instant::ZERO
        });
        let handle = source.start();
        let entries = journal.until("wait ");
        let line = "warning Error on stream connection: the connection was reset - will retry in 1.0s";
        assert_eq!(entries[2..5], ["failure reset normal 1s", line, "detail panicked: no time"]);
        server.requests();
        handle.end();
    }
}

#[test]
fn a_clock_that_panics_keeps_no_stop_from_ending_the_source() {
    for (on, config, bytes) in [
        (On::Thread, streaming as fn(String) -> Config, stream(PUT)),
        (On::Task, streaming, stream(PUT)),
        (On::Thread, polling, Vec::new()),
        (On::Task, polling, Vec::new()),
    ] {
        let reads_data = !bytes.is_empty();
        let mut server = Server::play([Script::holds(bytes)]);
        let mut journal = Journal::new();
        let broken = Arc::new(AtomicBool::new(false));
        let breaks = Arc::clone(&broken);
        let source = journal.keep(on, config(server.uri()), 0).clock(move || {
            assert!(!breaks.load(Ordering::SeqCst), "no time");
            Instant::ZERO
        });
        let handle = source.start();
        server.hears();
        if reads_data {
            journal.until("info Initialized ok");
        }
        broken.store(true, Ordering::SeqCst);
        handle.stop();
        assert_eq!(handle.status().state, State::Off);
        handle.end();
        server.requests();
        let entries = journal.rest();
        assert_eq!(entries.iter().rfind(|entry| entry.starts_with("status")).unwrap(), "status OFF");
    }
}
