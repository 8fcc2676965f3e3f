//! A streaming machine with a decoder, a store and a clock that the test sets.

use std::sync::Arc;
use std::time::Duration;

use retrylab_core::{Instant, Retry, RetryRules};
use retrylab_source::{
    Cause, Connection, Decode, FlagData, MemoryStore, Message, SourceOptions, SourcePolicy, Store, StreamInput,
    StreamOutput, StreamPolicy, StreamingConfig, StreamingSource, apply_message,
};

use crate::lines::Lines;

pub(crate) const PUT: &str = r#"{"data": {"flags": {"flag": {"version": 1}}, "segments": {}}}"#;
pub(crate) const PATCH: &str = r#"{"path": "/flags/flag", "data": {"version": 2}}"#;

/// Passes each input to the machine and returns the outputs, as lines.
pub(crate) struct Stream<P: SourcePolicy = StreamPolicy> {
    pub(crate) machine: StreamingSource<P>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) decoder: Arc<dyn Decode>,
    pub(crate) lines: Lines,
    pub(crate) draws: u32,
    pub(crate) now: Instant,
    /// The number of the connection for inputs.
    pub(crate) connection: u64,
}

impl Stream {
    /// With an initial reconnect delay of 1 s, not started.
    pub(crate) fn new() -> Self {
        Self::with(SourceOptions::default())
    }

    pub(crate) fn with(options: SourceOptions) -> Self {
        let connection = Connection::to("http://example.org");
        Self::of(StreamingConfig { options, ..StreamingConfig::new(connection) }.source())
    }

    /// Started, and its first connection made.
    pub(crate) fn connected() -> Self {
        Self::connected_with(SourceOptions::default())
    }

    pub(crate) fn connected_with(options: SourceOptions) -> Self {
        let mut stream = Self::with(options);
        stream.start();
        stream.connect(None);
        stream
    }

    /// Connected, and a put was handled: VALID, ready.
    pub(crate) fn valid() -> Self {
        let mut stream = Self::connected();
        stream.message("put", PUT);
        stream
    }
}

impl<P: SourcePolicy> Stream<P> {
    pub(crate) fn of(machine: StreamingSource<P>) -> Self {
        Self {
            machine,
            store: Arc::new(MemoryStore::new()),
            decoder: Arc::new(FlagData),
            lines: Lines::new(),
            draws: 0,
            now: Instant::ZERO,
            connection: 0,
        }
    }

    /// Every draw is 0, which subtracts nothing: waits are full rungs.
    pub(crate) fn feed(&mut self, input: StreamInput) -> Vec<String> {
        self.feed_with(input, 0)
    }

    pub(crate) fn feed_with(&mut self, input: StreamInput, draw: u64) -> Vec<String> {
        let mut lines = Vec::new();
        let draws = &mut self.draws;
        self.machine.handle(input, self.now, || {
            *draws += 1;
            draw
        });
        while let Some(output) = self.machine.next_output() {
            lines.push(self.lines.stream(&output, self.now));
            match output {
                StreamOutput::Attempt { number, .. } => self.connection = number,
                StreamOutput::Apply { number: connection, data } => {
                    let result = apply_message(&*self.decoder, &*self.store, &data);
                    self.machine.handle(StreamInput::Applied { connection, result }, self.now, || {
                        *draws += 1;
                        draw
                    });
                }
                _ => {}
            }
        }
        lines
    }

    pub(crate) fn at(&mut self, seconds: f64) -> &mut Self {
        self.now = Instant::ZERO + Duration::from_secs_f64(seconds);
        self
    }

    pub(crate) fn start(&mut self) -> Vec<String> {
        self.feed(StreamInput::Start)
    }

    pub(crate) fn stop(&mut self) -> Vec<String> {
        self.feed(StreamInput::Stop)
    }

    pub(crate) fn timer(&mut self) -> Vec<String> {
        self.feed(StreamInput::Timer)
    }

    pub(crate) fn connect(&mut self, environment: Option<&str>) -> Vec<String> {
        let environment = environment.map(str::to_owned);
        self.feed(StreamInput::Connected { connection: self.connection, environment })
    }

    pub(crate) fn message(&mut self, event: &str, data: &str) -> Vec<String> {
        let message = Message { event: event.to_owned(), data: data.to_owned() };
        self.feed(StreamInput::Message { connection: self.connection, message })
    }

    pub(crate) fn ended(&mut self, cause: Cause) -> Vec<String> {
        self.feed(self.end(cause))
    }

    /// The input for this end of a connection.
    pub(crate) fn end(&self, cause: Cause) -> StreamInput {
        StreamInput::Ended { connection: self.connection, cause, retry_after: None, detail: None }
    }
}

/// A policy whose state a test may read.
pub(crate) fn own(initial: f64) -> Stream<Retry<retrylab_core::HealthyFor>> {
    let (rules, warning) = RetryRules::streaming_from_secs_f64(initial);
    let endpoint = retrylab_source::Endpoint::new("http://example.org", "/all");
    Stream::of(StreamingSource::new(endpoint, Retry::new(rules), warning, SourceOptions::default()))
}
