//! Any bytes as an event stream: the same is heard however it is cut, with bounded memory, and no message stops a source.
//!
//! The first byte chooses the limit and whether the server's wait is honoured, the second where the stream is cut.
#![no_main]

use std::num::NonZeroUsize;

use libfuzzer_sys::{Corpus, fuzz_target};
use retrylab_core::{Fault, Instant, Retry, RetryRules};
use retrylab_source::{
    Cause, Endpoint, EventReader, EventTooLarge, FlagData, MemoryStore, ServerRetry, SourceOptions, StreamEvent,
    StreamInput, StreamNeed, StreamOutput, StreamingSource, apply_body, apply_message,
};

fuzz_target!(|input: &[u8]| -> Corpus {
    let [choice, cuts, stream @ ..] = input else { return Corpus::Reject };
    let limit = NonZeroUsize::MIN.saturating_add((1 << (choice % 16)) - 1);
    let whole = hear(limit, [stream]);
    assert_eq!(hear(limit, pieces(stream, *cuts)), whole, "cut by {cuts}");
    assert_eq!(hear(limit, stream.chunks(1)), whole, "cut into bytes");
    memory_is_bounded(limit, stream);
    let server_retry = if choice & 16 == 0 { ServerRetry::Ignored } else { ServerRetry::Honoured };
    goes_on(whole.0, SourceOptions { server_retry, ..SourceOptions::default() });
    // No panic is all that is asked of a body.
    let _ = apply_body(&FlagData, &MemoryStore::new(), stream);
    Corpus::Keep
});

/// What is heard, and how it ends.
fn hear<'a>(
    limit: NonZeroUsize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<StreamEvent>, Result<(), EventTooLarge>) {
    let mut reader = EventReader::with_limit(limit);
    let mut heard = Vec::new();
    let ended = pieces.into_iter().try_for_each(|piece| reader.read(piece, |event| heard.push(event)));
    for event in &heard {
        if let StreamEvent::Message(message) = event {
            assert!(!message.event.is_empty(), "a message has a name");
            // What is no UTF-8 becomes a sign of three bytes.
            assert!(message.data.len() <= 3 * limit.get(), "{} bytes of {limit}", message.data.len());
            assert!(message.event.len() <= 3 * limit.get().max(7), "{} bytes of {limit}", message.event.len());
        }
    }
    (heard, ended)
}

/// Pieces of 0 to 15 bytes, whose lengths follow from `seed`.
fn pieces(mut rest: &[u8], seed: u8) -> impl Iterator<Item = &[u8]> {
    let mut state = u32::from(seed);
    std::iter::from_fn(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let length = (state >> 28) as usize;
        let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let over = rest.is_empty();
        rest = after;
        (!over).then_some(piece)
    })
}

/// Name, data and identity are limited one by one. Each is held in a buffer that doubles, is copied while it grows, and
/// becomes text, of three bytes for each that is no UTF-8.
fn memory_is_bounded(limit: NonZeroUsize, stream: &[u8]) {
    const TIMES: u64 = 32;
    const SMALL: u64 = 1024;
    let used = allocation_counter::measure(|| {
        let mut reader = EventReader::with_limit(limit);
        let _ = stream.chunks(64).try_for_each(|piece| reader.read(piece, drop));
    });
    let most = TIMES * limit.get() as u64 + SMALL;
    assert!(used.bytes_max <= most, "{} bytes for a limit of {limit}", used.bytes_max);
}

/// Has a source hear it, on an endless row of connections.
fn goes_on(heard: Vec<StreamEvent>, options: SourceOptions) {
    let (rules, warning) = RetryRules::streaming_from_secs_f64(1.0);
    let endpoint = Endpoint::new("http://example.org", "/all");
    let mut play = Play {
        source: StreamingSource::new(endpoint, Retry::new(rules.into()), warning, options),
        store: MemoryStore::new(),
        now: Instant::ZERO,
    };
    play.tell(StreamInput::Start);
    for event in heard {
        let connection = play.connection();
        play.tell(match event {
            StreamEvent::Message(message) => StreamInput::Message { connection, message },
            StreamEvent::Retry(retry) => StreamInput::Hint { connection, retry },
        });
    }
    let connection = play.connection();
    let cause = Cause::Fault(Fault::Close);
    play.tell(StreamInput::Ended { connection, cause, retry_after: None, detail: None });
    play.connection();
}

struct Play {
    source: StreamingSource<Retry>,
    store: MemoryStore,
    now: Instant,
}

impl Play {
    /// The connection there is, after the wait for it if there is none.
    fn connection(&mut self) -> u64 {
        if let StreamNeed::Wait(until) = self.source.need() {
            assert!(until > self.now, "a source waits before it connects again");
            self.now = until;
            self.tell(StreamInput::Timer);
        }
        match self.source.need() {
            StreamNeed::Connection(connection) => connection,
            need => panic!("the source needs {need:?} instead of a connection"),
        }
    }

    fn tell(&mut self, input: StreamInput) {
        self.source.handle(input, self.now, || 0);
        while let Some(output) = self.source.next_output() {
            match output {
                StreamOutput::Apply { number: connection, data } => {
                    let result = apply_message(&FlagData, &self.store, &data);
                    self.source.handle(StreamInput::Applied { connection, result }, self.now, || 0);
                }
                StreamOutput::Stopped => panic!("the source stopped"),
                StreamOutput::Log(record) => {
                    let line = record.to_string();
                    assert!(!line.contains(char::is_control), "{line:?}");
                }
                _ => {}
            }
        }
    }
}
