//! Chance is foreign code too: it may call the source that draws, and fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use retrylab_core::{Fault, Instant, Retry, Successes};
use retrylab_source::{
    Body, Cause, Connection, Decode, FlagData, MemoryStore, Message, PollInput, PollNeed, PollResponse, PollShell,
    PollingConfig, Store, StreamInput, StreamNeed, StreamPolicy, StreamShell, StreamingConfig, Surroundings, Wiring,
    guarded,
};

use crate::poll_player::BODY;
use crate::stream_player::PUT;
use crate::unruly::{Forgetful, How, NoDecoder, NoStore};

/// It is always second 0, and a draw does this.
struct Draws<F>(F);

impl<F: Fn() -> u64> Surroundings for Draws<F> {
    fn now(&self) -> Instant {
        Instant::ZERO
    }

    fn draw(&self) -> u64 {
        (self.0)()
    }
}

fn wiring() -> Wiring {
    Wiring::new(Arc::new(MemoryStore::new()), Arc::new(()), Instant::ZERO)
}

fn streaming(wiring: Wiring) -> StreamShell<StreamPolicy> {
    let shell = StreamShell::new(StreamingConfig::new(Connection::to("http://example.org")).source(), wiring);
    shell.handle(StreamInput::Start, &Draws(|| unreachable!()));
    shell
}

type Polling = PollShell<Retry<Successes>>;

fn polling(wiring: Wiring) -> Polling {
    let shell = PollShell::new(PollingConfig::new(Connection::to("http://example.org")).source(), wiring);
    shell.handle(PollInput::Start, &Draws(|| unreachable!()));
    shell
}

fn reset(connection: u64) -> StreamInput {
    StreamInput::Ended { connection, cause: Cause::Fault(Fault::Reset), retry_after: None, detail: None }
}

fn failed() -> PollResponse {
    PollResponse::Failed { cause: Cause::Fault(Fault::Reset), retry_after: None, detail: None }
}

fn body() -> PollResponse {
    PollResponse::Body { body: Body { bytes: BODY.as_bytes().into(), etag: None }, environment: None }
}

#[test]
fn a_draw_may_stop_its_source() {
    let stream = streaming(wiring());
    let stops = || {
        stream.stop(&Draws(|| unreachable!()));
        0
    };
    // Were the machine locked, this would never return.
    assert_eq!(stream.handle(reset(1), &Draws(stops)), StreamNeed::Stopped);
    assert_eq!(stream.wiring().sink.status().error, None, "the failure came too late");
    let poll = polling(wiring());
    let stops = || {
        poll.stop(&Draws(|| unreachable!()));
        0
    };
    assert_eq!(poll.handle(PollInput::Responded { poll: 1, response: failed() }, &Draws(stops)), PollNeed::Stopped);
    assert_eq!(poll.wiring().sink.status().error, None, "the failure came too late");
}

#[test]
fn a_draw_that_panics_leaves_the_source_as_it_was_before_the_failure() {
    let stream = streaming(Wiring { store: Arc::new(NoStore(How::Error)), ..wiring() });
    let told = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&told);
    stream.wiring().sink.listen(move |_| {
        count.fetch_add(1, Relaxed);
    });
    let message = Message { event: "put".to_owned(), data: PUT.to_owned() };
    let message = StreamInput::Message { connection: 1, message };
    assert_eq!(guarded(|| stream.handle(message, &Draws(|| panic!("no draw")))), Err("panicked: no draw".to_owned()));
    assert_eq!(stream.need(), StreamNeed::Connection(1));
    // 1 s, of which the draw in the middle takes half of a half.
    let wait = StreamNeed::Wait(Instant::ZERO + Duration::from_millis(750));
    assert_eq!(stream.handle(reset(1), &Draws(|| 1 << 63)), wait);
    assert_eq!(told.load(Relaxed), 1, "the reset alone");
}

#[test]
fn each_failure_of_a_stream_has_one_draw_and_nothing_else_has_any() {
    let put = Message { event: "put".to_owned(), data: PUT.to_owned() };
    let message = StreamInput::Message { connection: 1, message: put };
    let with = |store: Arc<dyn Store>, decoder: Arc<dyn Decode>| streaming(Wiring { store, decoder, ..wiring() });
    let memory = || Arc::new(MemoryStore::new());
    let flags = || Arc::new(FlagData);
    let cases: [(_, StreamInput, u32); 6] = [
        (with(memory(), flags()), reset(1), 1),
        (with(memory(), flags()), reset(2), 0),
        (with(memory(), flags()), StreamInput::Connected { connection: 1, environment: None }, 0),
        (with(memory(), flags()), message.clone(), 0),
        (with(Arc::new(NoStore(How::Error)), flags()), message.clone(), 1),
        (with(memory(), Arc::new(NoDecoder(Some(How::Error)))), message, 1),
    ];
    for (number, (shell, input, draws)) in cases.into_iter().enumerate() {
        assert_eq!(
            drawn(|surroundings| {
                shell.handle(input, surroundings);
            }),
            draws,
            "case {number}"
        );
        assert_eq!(matches!(shell.need(), StreamNeed::Wait(_)), draws == 1, "case {number}");
    }
}

#[test]
fn each_failure_of_a_poll_has_one_draw_and_nothing_else_has_any() {
    let with = |store: Arc<dyn Store>, decoder: Arc<dyn Decode>| polling(Wiring { store, decoder, ..wiring() });
    let memory = || Arc::new(MemoryStore::new());
    let flags = || Arc::new(FlagData);
    let cases: [(Polling, u64, PollResponse, u32); 8] = [
        (with(memory(), flags()), 1, failed(), 1),
        (with(memory(), flags()), 2, failed(), 0),
        (with(memory(), flags()), 1, PollResponse::NotModified, 1),
        (with(memory(), flags()), 2, PollResponse::NotModified, 0),
        (with(memory(), flags()), 1, body(), 0),
        (with(Arc::new(NoStore(How::Error)), flags()), 1, body(), 1),
        (with(memory(), Arc::new(NoDecoder(Some(How::Error)))), 1, body(), 1),
        (with(Arc::new(Forgetful(|| panic!("forgot"))), flags()), 1, body(), 1),
    ];
    for (number, (shell, poll, response, draws)) in cases.into_iter().enumerate() {
        let input = PollInput::Responded { poll, response };
        assert_eq!(
            drawn(|surroundings| {
                shell.handle(input, surroundings);
            }),
            draws,
            "case {number}"
        );
        let failed = shell.wiring().sink.status().error.is_some();
        assert_eq!(failed, draws == 1, "case {number}");
    }
}

#[test]
fn a_poll_that_finds_nothing_new_has_no_draw_once_there_is_data() {
    let shell = polling(wiring());
    let without = Draws(|| unreachable!());
    shell.handle(PollInput::Responded { poll: 1, response: body() }, &without);
    let unchanged = |poll| PollInput::Responded { poll, response: PollResponse::NotModified };
    assert_eq!(shell.handle(PollInput::Timer, &without), PollNeed::Response { poll: 2, etag: None });
    // 30 s after the success, the same as without a failure.
    assert_eq!(shell.handle(unchanged(2), &without), PollNeed::Wait(Instant::from_secs(30)));
    assert_eq!(shell.wiring().sink.status().error, None);
}

/// The number of draws that this takes.
fn drawn(act: impl FnOnce(&Draws<&dyn Fn() -> u64>)) -> u32 {
    let count = AtomicU32::new(0);
    let draw = || {
        count.fetch_add(1, Relaxed);
        0
    };
    act(&Draws(&draw));
    count.into_inner()
}
