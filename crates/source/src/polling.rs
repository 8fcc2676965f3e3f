//! A source that polls at an interval, as a machine without a socket.

use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

use retrylab_core::{ConfigWarning, Fault, Instant, nanos};

use crate::apply::Rejected;
use crate::cause::Cause;
use crate::endpoint::{Endpoint, EndpointError};
use crate::options::SourceOptions;
use crate::outputs::{Queue, SourceOutput};
use crate::policy::SourcePolicy;
use crate::shell::PollNeed;

mod machine;

pub use machine::PollMachine;
use machine::Step;

/// The machine of a polling source: inputs with a time go in, outputs come out.
///
/// After each [`handle`](Self::handle), the driver executes everything that [`next_output`](Self::next_output) returns,
/// in that order. The wait begins at the end of a poll, so a slow failure does not shorten it. A success is recorded
/// last: an error before it makes the whole poll a failure, even where its data was stored.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Instant, Retry, RetryRules};
/// use retrylab_source::{PollResponse, Cause, Endpoint, PollInput, PollOutput, PollingSource, SourceOptions};
///
/// let (rules, warning) = RetryRules::polling_from_secs_f64(30.0);
/// let endpoint = Endpoint::new("http://example.org", "/sdk/latest-all");
/// let mut source = PollingSource::new(endpoint, Retry::new(rules), 30.0, warning, SourceOptions::default());
/// source.handle(PollInput::Start, Instant::ZERO, || 0);
/// let outputs: Vec<_> = std::iter::from_fn(|| source.next_output()).collect();
/// assert!(matches!(outputs[..], [PollOutput::Log(_), PollOutput::Attempt { number: 1, etag: None }]));
///
/// let response = PollResponse::Failed { cause: Cause::Status(401), retry_after: None, detail: None };
/// source.handle(PollInput::Responded { poll: 1, response }, Instant::ZERO, || 0);
/// let last = std::iter::from_fn(|| source.next_output()).last();
/// assert_eq!(last, Some(PollOutput::Wait { until: Instant::from_secs(300) }));
/// ```
#[derive(Clone, Debug)]
pub struct PollingSource<P: SourcePolicy> {
    endpoint: Result<Endpoint, EndpointError>,
    policy: P,
    machine: PollMachine,
    /// What is being stored.
    storing: Option<Body>,
    /// The tag of the last stored body, for a 304 response.
    cached: Option<Body>,
    outputs: VecDeque<PollOutput<P::GiveUp>>,
}

/// The body of a response, and the server's tag for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The bytes.
    pub bytes: Arc<[u8]>,
    /// The `ETag`.
    pub etag: Option<String>,
}

/// An input of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum PollInput {
    /// The user starts the source.
    Start,
    /// A poll has its response.
    Responded {
        /// The number of the poll.
        poll: u64,
        /// The response.
        response: PollResponse,
    },
    /// The result of storing the data.
    Applied {
        /// The number of the poll.
        poll: u64,
        /// Whether it was stored.
        result: Result<(), Rejected>,
    },
    /// Whether the store has data, or the text of its panic.
    StoreChecked {
        /// The number of the poll.
        poll: u64,
        /// The result.
        result: Result<bool, String>,
    },
    /// The wait is over.
    Timer,
    /// The user stops the source.
    Stop,
}

/// The response to a poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollResponse {
    /// Data.
    Body {
        /// The data.
        body: Body,
        /// The environment that the server names.
        environment: Option<String>,
    },
    /// Status 304: nothing is new since the tag of the poll.
    NotModified,
    /// No data.
    Failed {
        /// The cause.
        cause: Cause,
        /// The `retry_after` of an error response.
        retry_after: Option<Duration>,
        /// A detail that only the driver knows.
        detail: Option<String>,
    },
}

/// An output of the machine.
pub type PollOutput<G> = SourceOutput<G, Body>;

impl<P: SourcePolicy> PollingSource<P> {
    /// A source before its start. `configured` is the configured interval in seconds, for the first line of the log;
    /// `warning` is that of the policy's constructor.
    #[must_use]
    pub const fn new(
        endpoint: Result<Endpoint, EndpointError>,
        policy: P,
        configured: f64,
        warning: Option<ConfigWarning>,
        options: SourceOptions,
    ) -> Self {
        let machine = PollMachine::new(configured, warning, options);
        Self { endpoint, policy, machine, storing: None, cached: None, outputs: VecDeque::new() }
    }

