//! A machine with its store, decoder, status and log: whatever they do, only a stop ends it.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use retrylab_core::{Fault, Instant, Retry, Successes};
use retrylab_source::{
    Body, Cause, Connection, DataSet, Decode, Item, Kind, LogRecord, MemoryStore, Message, Observer, PollInput,
    PollNeed, PollResponse, PollShell, PollingConfig, Recorded, State, Store, StoreError, StreamInit, StreamInput,
    StreamNeed, StreamPolicy, StreamShell, StreamingConfig, Surroundings, Wiring,
};

use crate::poll_player::BODY;
use crate::stream_player::PUT;
use crate::unruly::{Forgetful, How, NoDecoder, NoStore};

type Stream = StreamShell<StreamPolicy>;
type Poll = PollShell<Retry<Successes>>;
type Act = Box<dyn Fn() + Send + Sync>;

/// It is always second 5, and every draw subtracts nothing.
struct Still;

impl Surroundings for Still {
    fn now(&self) -> Instant {
        Instant::from_secs(5)
    }

    fn draw(&self) -> u64 {
        0
    }
}

/// A clock and an entropy that panic.
struct NoClock;

impl Surroundings for NoClock {
    fn now(&self) -> Instant {
        panic!("no time")
    }

    fn draw(&self) -> u64 {
        panic!("no draw")
    }
}

/// Every delivered event, in order, with an action to run at a given line.
#[derive(Default)]
struct Told {
    lines: Mutex<Vec<String>>,
    reaction: OnceLock<(&'static str, Act)>,
}

impl Told {
    fn line(&self, line: String) {
        let reacts = self.reaction.get().is_some_and(|(trigger, _)| line.starts_with(trigger));
        self.lines.lock().expect("no panic while it is locked").push(line);
        if reacts && let Some((_, react)) = self.reaction.get() {
            react();
        }
    }

    fn on(&self, trigger: &'static str, react: impl Fn() + Send + Sync + 'static) {
        assert!(self.reaction.set((trigger, Box::new(react))).is_ok());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().expect("no panic while it is locked"))
    }
}

impl Observer for Told {
    fn log(&self, record: &LogRecord) {
        self.line(format!("{}: {record}", record.level));
    }

    fn recorded(&self, outcome: Recorded<Infallible>, now: Instant) {
        let at = now.since_origin();
        self.line(match outcome {
            Recorded::Success => format!("success at {at:?}"),
            Recorded::Failure { cause, decision: Ok(delay), .. } => format!("failure {cause} at {at:?}: {delay:?}"),
        });
    }

    fn ready(&self) {
        self.line("ready".to_owned());
    }

    fn environment(&self, environment: &str) {
        self.line(format!("environment {environment}"));
    }

    fn stream_init(&self, init: StreamInit) {
        self.line(format!("init failed: {}", init.failed));
    }
}

/// An observer that panics at every event.
struct Panics;

impl Observer for Panics {
    fn log(&self, _: &LogRecord) {
        panic!("log");
    }

    fn recorded(&self, _: Recorded<Infallible>, _: Instant) {
        panic!("recorded");
    }

    fn ready(&self) {
        panic!("ready");
    }

    fn environment(&self, _: &str) {
        panic!("environment");
    }

    fn stream_init(&self, _: StreamInit) {
        panic!("stream_init");
    }
}

/// A store that runs an action during its first write.
struct Busy {
    inner: MemoryStore,
    act: OnceLock<Act>,
}

impl Busy {
    fn new() -> Arc<Self> {
        Arc::new(Self { inner: MemoryStore::new(), act: OnceLock::new() })
    }
}

impl Store for Busy {
    fn init(&self, data: DataSet) -> Result<(), StoreError> {
        self.act.get().expect("what to do")();
        self.inner.init(data)
    }

    fn upsert(&self, kind: Kind, key: &str, item: Item) -> Result<bool, StoreError> {
        self.inner.upsert(kind, key, item)
    }

    fn is_initialized(&self) -> bool {
        self.inner.is_initialized()
    }
}

fn wiring(told: &Arc<Told>) -> Wiring {
    let wiring = Wiring::new(Arc::new(MemoryStore::new()), Arc::clone(told) as Arc<dyn Observer>, Instant::ZERO);
    let listener = Arc::clone(told);
    wiring.sink.listen(move |status| listener.line(format!("told {}", status.state)));
    wiring
}

