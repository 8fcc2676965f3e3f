//! Whatever goes to pieces around a source, it goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use retrylab_core::{Fault, Instant};
use retrylab_driver_std::source::Source;
use retrylab_driver_std::{Clock, Monotonic};
use retrylab_source::{
    Cause, Change, DataSet, Decode, DecodeError, Item, Kind, Level, LogRecord, MemoryStore, Message, Observer, State,
    Status, Store, StoreError, StreamingConfig,
};

use crate::server::{PUT, STREAM, Script, Server, answer, watched};
use crate::stage::{Stage, Told, connection};

struct Broken;

impl Store for Broken {
    fn init(&self, _: DataSet) -> Result<(), StoreError> {
        panic!("no init")
    }

    fn upsert(&self, _: Kind, _: &str, _: Item) -> Result<bool, StoreError> {
        panic!("no upsert")
    }

    fn is_initialized(&self) -> bool {
        panic!("no answer")
    }
}

impl Decode for Broken {
    fn message(&self, _: &Message) -> Result<Change, DecodeError> {
        panic!("no message")
    }

    fn body(&self, _: &[u8]) -> Result<DataSet, DecodeError> {
        panic!("no body")
    }
}

impl Observer for Broken {
    fn log(&self, _: &LogRecord) {
        panic!("no log")
    }

    fn recorded(&self, _: retrylab_source::Recorded<std::convert::Infallible>, _: Instant) {
        panic!("no record")
    }

    fn ready(&self) {
        panic!("not ready")
    }
}

fn streams(count: usize) -> Vec<Script> {
    (0..count).map(|_| answer(format!("{STREAM}{PUT}"))).collect()
}

/// A source of which something panics sees all of three streams, and each fails of this.
fn sees_three(stage: &Stage, source: impl FnOnce(Source) -> Source, fault: Fault) {
    let mut server = Server::start(streams(3));
    let handle = source(stage.stream_from(server.uri())).start();
    for _ in 0..3 {
        assert_eq!(stage.failure().0, Cause::Fault(fault));
    }
    assert_eq!(server.finish().len(), 3);
    handle.stop();
    handle.join();
}

#[test]
fn a_store_that_panics_is_a_failure() {
    sees_three(&Stage::with_waits(2), |source| source.store(Arc::new(Broken)), Fault::Store);
}

#[test]
fn a_decoder_that_panics_is_a_failure() {
    sees_three(&Stage::with_waits(2), |source| source.decoder(Arc::new(Broken)), Fault::MissingKey);
}

#[test]
fn a_listener_that_panics_is_nothing() {
    let broken = |_: &Status| panic!("no listener");
    sees_three(&Stage::with_waits(2), |source| source.listen(broken), Fault::Close);
}

#[test]
fn an_observer_that_panics_is_nothing() {
    let mut server = Server::start(streams(3));
    let stage = Stage::with_waits(2);
    let source = stage.stream_from(server.uri()).observer(Arc::new(Broken));
    let handle = source.start();
    let valid = |told: &Told| matches!(told, Told::Status(State::Valid, _));
    for _ in 0..3 {
        assert_eq!(stage.until_wait().iter().filter(|told| valid(told)).count(), 1);
    }
    assert!(handle.is_initialized());
    assert_eq!(server.finish().len(), 3);
}

#[test]
fn a_sleeper_that_panics_leaves_the_wait_to_the_real_one() {
    let mut server = Server::start(streams(2));
    let (tell, told) = channel();
    let config = StreamingConfig { initial_reconnect_delay: 0.05, ..StreamingConfig::new(connection(server.uri())) };
    let tell = std::sync::Mutex::new(tell);
    let source = Source::streaming(config).entropy(|| 0).sleeper(move |_: Duration| {
        drop(tell.lock().map(|tell| tell.send(Monotonic.now())));
        panic!("no sleep")
    });
    let handle = source.start();
    let first = told.recv().unwrap();
    // The server is done when the second connection was made, which is after the wait.
    server.finish();
    assert!(Monotonic.now().since(first) >= Duration::from_millis(50));
    handle.stop();
    handle.join();
}