    /// Handles an input at `now`. `draw` is called once for each failure, and for nothing else.
    pub fn handle(&mut self, input: PollInput, now: Instant, draw: impl FnOnce() -> u64) {
        let Self { endpoint, policy, machine, storing, cached, outputs } = self;
        let etag = cached.as_ref().and_then(|cached| cached.etag.clone());
        let etag = etag.filter(|_| matches!(input, PollInput::Start | PollInput::Timer));
        let endpoint = endpoint.as_ref();
        let mut out = Queue { endpoint: endpoint.ok(), etag, outputs };
        match input {
            PollInput::Start => match endpoint {
                Ok(_) => machine.start(now, &mut out),
                Err(error) => machine.refuse(error, &mut out),
            },
            PollInput::Timer => machine.timer(now, &mut out),
            PollInput::Stop => {
                // What was to be done before is of no use any more, and must not follow.
                if !machine.is_stopped() {
                    out.outputs.clear();
                }
                machine.stop(&mut out);
            }
            PollInput::Responded { poll, response } if machine.is_at(poll, Step::Asking) => match response {
                PollResponse::Body { body, environment } => {
                    out.environment(environment);
                    machine.body();
                    *storing = Some(body.clone());
                    out.outputs.push_back(PollOutput::Apply { number: poll, data: body });
                }
                PollResponse::NotModified => match cached.clone() {
                    Some(body) => {
                        machine.not_modified(&mut out);
                        *storing = Some(body.clone());
                        out.outputs.push_back(PollOutput::Apply { number: poll, data: body });
                    }
                    None => {
                        let cause = Cause::Status(304);
                        let decision = policy.record_failure(cause.failure(None), now, draw());
                        machine.failed(cause, decision, None, now, &mut out);
                    }
                },
                PollResponse::Failed { cause, retry_after, detail } => {
                    let decision = policy.record_failure(cause.failure(retry_after), now, draw());
                    machine.failed(cause, decision, detail, now, &mut out);
                }
            },
            PollInput::Applied { poll, result } if machine.is_at(poll, Step::Storing) => {
                let stored = storing.take();
                match result {
                    Ok(()) => {
                        machine.stored(&mut out);
                        *cached = stored;
                    }
                    Err(rejected) => {
                        let failure = Cause::Fault(rejected.fault()).failure(None);
                        let decision = policy.record_failure(failure, now, draw());
                        machine.rejected(rejected, decision, now, &mut out);
                    }
                }
            }
            PollInput::StoreChecked { poll, result } if machine.is_at(poll, Step::Checking) => match result {
                Ok(has_data) => {
                    policy.record_success(now);
                    machine.succeeded(has_data, policy.next_delay(), now, &mut out);
                }
                Err(detail) => {
                    let cause = Cause::Fault(Fault::Store);
                    let decision = policy.record_failure(cause.failure(None), now, draw());
                    machine.failed(cause, decision, Some(detail), now, &mut out);
                }
            },
            PollInput::Responded { .. } | PollInput::Applied { .. } | PollInput::StoreChecked { .. } => {}
        }
    }

    /// The next output.
    pub fn next_output(&mut self) -> Option<PollOutput<P::GiveUp>> {
        self.outputs.pop_front()
    }

    /// The address of the polls.
    ///
    /// # Errors
    ///
    /// If the address cannot be used; the state of such a source is OFF from its start.
    pub const fn endpoint(&self) -> Result<&Endpoint, &EndpointError> {
        self.endpoint.as_ref()
    }

    /// The policy in its present state.
    #[must_use]
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// The driver's next task, after the outputs so far.
    #[must_use]
    pub fn need(&self) -> PollNeed {
        let etag = || self.cached.as_ref().and_then(|cached| cached.etag.clone());
        self.machine.need(etag)
    }

    /// Whether this input would be a failure, which needs a draw.
    pub(crate) fn fails_of(&self, input: &PollInput) -> bool {
        let is_at = |poll: &u64, step| self.machine.is_at(*poll, step);
        match input {
            PollInput::Responded { poll, response: PollResponse::Failed { .. } } => is_at(poll, Step::Asking),
            PollInput::Responded { poll, response: PollResponse::NotModified } => {
                is_at(poll, Step::Asking) && self.cached.is_none()
            }
            PollInput::Applied { poll, result: Err(_) } => is_at(poll, Step::Storing),
            PollInput::StoreChecked { poll, result: Err(_) } => is_at(poll, Step::Checking),
            _ => false,
        }
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
