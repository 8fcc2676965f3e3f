//! Common bugs of data sources, numbered like those of the retry state machine in `tests/core`; `tests/tidy` has the
//! list.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retrylab_core::{Fault, Instant, Regime};
use retrylab_source::{
    Cause, Connection, DelaySource, LogMessage, MemoryStore, Message, Next, Observer, PollInput, PollResponse,
    RepeatingTask, State, StatusSink, StreamInput, StreamNeed, StreamShell, StreamingConfig, Surroundings, TaskInput,
    TaskOutput, Wiring,
};

use crate::poll_player::{BODY, Poll};
use crate::stream_player::{PUT, Stream};
use crate::unruly::{Forgetful, How, NoStore};

const CLOSE: Cause = Cause::Fault(Fault::Close);

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The lines that begin so, in order.
fn those<'a>(lines: &'a [String], start: &str) -> Vec<&'a str> {
    lines.iter().map(String::as_str).filter(|line| line.starts_with(start)).collect()
}

/// The places of the lines that begin so; each is there once.
fn places<const N: usize>(lines: &[String], starts: [&str; N]) -> [usize; N] {
    starts.map(|start| {
        assert_eq!(those(lines, start).len(), 1, "{start} in {lines:?}");
        lines.iter().position(|line| line.starts_with(start)).expect("one")
    })
}

#[test]
fn spec_15_28_neither_retry_after_nor_the_retry_field_is_consulted() {
    let mut stream = Stream::connected();
    stream.feed(StreamInput::Hint { connection: 1, retry: seconds(20) });
    let retry_after = Some(seconds(3_000));
    let ended = StreamInput::Ended { connection: 1, cause: Cause::Status(429), retry_after, detail: None };
    assert_eq!(stream.feed(ended).last().unwrap(), "wait until 1s");
    let mut poll = Poll::polling();
    let response = PollResponse::Failed { cause: Cause::Status(429), retry_after, detail: None };
    assert_eq!(poll.response(response).last().unwrap(), "wait until 30s");
}

#[test]
fn spec_15_29_an_own_interrupt_counts_once_and_swallows_no_real_close() {
    let mut stream = Stream::valid();
    stream.message("put", "{sorry");
    assert_eq!(stream.ended(CLOSE), [""; 0], "the close that the drop brought about");
    assert_eq!(stream.draws, 1);
    stream.at(1.0).timer();
    stream.connect(None);
    assert_eq!(stream.ended(CLOSE)[1], "normal failure close: 2s", "a real one of the next connection");
    // This time the drop brings no close about: the next connection's is a real one all the same.
    stream.at(3.0).timer();
    stream.message("put", "{sorry");
    stream.at(7.0).timer();
    assert_eq!(stream.ended(CLOSE)[1], "normal failure close: 8s");
    assert_eq!(stream.draws, 4);
}

#[test]
fn spec_15_30_the_level_is_no_function_of_the_kind() {
    let line = |lines: Vec<String>, start: &str| those(&lines, start).concat();
    let malformed = Stream::valid().message("put", "{sorry");
    assert_eq!(those(&malformed, "normal failure").len(), 1);
    assert!(line(malformed, "error: Unparseable").ends_with("will retry in 1.0s"));
    let closed = Stream::valid().ended(CLOSE);
    assert_eq!(those(&closed, "normal failure").len(), 1);
    assert!(line(closed, "warning: The server closed").ends_with("will retry in 1.0s"));
    let reset = Poll::valid().failed(Cause::Fault(Fault::Reset));
    assert_eq!(those(&reset, "normal failure").len(), 1);
    assert!(line(reset, "error: Error encountered").ends_with("will retry in 30.0s"));
    assert!(LogMessage::PollError { cause: Cause::Fault(Fault::Reset), delay: Next::GiveUp }.wants_trace());
}

#[test]
fn spec_15_31_the_line_states_the_wait_and_comes_before_the_status_and_the_wait() {
    // A draw that leaves 0.625 of a second: 1/2 · 3/4 of it is subtracted.
    let draw = 3 << 62;
    let mut stream = Stream::valid();
    let lines = stream.feed_with(stream.end(CLOSE), draw);
    let [record, line, status, wait] = places(&lines, ["normal failure", "warning", "status", "wait"]);
    assert!(record < line && line < status && status < wait, "{lines:?}");
    assert_eq!(lines[record], "normal failure close: 625ms");
    assert!(lines[line].ends_with("will retry in 0.6s"));
    assert_eq!(lines[wait], "wait until 625ms");

    let mut poll = Poll::valid();
    let response = PollResponse::Failed { cause: Cause::Status(401), retry_after: None, detail: None };
    let lines = poll.feed_with(PollInput::Responded { poll: 2, response }, draw);
    let [record, line, status, wait] = places(&lines, ["unexpected failure", "error", "status", "wait"]);
    assert!(record < line && line < status && status < wait, "{lines:?}");
    // 300 s less 3/8 of them are 187.5 s, from 30 s on.
    assert!(lines[line].ends_with("will retry in 187.5s"));
    assert_eq!(lines[wait], "wait until 217.5s");
}

