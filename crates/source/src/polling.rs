//! A source that asks at an interval, as a machine without a socket.

use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

use retrylab_core::{ConfigWarning, Failure, Fault, Instant, nanos};

use crate::apply::Rejected;
use crate::cause::Cause;
use crate::endpoint::{Endpoint, EndpointError};
use crate::log::{LogMessage, LogRecord, Request};
use crate::options::{PollTiming, SourceOptions};
use crate::outcome::{Recorded, StatusUpdate};
use crate::policy::SourcePolicy;
use crate::shell::PollNeed;
use crate::status::{ErrorKind, SourceError, State};

/// The machine of a polling source: it is told what happened and when, and says what to do.
///
/// After each [`handle`](Self::handle), everything that [`next_output`](Self::next_output) gives is to be done in that
/// order. The wait begins when a poll has ended, so a slow failure does not shorten it. A success is recorded last: what
/// goes wrong before makes the whole poll a failure, even where its data was stored.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Instant, Retry, RetryRules};
/// use retrylab_source::{Answer, Cause, Endpoint, PollInput, PollOutput, PollingSource, SourceOptions};
///
/// let (rules, warning) = RetryRules::polling(30.0);
/// let endpoint = Endpoint::new("http://example.org", "/sdk/latest-all");
/// let mut source = PollingSource::new(endpoint, Retry::new(rules), 30.0, warning, SourceOptions::default());
/// source.handle(PollInput::Start, Instant::ZERO, || 0);
/// let outputs: Vec<_> = std::iter::from_fn(|| source.next_output()).collect();
/// assert!(matches!(outputs[..], [PollOutput::Log(_), PollOutput::Poll { poll: 1, etag: None }]));
///
/// let answer = Answer::Failed { cause: Cause::Status(401), retry_after: None, detail: None };
/// source.handle(PollInput::Answered { poll: 1, answer }, Instant::ZERO, || 0);
/// let last = std::iter::from_fn(|| source.next_output()).last();
/// assert_eq!(last, Some(PollOutput::Wait { until: Instant::from_secs(300) }));
/// ```
#[derive(Clone, Debug)]
pub struct PollingSource<P: SourcePolicy> {
    endpoint: Result<Endpoint, EndpointError>,
    policy: P,
    /// The interval as it was configured, in seconds: what the first line states.
    configured: f64,
    warning: Option<ConfigWarning>,
    options: SourceOptions,
    phase: Phase,
    /// The number of the last poll.
    poll: u64,
    began: Instant,
    /// What is being stored.
    storing: Option<Body>,
    /// What was stored last, for an answer that nothing is new.
    cached: Option<Body>,
    initialized: bool,
    outputs: VecDeque<PollOutput<P::GiveUp>>,
}

/// The body of an answer, and the tag under which the server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The bytes.
    pub bytes: Arc<[u8]>,
    /// The `ETag`.
    pub etag: Option<String>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum PollInput {
    /// The user starts the source.
    Start,
    /// A poll has its answer.
    Answered {
        /// Which poll.
        poll: u64,
        /// The answer.
        answer: Answer,
    },
    /// What became of the data.
    Applied {
        /// Of which poll.
        poll: u64,
        /// Whether it was stored.
        result: Result<(), Rejected>,
    },
    /// Whether the store says that it has data, or the text of what it panicked with.
    StoreChecked {
        /// After which poll.
        poll: u64,
        /// What it says.
        result: Result<bool, String>,
    },
    /// The wait is over.
    Timer,
    /// The user stops the source.
    Stop,
}

/// What a poll met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Data.
    Body {
        /// The data.
        body: Body,
        /// The environment that the server says this is.
        environment: Option<String>,
    },
    /// Nothing is new since the tag that the poll carried: status 304.
    NotModified,
    /// No data.
    Failed {
        /// What it failed of.
        cause: Cause,
        /// The wait that an error response asked for.
        retry_after: Option<Duration>,
        /// What only the one who met it knows.
        detail: Option<String>,
    },
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum PollOutput<G> {
    /// Ask the server.
    Poll {
        /// The number of the poll.
        poll: u64,
        /// The tag of the data that is here.
        etag: Option<String>,
    },
    /// The server says that this is its environment.
    Environment(String),
    /// Store this, and answer with [`PollInput::Applied`].
    Apply {
        /// Of which poll.
        poll: u64,
        /// The body.
        body: Body,
    },
    /// Ask the store whether it has data, and answer with [`PollInput::StoreChecked`].
    CheckStore {
        /// After which poll.
        poll: u64,
    },
    /// The retry state was told this.
    Recorded(Recorded<G>),
    /// Report this.
    Status(StatusUpdate),
    /// Log this.
    Log(LogRecord),
    /// There is data for the first time.
    Ready,
    /// Give up the poll under way; what still comes of it is ignored.
    Drop {
        /// Which poll.
        poll: u64,
    },
    /// Nothing is to be done until then; answer with [`PollInput::Timer`].
    Wait {
        /// On the clock of the inputs.
        until: Instant,
    },
    /// Nothing will follow.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Polling(Step),
    Waiting { until: Instant },
    Stopped,
}