#[test]
fn callback_raises_outside_its_own_handling_and_an_error_line_says_so_before_the_source_goes_on() {
    let mut server = Server::start(streams(2));
    let stage = Stage::new();
    let draws = AtomicUsize::new(0);
    let source = stage.stream_from(server.uri()).entropy(move || match draws.fetch_add(1, Ordering::SeqCst) {
        0 => panic!("no draw"),
        _ => 0,
    });
    let handle = source.start();
    let told = stage.until(|told| matches!(told, Told::Failure(..)));
    let errors = told.iter().filter(|told| matches!(told, Told::Log(Level::Error, _))).collect::<Vec<_>>();
    let line = "The callback of a repeating task failed (panicked: no draw)";
    assert_eq!(errors, [&Told::Log(Level::Error, line.to_owned())]);
    assert_eq!(told.last(), Some(&Told::Failure(Cause::Fault(Fault::Close), Duration::from_secs(1))));
    // The panic cost one connection.
    assert_eq!(server.finish().len(), 2);
    handle.stop();
    handle.join();
}

/// Panics once each time that it is armed.
fn trap() -> (Arc<AtomicBool>, impl Fn() -> Instant + Send + Sync) {
    let armed = Arc::new(AtomicBool::new(false));
    let trigger = Arc::clone(&armed);
    let clock = move || {
        assert!(!armed.swap(false, Ordering::SeqCst), "no time");
        Instant::ZERO
    };
    (trigger, clock)
}

#[test]
fn a_clock_that_panics_while_a_stream_is_read_breaks_it_off() {
    let (arm, clock) = trap();
    let script: Script = Box::new(move |mut exchange| {
        exchange.request();
        arm.store(true, Ordering::SeqCst);
        exchange.send(format!("{STREAM}{PUT}"));
        exchange.wait_for_close();
    });
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).clock(clock).start();
    let line = "Error on stream connection: the connection broke off (panicked: no time) - will retry in 1.0s";
    assert_eq!(stage.failure(), (Cause::Fault(Fault::Reset), line.to_owned()));
    server.finish();
    handle.stop();
    handle.join();
}

#[test]
fn a_clock_that_panics_keeps_no_stop_from_cutting() {
    for polling in [false, true] {
        let (script, server_told) = watched(if polling { String::new() } else { format!("{STREAM}{PUT}") });
        let mut server = Server::start([script]);
        let stage = Stage::new();
        let source = if polling { stage.poll_from(server.uri()) } else { stage.stream_from(server.uri()) };
        let broken = Arc::new(AtomicBool::new(false));
        let breaks = Arc::clone(&broken);
        let handle = source.clock(move || {
            assert!(!breaks.load(Ordering::SeqCst), "no time");
            Instant::ZERO
        });
        let handle = handle.start();
        assert_eq!(server_told.recv(), Ok("asked"));
        if !polling {
            stage.until(|told| *told == Told::Ready);
        }
        broken.store(true, Ordering::SeqCst);
        handle.stop();
        assert_eq!(handle.status().state, State::Off);
        handle.join();
        assert_eq!(server_told.recv(), Ok("closed"));
        server.finish();
    }
}

#[test]
fn each_start_is_a_source_of_its_own() {
    let (tell, told) = channel();
    let serve = |tell: std::sync::mpsc::Sender<()>| -> Script {
        Box::new(move |mut exchange| {
            exchange.request();
            exchange.send(format!("{STREAM}{PUT}"));
            exchange.wait_for_close();
            tell.send(()).unwrap();
        })
    };
    let mut server = Server::start([serve(tell.clone()), serve(tell)]);
    let store = Arc::new(MemoryStore::default());
    let source = Source::streaming(StreamingConfig::new(connection(server.uri()))).store(store);
    for _ in 0..2 {
        let handle = source.start();
        assert!(handle.start_wait(retrylab_source::StartWait::seconds(3600.0)));
        assert_eq!(handle.status().state, State::Valid);
        handle.stop();
        assert_eq!(handle.status().state, State::Off);
        assert!(handle.is_initialized());
        handle.join();
        told.recv().unwrap();
    }
    server.finish();
}