fn stream(wiring: Wiring) -> Arc<Stream> {
    let machine = StreamingConfig::new(Connection::to("http://example.org")).source();
    let shell = Arc::new(StreamShell::new(machine, wiring));
    assert_eq!(shell.need(), StreamNeed::Start);
    assert_eq!(shell.handle(StreamInput::Start, &Still), StreamNeed::Connection(1));
    shell
}

fn poll(wiring: Wiring) -> Arc<Poll> {
    let machine = PollingConfig::new(Connection::to("http://example.org")).source();
    let shell = Arc::new(PollShell::new(machine, wiring));
    assert_eq!(shell.need(), PollNeed::Start);
    assert_eq!(shell.handle(PollInput::Start, &Still), PollNeed::Response { poll: 1, etag: None });
    shell
}

fn put(shell: &Stream) -> StreamNeed {
    let StreamNeed::Connection(connection) = shell.need() else { panic!("{:?}", shell.need()) };
    let message = Message { event: "put".to_owned(), data: PUT.to_owned() };
    shell.handle(StreamInput::Message { connection, message }, &Still)
}

fn refuse(shell: &Stream) -> StreamNeed {
    let StreamNeed::Connection(connection) = shell.need() else { panic!("{:?}", shell.need()) };
    let cause = Cause::Status(503);
    shell.handle(StreamInput::Ended { connection, cause, retry_after: None, detail: None }, &Still)
}

fn response(shell: &Poll) -> PollNeed {
    let PollNeed::Response { poll, .. } = shell.need() else { panic!("{:?}", shell.need()) };
    let body = Body { bytes: BODY.as_bytes().into(), etag: Some("v1".to_owned()) };
    let response = PollResponse::Body { body, environment: Some("production".to_owned()) };
    shell.handle(PollInput::Responded { poll, response }, &Still)
}

const fn wait(seconds: u64) -> StreamNeed {
    StreamNeed::Wait(Instant::from_secs(seconds))
}

#[test]
fn the_events_of_a_stream_come_in_the_order_of_the_contract() {
    let told = Arc::new(Told::default());
    let shell = stream(wiring(&told));
    assert_eq!(told.take(), ["info: Starting the stream (http://example.org/all)"]);
    let environment = Some("production".to_owned());
    shell.handle(StreamInput::Connected { connection: 1, environment }, &Still);
    assert_eq!(told.take(), ["environment production"]);
    assert_eq!(put(&shell), StreamNeed::Connection(1));
    assert_eq!(
        told.take(),
        [
            "success at 5s",
            "debug: Data handled (flags: 1, segments: 0)",
            "init failed: false",
            "told VALID",
            "ready",
            "info: Initialized ok"
        ]
    );
    assert_eq!(refuse(&shell), wait(6));
    assert_eq!(
        told.take(),
        [
            "failure 503 at 5s: 1s",
            "warning: Received HTTP error 503 for stream connection - will retry in 1.0s",
            "told INTERRUPTED"
        ]
    );
    assert_eq!(shell.handle(StreamInput::Timer, &Still), StreamNeed::Connection(2));
    assert_eq!(shell.handle(StreamInput::Stop, &Still), StreamNeed::Stopped);
    assert_eq!(told.take(), ["info: Stopping", "told OFF"]);
}

#[test]
fn the_events_of_a_poll_come_in_the_order_of_the_contract() {
    let told = Arc::new(Told::default());
    let shell = poll(wiring(&told));
    told.take();
    assert_eq!(response(&shell), PollNeed::Wait(Instant::from_secs(35)));
    assert_eq!(
        told.take(),
        [
            "environment production",
            "told VALID",
            "ready",
            "info: Initialized ok",
            "debug: Data handled",
            "success at 5s"
        ]
    );
    assert_eq!(shell.handle(PollInput::Timer, &Still), PollNeed::Response { poll: 2, etag: Some("v1".to_owned()) });
    assert_eq!(shell.endpoint().unwrap().to_string(), "http://example.org/sdk/latest-all");
}

#[test]
fn any_error_or_panic_of_a_store_is_a_failure() {
    for how in [How::Error, How::Panic, How::PanicTwice] {
        let told = Arc::new(Told::default());
        let store = Arc::new(NoStore(how));
        let shell = stream(Wiring { store: store.clone(), ..wiring(&told) });
        for round in 0..3 {
            assert_eq!(put(&shell), wait(5 + (1 << round)), "{how:?}");
            assert_eq!(shell.handle(StreamInput::Timer, &Still), StreamNeed::Connection(round + 2));
        }
        let shell = poll(Wiring { store, ..wiring(&told) });
        assert_eq!(response(&shell), PollNeed::Wait(Instant::from_secs(35)), "{how:?}");
    }
}