/// How far a poll has come. What belongs to another step is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Asking,
    Storing,
    Checking,
}

impl<P: SourcePolicy> PollingSource<P> {
    /// A source that was not started. `configured` is the interval in seconds as it was configured, which the first line
    /// states; `warning` is what the policy's constructor had to say of it.
    #[must_use]
    pub const fn new(
        endpoint: Result<Endpoint, EndpointError>,
        policy: P,
        configured: f64,
        warning: Option<ConfigWarning>,
        options: SourceOptions,
    ) -> Self {
        Self {
            endpoint,
            policy,
            configured,
            warning,
            options,
            phase: Phase::Idle,
            poll: 0,
            began: Instant::ZERO,
            storing: None,
            cached: None,
            initialized: false,
            outputs: VecDeque::new(),
        }
    }

    /// Takes what happened at `now`. `draw` is asked once for each failure, and for nothing else.
    pub fn handle(&mut self, input: PollInput, now: Instant, draw: impl FnOnce() -> u64) {
        match input {
            PollInput::Start if self.phase == Phase::Idle => self.start(now),
            PollInput::Start if self.phase != Phase::Stopped => self.log(LogMessage::AlreadyStarted, None),
            PollInput::Timer if matches!(self.phase, Phase::Waiting { .. }) => self.begin_poll(now),
            PollInput::Stop => self.stop(),
            PollInput::Answered { poll, answer } if self.is_at(poll, Step::Asking) => self.answered(answer, now, draw),
            PollInput::Applied { poll, result } if self.is_at(poll, Step::Storing) => {
                let stored = self.storing.take();
                match result {
                    Ok(()) => {
                        self.phase = Phase::Polling(Step::Checking);
                        self.cached = stored;
                        self.report(State::Valid, None);
                        self.outputs.push_back(PollOutput::CheckStore { poll });
                    }
                    Err(rejected) => self.rejected(rejected, now, draw),
                }
            }
            PollInput::StoreChecked { poll, result } if self.is_at(poll, Step::Checking) => match result {
                Ok(has_data) => self.succeed(has_data, now),
                Err(detail) => self.fail(Cause::Fault(Fault::Store), None, Some(detail), now, draw),
            },
            PollInput::Start
            | PollInput::Answered { .. }
            | PollInput::Applied { .. }
            | PollInput::StoreChecked { .. }
            | PollInput::Timer => {}
        }
    }

    /// What is to be done next.
    pub fn next_output(&mut self) -> Option<PollOutput<P::GiveUp>> {
        self.outputs.pop_front()
    }

    /// What to ask.
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
    pub fn need(&self) -> PollNeed {
        match self.phase {
            Phase::Idle => PollNeed::Start,
            Phase::Polling(_) => PollNeed::Answer { poll: self.poll, etag: self.etag() },
            Phase::Waiting { until } => PollNeed::Wait(until),
            Phase::Stopped => PollNeed::Stopped,
        }
    }

    /// Whether this would be a failure, for which there has to be a draw.
    pub(crate) fn fails_of(&self, input: &PollInput) -> bool {
        match input {
            PollInput::Answered { poll, answer: Answer::Failed { .. } } => self.is_at(*poll, Step::Asking),
            PollInput::Answered { poll, answer: Answer::NotModified } => {
                self.is_at(*poll, Step::Asking) && self.cached.is_none()
            }
            PollInput::Applied { poll, result: Err(_) } => self.is_at(*poll, Step::Storing),
            PollInput::StoreChecked { poll, result: Err(_) } => self.is_at(*poll, Step::Checking),
            PollInput::Start
            | PollInput::Answered { .. }
            | PollInput::Applied { .. }
            | PollInput::StoreChecked { .. }
            | PollInput::Timer
            | PollInput::Stop => false,
        }
    }

    fn start(&mut self, now: Instant) {
        if let Some(warning) = self.warning {
            self.log(LogMessage::Configuration(warning), None);
        }
        match &self.endpoint {
            Ok(endpoint) => {
                let address = endpoint.to_string();
                self.log(LogMessage::StartingPolling(self.configured), Some(address));
                self.begin_poll(now);
            }
            Err(error) => {
                let error = error.to_string();
                self.log(LogMessage::UnusableAddress, Some(error));
                self.end();
            }
        }
    }

    fn begin_poll(&mut self, now: Instant) {
        self.phase = Phase::Polling(Step::Asking);
        self.poll += 1;
        self.began = now;
        self.outputs.push_back(PollOutput::Poll { poll: self.poll, etag: self.etag() });
    }

    fn etag(&self) -> Option<String> {
        self.cached.as_ref().and_then(|cached| cached.etag.clone())
    }

