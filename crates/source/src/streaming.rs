//! A source that keeps a stream open, as a machine without a socket.

use core::time::Duration;
use std::collections::VecDeque;

use retrylab_core::{ConfigWarning, Instant};

use crate::apply::{Applied, Rejected};
use crate::cause::Cause;
use crate::data::Message;
use crate::endpoint::{Endpoint, EndpointError};
use crate::options::SourceOptions;
use crate::outputs::{Queue, SourceOutput};
use crate::policy::SourcePolicy;
use crate::shell::StreamNeed;

mod machine;

pub use machine::StreamMachine;

/// The machine of a streaming source: inputs with a time go in, outputs come out.
///
/// After each [`handle`](Self::handle), the driver executes everything that [`next_output`](Self::next_output) returns,
/// in that order. The order is part of the contract: record, log, status, wait; valid before ready; nothing after off.
/// Connections are numbered. Inputs of a connection that the machine dropped are ignored, so that no end is counted
/// twice and no real one is missed.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Instant, Retry, RetryRules};
/// use retrylab_source::{Cause, Endpoint, SourceOptions, StreamInput, StreamOutput, StreamingSource};
///
/// let (rules, warning) = RetryRules::streaming_from_secs_f64(1.0);
/// let endpoint = Endpoint::new("http://example.org", "/all");
/// let mut source = StreamingSource::new(endpoint, Retry::new(rules), warning, SourceOptions::default());
/// source.handle(StreamInput::Start, Instant::ZERO, || 0);
/// let outputs: Vec<_> = std::iter::from_fn(|| source.next_output()).collect();
/// assert!(matches!(outputs[..], [StreamOutput::Log(_), StreamOutput::Attempt { number: 1, .. }]));
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
    machine: StreamMachine,
    outputs: VecDeque<StreamOutput<P::GiveUp>>,
}

/// An input of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamInput {
    /// The user starts the source.
    Start,
    /// A stream is open, without data so far.
    Connected {
        /// The number of the connection.
        connection: u64,
        /// The environment that the server names.
        environment: Option<String>,
    },
    /// A message arrived. A comment is no input.
    Message {
        /// The number of the connection.
        connection: u64,
        /// The message.
        message: Message,
    },
    /// The result of applying a message.
    Applied {
        /// The number of the connection.
        connection: u64,
        /// Whether it was handled.
        result: Result<Applied, Rejected>,
    },
    /// The `retry:` field of the stream.
    Hint {
        /// The number of the connection.
        connection: u64,
        /// The wait.
        retry: Duration,
    },
    /// The connection failed, or has ended.
    Ended {
        /// The number of the connection.
        connection: u64,
        /// The cause.
        cause: Cause,
        /// The `retry_after` of an error response.
        retry_after: Option<Duration>,
        /// A detail that only the driver knows.
        detail: Option<String>,
    },
    /// The wait is over.
    Timer,
    /// The user stops the source.
    Stop,
}

/// An output of the machine.
pub type StreamOutput<G> = SourceOutput<G, Message>;

impl<P: SourcePolicy> StreamingSource<P> {
    /// A source before its start. `warning` is that of the policy's constructor.
    #[must_use]
    pub const fn new(
        endpoint: Result<Endpoint, EndpointError>,
        policy: P,
        warning: Option<ConfigWarning>,
        options: SourceOptions,
    ) -> Self {
        Self { endpoint, policy, machine: StreamMachine::new(warning, options), outputs: VecDeque::new() }
    }

    /// Handles an input at `now`. `draw` is called once for each failure, and for nothing else.
    pub fn handle(&mut self, input: StreamInput, now: Instant, draw: impl FnOnce() -> u64) {
        let Self { endpoint, policy, machine, outputs } = self;
        let endpoint = endpoint.as_ref();
        let mut out = Queue { endpoint: endpoint.ok(), etag: None, outputs };
        match input {
            StreamInput::Start => match endpoint {
                Ok(_) => machine.start(now, &mut out),
                Err(error) => machine.refuse(error, &mut out),
            },
            StreamInput::Timer => machine.timer(now, &mut out),
            StreamInput::Stop => {
                // What was to be done before is of no use any more, and must not follow.
                if machine.need() != StreamNeed::Stopped {
                    out.outputs.clear();
                }
                machine.stop(&mut out);
            }
            StreamInput::Connected { connection, environment } if machine.is_current(connection) => {
                policy.record_connected(now);
                out.environment(environment);
            }
            StreamInput::Message { connection, message } if machine.is_current(connection) => {
                out.outputs.push_back(StreamOutput::Apply { number: connection, data: message });
            }
            StreamInput::Applied { connection, result } if machine.is_current(connection) => match result {
                Ok(applied) => {
                    policy.record_success(now);
                    machine.applied(applied, now, &mut out);
                }
                Err(rejected) => {
                    let failure = Cause::Fault(rejected.fault()).failure(machine.take_hint(None));
                    let decision = policy.record_failure(failure, now, draw());
                    machine.rejected(rejected, decision, now, &mut out);
                }
            },
            StreamInput::Hint { connection, retry } if machine.is_current(connection) => machine.hint(retry),
            StreamInput::Ended { connection, cause, retry_after, detail } if machine.is_current(connection) => {
                let retry_after = machine.take_hint(retry_after);
                let decision = policy.record_failure(cause.failure(retry_after), now, draw());
                machine.ended(cause, decision, detail, now, &mut out);
            }
            StreamInput::Connected { .. }
            | StreamInput::Message { .. }
            | StreamInput::Applied { .. }
            | StreamInput::Hint { .. }
            | StreamInput::Ended { .. } => {}
        }
    }

    /// The next output.
    pub fn next_output(&mut self) -> Option<StreamOutput<P::GiveUp>> {
        self.outputs.pop_front()
    }

    /// The address of the stream.
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
    pub const fn need(&self) -> StreamNeed {
        self.machine.need()
    }

    /// Whether this input would be a failure, which needs a draw.
    pub(crate) fn fails_of(&self, input: &StreamInput) -> bool {
        match input {
            StreamInput::Ended { connection, .. } | StreamInput::Applied { connection, result: Err(_) } => {
                self.machine.is_current(*connection)
            }
            _ => false,
        }
    }
}