#[test]
fn a_panic_of_a_decoder_is_a_failure() {
    for how in [How::Panic, How::PanicTwice] {
        let told = Arc::new(Told::default());
        let decoder: Arc<dyn Decode> = Arc::new(NoDecoder(Some(how)));
        let shell = stream(Wiring { decoder: decoder.clone(), ..wiring(&told) });
        assert_eq!(put(&shell), wait(6), "{how:?}");
        let shell = poll(Wiring { decoder, ..wiring(&told) });
        assert_eq!(response(&shell), PollNeed::Wait(Instant::from_secs(35)), "{how:?}");
    }
}

#[test]
fn a_panic_of_a_store_that_is_checked_is_a_failure() {
    let told = Arc::new(Told::default());
    let shell = poll(Wiring { store: Arc::new(Forgetful(|| panic!("asked"))), ..wiring(&told) });
    assert_eq!(response(&shell), PollNeed::Wait(Instant::from_secs(35)));
    assert!(told.take().contains(&"failure store at 5s: 30s".to_owned()));
}

#[test]
fn an_observer_and_a_listener_that_panic_change_nothing() {
    let told = Arc::new(Told::default());
    let mut wiring = wiring(&told);
    wiring.observer = Arc::new(Panics);
    wiring.sink.listen(|status| panic!("{}", status.state));
    let shell = stream(wiring.clone());
    let environment = Some("production".to_owned());
    shell.handle(StreamInput::Connected { connection: 1, environment }, &Still);
    assert_eq!(put(&shell), StreamNeed::Connection(1));
    assert_eq!(refuse(&shell), wait(6));
    assert_eq!(shell.handle(StreamInput::Stop, &Still), StreamNeed::Stopped);
    assert_eq!(
        told.take(),
        ["told VALID", "told INTERRUPTED", "told OFF"],
        "a listener that does not panic receives everything"
    );

    let shell = poll(Wiring { sink: retrylab_source::StatusSink::new(Instant::ZERO), ..wiring });
    assert_eq!(response(&shell), PollNeed::Wait(Instant::from_secs(35)));
}

/// Stops the stream at this line, and returns the events from then on.
fn stream_stopped_at(trigger: &'static str, act: impl Fn(&Stream) -> StreamNeed) -> Vec<String> {
    let told = Arc::new(Told::default());
    let shell = stream(wiring(&told));
    let stopped = Arc::downgrade(&shell);
    told.on(trigger, move || {
        assert_eq!(
            stopped.upgrade().expect("the source is there").handle(StreamInput::Stop, &Still),
            StreamNeed::Stopped
        );
    });
    assert_eq!(act(&shell), StreamNeed::Stopped, "{trigger}");
    assert_eq!(shell.wiring().sink.status().state, State::Off);
    let mut lines = told.take();
    let at = lines.iter().position(|line| line.starts_with(trigger)).expect("the line");
    assert_eq!(shell.handle(StreamInput::Timer, &Still), StreamNeed::Stopped);
    assert_eq!(told.take(), [""; 0]);
    lines.split_off(at + 1)
}

#[test]
fn any_receiver_may_stop_a_stream_and_nothing_follows_off() {
    for trigger in ["success", "debug", "init", "told VALID", "ready", "info: Initialized"] {
        assert_eq!(stream_stopped_at(trigger, put), ["info: Stopping", "told OFF"], "{trigger}");
    }
    for trigger in ["init", "failure", "warning", "told INITIALIZING"] {
        assert_eq!(stream_stopped_at(trigger, refuse), ["info: Stopping", "told OFF"], "{trigger}");
    }
}

#[test]
fn any_receiver_may_stop_a_poller_and_nothing_follows_off() {
    for trigger in ["environment", "told VALID", "ready", "info: Initialized", "debug", "success"] {
        let told = Arc::new(Told::default());
        let shell = poll(wiring(&told));
        let stopped = Arc::downgrade(&shell);
        told.on(trigger, move || {
            assert_eq!(stopped.upgrade().unwrap().handle(PollInput::Stop, &Still), PollNeed::Stopped);
        });
        assert_eq!(response(&shell), PollNeed::Stopped, "{trigger}");
        let lines = told.take();
        let at = lines.iter().position(|line| line.starts_with(trigger)).unwrap();
        assert_eq!(lines[at + 1..], ["info: Stopping", "told OFF"], "{trigger}");
    }
}