    fn answered(&mut self, answer: Answer, now: Instant, draw: impl FnOnce() -> u64) {
        match answer {
            Answer::Body { body, environment } => {
                let environment = environment.filter(|environment| !environment.is_empty());
                self.outputs.extend(environment.map(PollOutput::Environment));
                self.apply(body);
            }
            Answer::NotModified => match self.cached.clone() {
                Some(cached) => {
                    self.log(LogMessage::NotModified, None);
                    self.apply(cached);
                }
                None => self.fail(Cause::Status(304), None, None, now, draw),
            },
            Answer::Failed { cause, retry_after, detail } => self.fail(cause, retry_after, detail, now, draw),
        }
    }

    fn apply(&mut self, body: Body) {
        self.phase = Phase::Polling(Step::Storing);
        self.storing = Some(body.clone());
        self.outputs.push_back(PollOutput::Apply { poll: self.poll, body });
    }

    fn succeed(&mut self, has_data: bool, now: Instant) {
        if has_data && !self.initialized {
            self.initialized = true;
            self.outputs.push_back(PollOutput::Ready);
            self.log(LogMessage::Initialized, None);
        }
        self.log(LogMessage::Handled, None);
        self.policy.record_success(now);
        self.outputs.push_back(PollOutput::Recorded(Recorded::Success));
        let until = match self.options.poll_timing {
            PollTiming::Gap => now + self.policy.next_delay(),
            PollTiming::FixedCadence => next_multiple(self.began, self.policy.next_delay(), now),
        };
        self.wait(until);
    }

    fn rejected(&mut self, rejected: Rejected, now: Instant, draw: impl FnOnce() -> u64) {
        let (fault, detail) = match rejected {
            Rejected::NotJson(detail) => (Fault::Malformed, detail),
            Rejected::WrongShape(detail) => (Fault::MissingKey, detail),
            Rejected::Store(detail) => {
                self.report(State::Interrupted, Some(SourceError::new(ErrorKind::StoreError)));
                (Fault::Store, detail)
            }
        };
        self.fail(Cause::Fault(fault), None, Some(detail), now, draw);
    }

    fn fail(
        &mut self,
        cause: Cause,
        retry_after: Option<Duration>,
        detail: Option<String>,
        now: Instant,
        draw: impl FnOnce() -> u64,
    ) {
        let kind = cause.kind();
        let failure = Failure { kind, retry_after, fault: cause.fault() };
        let decision = self.policy.record_failure(failure, now, draw());
        self.outputs.push_back(PollOutput::Recorded(Recorded::Failure { cause, kind, decision }));
        let delay = decision.ok().into();
        let (message, error) = match cause {
            Cause::Status(status) if status >= 400 => {
                let message = LogMessage::Http { status, kind, request: Request::Poll, delay };
                (message, SourceError::response(status))
            }
            Cause::Fault(Fault::Malformed) => {
                (LogMessage::PollError { cause, delay }, SourceError::new(self.options.malformed_body.kind()))
            }
            Cause::Status(_) | Cause::Fault(_) => {
                (LogMessage::PollError { cause, delay }, SourceError::new(ErrorKind::Unknown))
            }
        };
        self.log(message, detail);
        self.report(State::Interrupted, Some(error));
        match decision {
            Ok(delay) => self.wait(now + delay),
            Err(_) => {
                self.phase = Phase::Stopped;
                self.outputs.push_back(PollOutput::Stopped);
            }
        }
    }

    // No `RepeatingTask` does this waiting: one has a single wait for good calls and bad, while a cadence without debt is for
    // good polls only; it never gives up; and it leaves a call that runs when it is stopped to finish, where a poll is
    // dropped. What would be left to share, the state, is needed here anyway, for the steps of a poll.
    fn wait(&mut self, until: Instant) {
        self.phase = Phase::Waiting { until };
        self.outputs.push_back(PollOutput::Wait { until });
    }

    fn stop(&mut self) {
        if self.phase == Phase::Stopped {
            return;
        }
        // What was to be done before is of no use any more, and must not follow.
        self.outputs.clear();
        self.log(LogMessage::Stopping, None);
        if matches!(self.phase, Phase::Polling(_)) {
            self.outputs.push_back(PollOutput::Drop { poll: self.poll });
        }
        self.end();
    }

    fn end(&mut self) {
        self.phase = Phase::Stopped;
        self.report(State::Off, None);
        self.outputs.push_back(PollOutput::Stopped);
    }

    fn report(&mut self, state: State, error: Option<SourceError>) {
        self.outputs.push_back(PollOutput::Status(StatusUpdate { state, error }));
    }

    fn log(&mut self, message: LogMessage, detail: Option<String>) {
        let level = self.options.level(&message);
        self.outputs.push_back(PollOutput::Log(LogRecord { level, message, detail }));
    }

    fn is_at(&self, poll: u64, step: Step) -> bool {
        self.phase == Phase::Polling(step) && self.poll == poll
    }
}

/// The first multiple of `interval` after `began` that is later than `now`; `now` itself where the interval is zero.
pub(crate) fn next_multiple(began: Instant, interval: Duration, now: Instant) -> Instant {
    let (elapsed, interval) = (now.nanos_since(began), nanos(interval));
    match elapsed.checked_div(interval) {
        Some(intervals) => began + Duration::from_nanos(interval.saturating_mul(intervals.saturating_add(1))),
        None => now,
    }
}