#[test]
fn spec_15_32_interrupted_before_the_first_valid_is_initializing_and_told_each_time() {
    let mut stream = Stream::new();
    stream.start();
    for (at, status) in [(0.0, 503), (1.0, 503), (3.0, 401)] {
        stream.at(at).timer();
        let lines = stream.ended(Cause::Status(status));
        let error = format!("(ERROR_RESPONSE {status})");
        assert_eq!(those(&lines, "status"), [format!("status INTERRUPTED {error}, seen as INITIALIZING {error}")]);
    }
    assert_eq!(stream.lines.status.since, Instant::ZERO);
}

#[test]
fn spec_15_33_an_error_sticks_to_valid_and_off() {
    let mut poll = Poll::polling();
    poll.failed(Cause::Status(503));
    poll.at(30.0).timer();
    assert_eq!(those(&poll.body(BODY, None), "status"), ["status VALID, seen as VALID (ERROR_RESPONSE 503)"]);
    assert_eq!(those(&poll.stop(), "status"), ["status OFF, seen as OFF (ERROR_RESPONSE 503)"]);
}

struct At(u64);

impl Surroundings for At {
    fn now(&self) -> Instant {
        Instant::from_secs(self.0)
    }

    fn draw(&self) -> u64 {
        0
    }
}

/// Reads the status when the first data arrives.
struct Waiter {
    sink: Mutex<Option<StatusSink>>,
    read: Mutex<Vec<State>>,
}

impl Observer for Waiter {
    fn ready(&self) {
        let sink = self.sink.lock().expect("no panic while it is locked");
        let state = sink.as_ref().map(|sink| sink.status().state);
        self.read.lock().expect("no panic while it is locked").extend(state);
    }
}

#[test]
fn spec_15_34_whoever_waits_for_ready_reads_valid() {
    let waiter = Arc::new(Waiter { sink: Mutex::default(), read: Mutex::default() });
    let wiring = Wiring::new(Arc::new(MemoryStore::new()), waiter.clone(), Instant::ZERO);
    *waiter.sink.lock().unwrap() = Some(wiring.sink.clone());
    let machine = StreamingConfig::new(Connection::to("http://example.org")).source();
    let shell = StreamShell::new(machine, wiring);
    shell.handle(StreamInput::Start, &At(0));
    for _ in 0..2 {
        let message = Message { event: "put".to_owned(), data: PUT.to_owned() };
        shell.handle(StreamInput::Message { connection: 1, message }, &At(1));
    }
    assert_eq!(*waiter.read.lock().unwrap(), [State::Valid], "and is notified once");
}

#[test]
fn spec_15_35_nothing_is_reported_after_off() {
    let mut stream = Stream::valid();
    stream.stop();
    let after = [
        stream.end(CLOSE),
        StreamInput::Timer,
        StreamInput::Start,
        StreamInput::Stop,
        StreamInput::Connected { connection: 1, environment: Some("production".to_owned()) },
    ];
    for input in after {
        assert_eq!(stream.feed(input.clone()), [""; 0], "{input:?}");
    }
    let mut poll = Poll::valid();
    poll.stop();
    assert_eq!((poll.body(BODY, None), poll.failed(CLOSE), poll.timer()), (vec![], vec![], vec![]));
}

#[test]
fn spec_15_36_no_failure_makes_a_source_ready() {
    let causes = [400, 401, 403, 404, 503].map(Cause::Status).into_iter().chain(Fault::ALL.map(Cause::Fault));
    for cause in causes {
        let mut stream = Stream::connected();
        assert!(!stream.ended(cause).contains(&"ready".to_owned()), "{cause}");
        assert!(!Poll::polling().failed(cause).contains(&"ready".to_owned()), "{cause}");
        // A later success still does.
        stream.at(300.0).timer();
        assert!(stream.message("put", PUT).contains(&"ready".to_owned()), "{cause}");
    }
    let mut stream = Stream::connected();
    stream.store = Arc::new(NoStore(How::Error));
    assert!(!stream.message("put", PUT).contains(&"ready".to_owned()));
}