#[test]
fn a_source_may_be_stopped_by_its_store() {
    let told = Arc::new(Told::default());
    let store = Busy::new();
    let shell = stream(Wiring { store: store.clone(), ..wiring(&told) });
    let stopped = Arc::downgrade(&shell);
    let act = move || {
        stopped.upgrade().unwrap().handle(StreamInput::Stop, &Still);
    };
    assert!(store.act.set(Box::new(act)).is_ok());
    told.take();
    assert_eq!(put(&shell), StreamNeed::Stopped);
    assert_eq!(told.take(), ["info: Stopping", "told OFF"], "the put under way causes no event");

    let store = Busy::new();
    let shell = poll(Wiring { store: store.clone(), ..wiring(&told) });
    let stopped = Arc::downgrade(&shell);
    let act = move || drop(stopped.upgrade().unwrap().handle(PollInput::Stop, &Still));
    assert!(store.act.set(Box::new(act)).is_ok());
    told.take();
    assert_eq!(response(&shell), PollNeed::Stopped);
    assert_eq!(told.take(), ["environment production", "info: Stopping", "told OFF"]);
}

#[test]
fn a_stop_does_not_wait_for_a_store_that_is_busy() {
    let told = Arc::new(Told::default());
    let store = Busy::new();
    let (entered, is_in) = channel();
    let (leave, may_leave) = channel::<()>();
    let may_leave = Mutex::new(may_leave);
    let act = move || {
        entered.send(()).unwrap();
        may_leave.lock().unwrap().recv().unwrap();
    };
    assert!(store.act.set(Box::new(act)).is_ok());
    let shell = stream(Wiring { store: store.clone(), ..wiring(&told) });
    told.take();
    let driven = Arc::clone(&shell);
    let driver = thread::spawn(move || put(&driven));
    is_in.recv().unwrap();
    assert_eq!(shell.handle(StreamInput::Stop, &Still), StreamNeed::Stopped);
    assert_eq!(told.take(), ["info: Stopping", "told OFF"]);
    leave.send(()).unwrap();
    assert_eq!(driver.join().unwrap(), StreamNeed::Stopped);
    assert_eq!(told.take(), [""; 0], "the result of the put causes no event");
    assert!(store.is_initialized(), "although it was kept");
}

#[test]
fn a_stop_needs_no_clock() {
    let told = Arc::new(Told::default());
    let shell = stream(wiring(&told));
    put(&shell);
    told.take();
    shell.stop(&NoClock);
    assert_eq!(told.take(), ["info: Stopping", "told OFF"]);
    let status = shell.wiring().sink.status();
    assert_eq!((shell.need(), status.state), (StreamNeed::Stopped, State::Off));
    assert_eq!(status.since, Instant::from_secs(5), "the last known time, when it became valid");

    let shell = poll(wiring(&told));
    told.take();
    shell.stop(&NoClock);
    assert_eq!(told.take(), ["info: Stopping", "told OFF"]);
    assert_eq!((shell.need(), shell.wiring().sink.status().state), (PollNeed::Stopped, State::Off));
}

/// An observer that takes its time to record that the source stops.
struct Slow {
    told: Arc<Told>,
    entered: Mutex<Sender<()>>,
    may_leave: Mutex<Receiver<()>>,
}

impl Observer for Slow {
    fn log(&self, record: &LogRecord) {
        if record.to_string() == "Stopping" {
            self.entered.lock().expect("no panic while it is locked").send(()).expect("the test waits");
            self.may_leave.lock().expect("no panic while it is locked").recv().expect("the test lets it go");
        }
        self.told.log(record);
    }
}

#[test]
fn off_comes_after_the_line_of_the_stop_also_with_events_of_other_threads() {
    let told = Arc::new(Told::default());
    let (entered, is_in) = channel();
    let (leave, may_leave) = channel();
    let slow = Slow { told: Arc::clone(&told), entered: Mutex::new(entered), may_leave: Mutex::new(may_leave) };
    let shell = stream(Wiring { observer: Arc::new(slow), ..wiring(&told) });
    told.take();
    let stopping = Arc::clone(&shell);
    let first = thread::spawn(move || stopping.stop(&Still));
    is_in.recv().unwrap();
    // A second stop and the events of the driving thread do not overtake the first stop.
    shell.stop(&Still);
    assert_eq!(shell.handle(StreamInput::Timer, &Still), StreamNeed::Stopped);
    assert_eq!(told.take(), [""; 0]);
    assert_eq!(shell.wiring().sink.status().state, State::Off, "a reader sees it already");
    leave.send(()).unwrap();
    first.join().unwrap();
    assert_eq!(told.take(), ["info: Stopping", "told OFF"]);
    assert_eq!(shell.wiring().sink.status().state, State::Off);
}

