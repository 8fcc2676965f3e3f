//! A source that keeps a stream open, as a machine without a socket.

use core::time::Duration;
use std::collections::VecDeque;

use retrylab_core::{ConfigWarning, Failure, Fault, Instant};

use crate::apply::{Applied, Rejected};
use crate::cause::Cause;
use crate::data::Message;
use crate::endpoint::{Endpoint, EndpointError};
use crate::log::{LogMessage, LogRecord, Request};
use crate::options::{ServerRetry, SourceOptions, ValidAfter};
use crate::outcome::{Recorded, StatusUpdate, StreamInit};
use crate::policy::SourcePolicy;
use crate::shell::StreamNeed;
use crate::status::{ErrorKind, SourceError, State};

/// The machine of a streaming source: it is told what happened and when, and says what to do.
///
/// After each [`handle`](Self::handle), everything that [`next_output`](Self::next_output) gives is to be done in that
/// order; the order is part of the contract: record, log, status, wait; valid before ready; nothing after off. A
/// connection has a number. What is still heard of one that the machine dropped is ignored, so that no end is counted
/// twice and no real one is swallowed.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Instant, Retry, RetryRules};
/// use retrylab_source::{Cause, Endpoint, SourceOptions, StreamInput, StreamOutput, StreamingSource};
///
/// let (rules, warning) = RetryRules::streaming(1.0);
/// let endpoint = Endpoint::new("http://example.org", "/all");
/// let mut source = StreamingSource::new(endpoint, Retry::new(rules), warning, SourceOptions::default());
/// source.handle(StreamInput::Start, Instant::ZERO, || 0);
/// let outputs: Vec<_> = std::iter::from_fn(|| source.next_output()).collect();
/// assert!(matches!(outputs[..], [StreamOutput::Log(_), StreamOutput::Connect { connection: 1 }]));
///
/// let refused = StreamInput::Ended { connection: 1, cause: Cause::Status(401), retry_after: None, detail: None };
/// source.handle(refused, Instant::ZERO, || 0);
/// let last = std::iter::from_fn(|| source.next_output()).last();
/// assert_eq!(last, Some(StreamOutput::Wait { until: Instant::from_secs(300) }));
/// ```
#[derive(Clone, Debug)]
pub struct StreamingSource<P: SourcePolicy> {
    endpoint: Result<Endpoint, EndpointError>,
    policy: P,
    warning: Option<ConfigWarning>,
    options: SourceOptions,
    phase: Phase,
    /// The number of the last connection.
    connection: u64,
    /// What the server of the present connection asked for.
    hint: Option<Duration>,
    /// When the attempt began that has brought no data yet.
    began: Option<Instant>,
    initialized: bool,
    outputs: VecDeque<StreamOutput<P::GiveUp>>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamInput {
    /// The user starts the source.
    Start,
    /// There is a stream, and nothing came over it yet.
    Connected {
        /// Which connection.
        connection: u64,
        /// The environment that the server says this is.
        environment: Option<String>,
    },
    /// A message came; what does not bring one, such as a comment, is not told.
    Message {
        /// Over which connection.
        connection: u64,
        /// The message.
        message: Message,
    },
    /// What became of a message.
    Applied {
        /// Over which connection it came.
        connection: u64,
        /// Whether it was handled.
        result: Result<Applied, Rejected>,
    },
    /// The server says how long to wait after this stream.
    Hint {
        /// Over which connection.
        connection: u64,
        /// The wait.
        retry: Duration,
    },
    /// There is no stream, or it is over.
    Ended {
        /// Which connection.
        connection: u64,
        /// What it failed of.
        cause: Cause,
        /// The wait that an error response asked for.
        retry_after: Option<Duration>,
        /// What only the one who met it knows.
        detail: Option<String>,
    },
    /// The wait is over.
    Timer,
    /// The user stops the source.
    Stop,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamOutput<G> {
    /// Begin this connection.
    Connect {
        /// Its number.
        connection: u64,
    },
    /// The retry state was told this.
    Recorded(Recorded<G>),
    /// Store what the message asks for, and answer with [`StreamInput::Applied`].
    Apply {
        /// Over which connection it came.
        connection: u64,
        /// The message.
        message: Message,
    },
    /// End this connection.
    Drop {
        /// Its number.
        connection: u64,
    },
    /// Report this.
    Status(StatusUpdate),
    /// Log this.
    Log(LogRecord),
    /// The server says that this is its environment.
    Environment(String),
    /// An attempt to begin a stream is over.
    Init(StreamInit),
    /// There is data for the first time.
    Ready,
    /// Nothing is to be done until then; answer with [`StreamInput::Timer`].
    Wait {
        /// On the clock of the inputs.
        until: Instant,
    },
    /// Nothing will follow.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not started.
    Idle,
    /// A connection is being made or is there.
    Connected,
    Waiting {
        until: Instant,
    },
    Stopped,
}

impl<P: SourcePolicy> StreamingSource<P> {
    /// A source that was not started. `warning` is what the policy's constructor had to say.
    #[must_use]
    pub const fn new(
        endpoint: Result<Endpoint, EndpointError>,
        policy: P,
        warning: Option<ConfigWarning>,
        options: SourceOptions,
    ) -> Self {
        Self {
            endpoint,
            policy,
            warning,
            options,
            phase: Phase::Idle,
            connection: 0,
            hint: None,
            began: None,
            initialized: false,
            outputs: VecDeque::new(),
        }
    }

    /// Takes what happened at `now`. `draw` is asked once for each failure, and for nothing else.
    pub fn handle(&mut self, input: StreamInput, now: Instant, draw: impl FnOnce() -> u64) {
        match input {
            StreamInput::Start if self.phase == Phase::Idle => self.start(now),
            StreamInput::Start if self.phase != Phase::Stopped => self.log(LogMessage::AlreadyStarted, None),
            StreamInput::Timer if matches!(self.phase, Phase::Waiting { .. }) => self.connect(now),
            StreamInput::Stop => self.stop(),
            StreamInput::Connected { connection, environment } if self.is_current(connection) => {
                self.policy.record_connected(now);
                let environment = environment.filter(|environment| !environment.is_empty());
                self.outputs.extend(environment.map(StreamOutput::Environment));
            }
            StreamInput::Message { connection, message } if self.is_current(connection) => {
                self.outputs.push_back(StreamOutput::Apply { connection, message });
            }
            StreamInput::Applied { connection, result } if self.is_current(connection) => match result {
                Ok(applied) => self.applied(applied, now),
                Err(rejected) => self.rejected(rejected, now, draw),
            },
            StreamInput::Hint { connection, retry } if self.is_current(connection) => {
                self.hint = Some(retry).filter(|_| self.options.server_retry == ServerRetry::Honoured);
            }
            StreamInput::Ended { connection, cause, retry_after, detail } if self.is_current(connection) => {
                self.fail(cause, error(cause), retry_after, detail, now, draw);
            }
            StreamInput::Start
            | StreamInput::Connected { .. }
            | StreamInput::Message { .. }
            | StreamInput::Applied { .. }
            | StreamInput::Hint { .. }
            | StreamInput::Ended { .. }
            | StreamInput::Timer => {}
        }
    }

    /// What is to be done next.
    pub fn next_output(&mut self) -> Option<StreamOutput<P::GiveUp>> {
        self.outputs.pop_front()
    }

    /// Where to connect to.
    ///
    /// # Errors
    ///
    /// If the address cannot be used; such a source goes off at its start.
    pub const fn endpoint(&self) -> Result<&Endpoint, &EndpointError> {
        self.endpoint.as_ref()
    }

    /// The policy as it stands.
    #[must_use]
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// What a driver has to do next, as the outputs so far have it.
    #[must_use]
    pub const fn need(&self) -> StreamNeed {
        match self.phase {
            Phase::Idle => StreamNeed::Start,
            Phase::Connected => StreamNeed::Connection(self.connection),
            Phase::Waiting { until } => StreamNeed::Wait(until),
            Phase::Stopped => StreamNeed::Stopped,
        }
    }

    /// Whether this would be a failure, for which there has to be a draw.
    pub(crate) fn fails_of(&self, input: &StreamInput) -> bool {
        match input {
            StreamInput::Ended { connection, .. } | StreamInput::Applied { connection, result: Err(_) } => {
                self.is_current(*connection)
            }
            StreamInput::Start
            | StreamInput::Connected { .. }
            | StreamInput::Message { .. }
            | StreamInput::Applied { .. }
            | StreamInput::Hint { .. }
            | StreamInput::Timer
            | StreamInput::Stop => false,
        }
    }

    fn start(&mut self, now: Instant) {
        if let Some(warning) = self.warning {
            self.log(LogMessage::Configuration(warning), None);
        }
        match &self.endpoint {
            Ok(endpoint) => {
                let address = endpoint.to_string();
                self.log(LogMessage::StartingStream, Some(address));
                self.connect(now);
            }
            Err(error) => {
                let error = error.to_string();
                self.log(LogMessage::UnusableAddress, Some(error));
                self.end();
            }
        }
    }

    fn connect(&mut self, now: Instant) {
        self.phase = Phase::Connected;
        self.connection += 1;
        self.began = Some(now);
        self.outputs.push_back(StreamOutput::Connect { connection: self.connection });
    }

    fn applied(&mut self, applied: Applied, now: Instant) {
        self.policy.record_success(now);
        self.outputs.push_back(StreamOutput::Recorded(Recorded::Success));
        let has_all = match applied {
            Applied::Put { flags, segments } => {
                self.log(LogMessage::Handled, Some(format!("flags: {flags}, segments: {segments}")));
                true
            }
            Applied::Upsert => {
                self.log(LogMessage::Handled, None);
                false
            }
            Applied::UnknownPath => {
                self.log(LogMessage::Handled, None);
                self.log(LogMessage::UnknownPath, None);
                false
            }
            Applied::UnknownEvent => {
                self.log(LogMessage::UnknownEvent, None);
                false
            }
        };
        if has_all || self.options.valid_after == ValidAfter::AnyMessage {
            self.valid(now);
        }
    }

    fn valid(&mut self, now: Instant) {
        self.diagnose(false, now);
        self.report(State::Valid, None);
        if !self.initialized {
            self.initialized = true;
            self.outputs.push_back(StreamOutput::Ready);
            self.log(LogMessage::Initialized, None);
        }
    }

    fn rejected(&mut self, rejected: Rejected, now: Instant, draw: impl FnOnce() -> u64) {
        let (fault, kind, detail) = match rejected {
            Rejected::NotJson(detail) => (Fault::Malformed, ErrorKind::InvalidData, detail),
            Rejected::WrongShape(detail) => (Fault::MissingKey, ErrorKind::Unknown, detail),
            Rejected::Store(detail) => {
                self.report(State::Interrupted, Some(SourceError::new(ErrorKind::StoreError)));
                (Fault::Store, ErrorKind::Unknown, detail)
            }
        };
        self.log(LogMessage::Unhandled, Some(detail.clone()));
        self.outputs.push_back(StreamOutput::Drop { connection: self.connection });
        self.fail(Cause::Fault(fault), SourceError::new(kind), None, Some(detail), now, draw);
    }

    fn fail(
        &mut self,
        cause: Cause,
        error: SourceError,
        retry_after: Option<Duration>,
        detail: Option<String>,
        now: Instant,
        draw: impl FnOnce() -> u64,
    ) {
        self.diagnose(true, now);
        let kind = cause.kind();
        let failure = Failure { kind, retry_after: self.hint.take().or(retry_after), fault: cause.fault() };
        let decision = self.policy.record_failure(failure, now, draw());
        self.outputs.push_back(StreamOutput::Recorded(Recorded::Failure { cause, kind, decision }));
        let delay = decision.ok().into();
        let message = match cause {
            Cause::Status(status) => LogMessage::Http { status, kind, request: Request::Stream, delay },
            Cause::Fault(Fault::Close) => LogMessage::ServerClosed { delay },
            Cause::Fault(Fault::Malformed) => LogMessage::Unparseable { delay },
            Cause::Fault(fault) => LogMessage::StreamError { fault, delay },
        };
        self.log(message, detail);
        self.report(State::Interrupted, Some(error));
        match decision {
            Ok(delay) => {
                let until = now + delay;
                self.phase = Phase::Waiting { until };
                self.outputs.push_back(StreamOutput::Wait { until });
            }
            Err(_) => {
                self.phase = Phase::Stopped;
                self.outputs.push_back(StreamOutput::Stopped);
            }
        }
    }

    fn stop(&mut self) {
        if self.phase == Phase::Stopped {
            return;
        }
        // What was to be done before is of no use any more, and must not follow.
        self.outputs.clear();
        self.log(LogMessage::Stopping, None);
        if self.phase == Phase::Connected {
            self.outputs.push_back(StreamOutput::Drop { connection: self.connection });
        }
        self.end();
    }

    fn end(&mut self) {
        self.phase = Phase::Stopped;
        self.report(State::Off, None);
        self.outputs.push_back(StreamOutput::Stopped);
    }

    fn diagnose(&mut self, failed: bool, now: Instant) {
        if let Some(began) = self.began.take() {
            self.outputs.push_back(StreamOutput::Init(StreamInit { began, took: now.since(began), failed }));
        }
    }

    fn report(&mut self, state: State, error: Option<SourceError>) {
        self.outputs.push_back(StreamOutput::Status(StatusUpdate { state, error }));
    }

    fn log(&mut self, message: LogMessage, detail: Option<String>) {
        let level = self.options.level(&message);
        self.outputs.push_back(StreamOutput::Log(LogRecord { level, message, detail }));
    }

    fn is_current(&self, connection: u64) -> bool {
        self.phase == Phase::Connected && self.connection == connection
    }
}

const fn error(cause: Cause) -> SourceError {
    match cause {
        Cause::Status(status) => SourceError::response(status),
        Cause::Fault(Fault::Close) => SourceError::new(ErrorKind::NetworkError),
        Cause::Fault(Fault::Malformed) => SourceError::new(ErrorKind::InvalidData),
        Cause::Fault(_) => SourceError::new(ErrorKind::Unknown),
    }
}