#[test]
fn spec_15_37_what_goes_wrong_late_makes_the_whole_poll_a_failure() {
    let mut poll = Poll::polling();
    poll.failed(Cause::Status(401));
    for at in [300.0, 900.0] {
        poll.store = Arc::new(Forgetful(|| panic!("asked")));
        poll.at(at).timer();
        let lines = poll.body(BODY, None);
        assert_eq!(those(&lines, "success"), [""; 0], "although the data was stored");
        assert_eq!(those(&lines, "normal failure").len(), 1);
    }
    assert_eq!(poll.machine.policy().regime(), Regime::Extended, "and two of them do not reset");
    poll.store = Arc::new(MemoryStore::new());
    poll.at(2_100.0).timer();
    let lines = poll.body(BODY, None);
    assert_eq!(lines[lines.len() - 2], "success", "it comes last, before the wait");
}

#[test]
fn spec_15_38_not_modified_is_a_success() {
    let mut poll = Poll::polling();
    poll.body(BODY, Some("v1"));
    poll.at(30.0).timer();
    poll.failed(Cause::Status(401));
    for at in [330.0, 360.0] {
        poll.at(at).timer();
        assert_eq!(those(&poll.response(PollResponse::NotModified), "success"), ["success"]);
    }
    assert_eq!(poll.machine.policy().regime(), Regime::Normal);
}

#[test]
fn spec_15_39_the_delay_is_read_once_after_the_callback_and_counted_from_its_return() {
    /// One second longer at each read.
    struct Growing(Cell<u64>);

    impl DelaySource for Growing {
        fn next_delay(&self) -> Duration {
            self.0.set(self.0.get() + 1);
            seconds(self.0.get())
        }
    }

    let mut task = RepeatingTask::new(Growing(Cell::new(10)));
    task.handle(TaskInput::Start, Instant::ZERO);
    assert_eq!(task.delays().0.get(), 10, "not before the callback");
    task.next_output();
    task.handle(TaskInput::Returned(Ok(())), Instant::from_secs(100));
    assert_eq!(task.next_output(), Some(TaskOutput::Wait { until: Instant::from_secs(111) }));
    assert_eq!(task.delays().0.get(), 11, "once");
}

#[test]
fn spec_15_40_a_stop_cuts_any_wait_wherever_it_falls() {
    let mut stream = Stream::connected();
    for at in [0.0, 300.0, 900.0, 2_100.0, 4_500.0] {
        stream.at(at).timer();
        stream.ended(Cause::Status(401));
    }
    let hour = StreamNeed::Wait(Instant::from_secs(4_500 + 3_600));
    // However often a driver wakes up and asks, it is the same wait.
    assert_eq!((stream.machine.need(), stream.machine.need()), (hour, hour));
    // A stop between that look and the wait is seen by the look that a driver takes before it sleeps.
    stream.stop();
    assert_eq!(stream.machine.need(), StreamNeed::Stopped);
    // And a timer that fires all the same begins nothing.
    assert_eq!(stream.at(8_100.0).timer(), [""; 0]);
}

#[test]
fn spec_15_41_start_and_stop_in_every_order() {
    use TaskInput::{Returned, Start, Stop, Timer};
    let calls = |inputs: &[TaskInput]| {
        let mut task = RepeatingTask::every(seconds(1));
        inputs.iter().for_each(|input| task.handle(input.clone(), Instant::ZERO));
        std::iter::from_fn(|| task.next_output()).filter(|output| *output == TaskOutput::Call).count()
    };
    assert_eq!(calls(&[Stop, Start, Timer]), 0, "stop before start");
    assert_eq!(calls(&[Start, Stop, Stop, Returned(Ok(())), Timer]), 1, "stop twice");
    assert_eq!(calls(&[Start, Start, Returned(Ok(())), Start, Timer]), 2, "start twice");
    assert_eq!(calls(&[Start, Returned(Ok(())), Stop, Start, Timer]), 1, "start after stop");
    assert_eq!(calls(&[Start, Stop, Returned(Err("no".to_owned())), Timer]), 1, "stop in the callback");
    let mut stream = Stream::new();
    assert_eq!((stream.stop().last().unwrap().as_str(), stream.start(), stream.stop()), ("stopped", vec![], vec![]));
    let mut poll = Poll::new();
    assert_eq!((poll.stop().last().unwrap().as_str(), poll.start(), poll.stop()), ("stopped", vec![], vec![]));
}

#[test]
fn spec_15_42_an_attempt_begins_after_the_wait() {
    let mut stream = Stream::new();
    stream.start();
    assert_eq!(those(&stream.at(2.0).ended(Cause::Status(401)), "init"), ["init of 0ns failed after 2s"]);
    stream.at(302.0).timer();
    assert_eq!(those(&stream.at(303.5).message("put", PUT), "init"), ["init of 302s succeeded after 1.5s"]);
}