#[test]
fn off_of_a_poller_comes_after_the_line_of_the_stop_also_with_events_of_other_threads() {
    let told = Arc::new(Told::default());
    let (entered, is_in) = channel();
    let (leave, may_leave) = channel();
    let slow = Slow { told: Arc::clone(&told), entered: Mutex::new(entered), may_leave: Mutex::new(may_leave) };
    let shell = poll(Wiring { observer: Arc::new(slow), ..wiring(&told) });
    told.take();
    let stopping = Arc::clone(&shell);
    let first = thread::spawn(move || stopping.stop(&Still));
    is_in.recv().unwrap();
    shell.stop(&Still);
    assert_eq!(shell.handle(PollInput::Timer, &Still), PollNeed::Stopped);
    assert_eq!(told.take(), [""; 0]);
    assert_eq!(shell.wiring().sink.status().state, State::Off, "a reader sees it already");
    leave.send(()).unwrap();
    first.join().unwrap();
    assert_eq!(told.take(), ["info: Stopping", "told OFF"]);
}

/// A clock that stops the stream at its second reading, just before the failure's status is delivered.
struct Stops<'a> {
    shell: &'a Stream,
    read: AtomicU32,
}

impl Surroundings for Stops<'_> {
    fn now(&self) -> Instant {
        if self.read.fetch_add(1, Relaxed) == 1 {
            self.shell.stop(&Still);
        }
        Still.now()
    }

    fn draw(&self) -> u64 {
        Still.draw()
    }
}

#[test]
fn a_reader_sees_off_while_listeners_still_receive_earlier_changes() {
    let told = Arc::new(Told::default());
    let shell = stream(wiring(&told));
    put(&shell);
    let (asked, listener) = (shell.wiring().sink.clone(), Arc::clone(&told));
    shell.wiring().sink.listen(move |_| listener.line(format!("asked {}", asked.status().state)));
    told.take();
    let cause = Cause::Status(503);
    let ended = StreamInput::Ended { connection: 1, cause, retry_after: None, detail: None };
    assert_eq!(shell.handle(ended, &Stops { shell: &shell, read: AtomicU32::new(0) }), StreamNeed::Stopped);
    assert_eq!(told.take()[2..], ["told INTERRUPTED", "asked OFF", "info: Stopping", "told OFF", "asked OFF"]);
}

#[test]
fn a_stop_from_another_thread_is_the_last_change_for_listeners() {
    for _ in 0..200 {
        let told = Arc::new(Told::default());
        let shell = stream(wiring(&told));
        thread::scope(|scope| {
            scope.spawn(|| {
                while let StreamNeed::Connection(connection) = shell.need() {
                    let cause = Cause::Fault(Fault::Close);
                    shell.handle(StreamInput::Ended { connection, cause, retry_after: None, detail: None }, &Still);
                    shell.handle(StreamInput::Timer, &Still);
                }
            });
            scope.spawn(|| shell.handle(StreamInput::Stop, &Still));
        });
        let told = told.take();
        assert_eq!(told[told.len() - 2..], ["info: Stopping", "told OFF"]);
        assert_eq!(shell.need(), StreamNeed::Stopped);
    }
}

#[test]
fn an_unusable_base_uri_is_off_from_the_start() {
    let told = Arc::new(Told::default());
    let machine = PollingConfig::new(Connection::to("no")).source();
    let shell = PollShell::new(machine, wiring(&told));
    assert_eq!(shell.handle(PollInput::Start, &Still), PollNeed::Stopped);
    assert_eq!(told.take().last().unwrap(), "told OFF");
    assert!(shell.endpoint().is_err());
}

#[test]
fn an_observer_is_optional() {
    let wiring = Wiring::new(Arc::new(MemoryStore::new()), Arc::new(()), Instant::ZERO);
    let shell = stream(wiring);
    assert_eq!(put(&shell), StreamNeed::Connection(1));
    assert_eq!(shell.wiring().sink.status().state, State::Valid);
}
