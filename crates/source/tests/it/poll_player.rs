//! A polling machine with a decoder, a store and a clock that the test sets.

use std::sync::Arc;
use std::time::Duration;

use retrylab_core::{Instant, Retry, Successes};
use retrylab_source::{
    Body, Cause, Connection, Decode, FlagData, MemoryStore, PollInput, PollOutput, PollResponse, PollingConfig,
    PollingSource, SourceOptions, Store, apply_body, is_initialized,
};

use crate::lines::Lines;

pub(crate) const BODY: &str = r#"{"flags": {"flag": {"version": 1}}, "segments": {}}"#;

/// Passes each input to the machine and returns the outputs, as lines.
pub(crate) struct Poll {
    pub(crate) machine: PollingSource<Retry<Successes>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) decoder: Arc<dyn Decode>,
    pub(crate) lines: Lines,
    pub(crate) draws: u32,
    pub(crate) now: Instant,
    /// The number of the poll for inputs.
    pub(crate) poll: u64,
}

impl Poll {
    /// Every 30 s, not started.
    pub(crate) fn new() -> Self {
        Self::with(30.0, SourceOptions::default())
    }

    pub(crate) fn with(poll_interval: f64, options: SourceOptions) -> Self {
        let connection = Connection::to("http://example.org");
        Self::of(PollingConfig { poll_interval, options, ..PollingConfig::new(connection) }.source())
    }

    pub(crate) fn of(machine: PollingSource<Retry<Successes>>) -> Self {
        Self {
            machine,
            store: Arc::new(MemoryStore::new()),
            decoder: Arc::new(FlagData),
            lines: Lines::new(),
            draws: 0,
            now: Instant::ZERO,
            poll: 0,
        }
    }

    /// Started: its first poll is under way.
    pub(crate) fn polling() -> Self {
        let mut poll = Self::new();
        poll.start();
        poll
    }

    /// Its first poll, at 0 s, was good; the next one, at 30 s, is under way.
    pub(crate) fn valid() -> Self {
        let mut poll = Self::polling();
        poll.body(BODY, None);
        poll.at(30.0).timer();
        poll
    }

    /// Every draw is 0, which subtracts nothing: waits are full rungs.
    pub(crate) fn feed(&mut self, input: PollInput) -> Vec<String> {
        self.feed_with(input, 0)
    }

    pub(crate) fn feed_with(&mut self, input: PollInput, draw: u64) -> Vec<String> {
        let mut lines = Vec::new();
        let draws = &mut self.draws;
        let mut draw = || {
            *draws += 1;
            draw
        };
        self.machine.handle(input, self.now, &mut draw);
        while let Some(output) = self.machine.next_output() {
            lines.push(self.lines.poll(&output, self.now));
            match output {
                PollOutput::Attempt { number, .. } => self.poll = number,
                PollOutput::Apply { number: poll, data } => {
                    let result = apply_body(&*self.decoder, &*self.store, &data.bytes);
                    self.machine.handle(PollInput::Applied { poll, result }, self.now, &mut draw);
                }
                PollOutput::CheckStore { poll } => {
                    let result = is_initialized(&*self.store);
                    self.machine.handle(PollInput::StoreChecked { poll, result }, self.now, &mut draw);
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
        self.feed(PollInput::Start)
    }

    pub(crate) fn stop(&mut self) -> Vec<String> {
        self.feed(PollInput::Stop)
    }

    pub(crate) fn timer(&mut self) -> Vec<String> {
        self.feed(PollInput::Timer)
    }

    pub(crate) fn response(&mut self, response: PollResponse) -> Vec<String> {
        self.feed(PollInput::Responded { poll: self.poll, response })
    }

    pub(crate) fn body(&mut self, body: &str, etag: Option<&str>) -> Vec<String> {
        self.body_from(body, etag, None)
    }

    pub(crate) fn body_from(&mut self, body: &str, etag: Option<&str>, environment: Option<&str>) -> Vec<String> {
        let body = Body { bytes: body.as_bytes().into(), etag: etag.map(str::to_owned) };
        self.response(PollResponse::Body { body, environment: environment.map(str::to_owned) })
    }

    pub(crate) fn failed(&mut self, cause: Cause) -> Vec<String> {
        self.response(PollResponse::Failed { cause, retry_after: None, detail: None })
    }
}
