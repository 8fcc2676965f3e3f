//! What a machine puts out, as lines that a test can hold against what it expects, word for word.

use retrylab_core::Instant;
use retrylab_source::{PollOutput, Recorded, SourceError, Status, StatusUpdate, StreamOutput};

/// A status and what it makes of the reports that come in.
pub(crate) struct Lines {
    pub(crate) status: Status,
}

impl Lines {
    pub(crate) fn new() -> Self {
        Self { status: Status::new(Instant::ZERO) }
    }

    pub(crate) fn stream<G: std::fmt::Display>(&mut self, output: &StreamOutput<G>, now: Instant) -> String {
        match output {
            StreamOutput::Connect { connection } => format!("connect {connection}"),
            StreamOutput::Recorded(outcome) => recorded(outcome),
            StreamOutput::Apply { message, .. } => format!("apply {}", message.event),
            StreamOutput::Drop { connection } => format!("drop {connection}"),
            StreamOutput::Status(update) => self.status(*update, now),
            StreamOutput::Log(record) => format!("{}: {record}", record.level),
            StreamOutput::Environment(environment) => format!("environment {environment}"),
            StreamOutput::Init(init) => {
                let end = if init.failed { "failed" } else { "succeeded" };
                format!("init of {:?} {end} after {:?}", init.began.since_origin(), init.took)
            }
            StreamOutput::Ready => "ready".to_owned(),
            StreamOutput::Wait { until } => format!("wait until {:?}", until.since_origin()),
            StreamOutput::Stopped => "stopped".to_owned(),
        }
    }

    pub(crate) fn poll<G: std::fmt::Display>(&mut self, output: &PollOutput<G>, now: Instant) -> String {
        match output {
            PollOutput::Poll { poll, etag } => match etag {
                Some(etag) => format!("poll {poll} unless {etag}"),
                None => format!("poll {poll}"),
            },
            PollOutput::Recorded(outcome) => recorded(outcome),
            PollOutput::Apply { .. } => "apply".to_owned(),
            PollOutput::CheckStore { .. } => "check the store".to_owned(),
            PollOutput::Drop { poll } => format!("drop {poll}"),
            PollOutput::Status(update) => self.status(*update, now),
            PollOutput::Log(record) => format!("{}: {record}", record.level),
            PollOutput::Environment(environment) => format!("environment {environment}"),
            PollOutput::Ready => "ready".to_owned(),
            PollOutput::Wait { until } => format!("wait until {:?}", until.since_origin()),
            PollOutput::Stopped => "stopped".to_owned(),
        }
    }

    /// What the source reports, and what listeners see of it.
    fn status(&mut self, update: StatusUpdate, now: Instant) -> String {
        let reported = with_error(update.state.name(), update.error);
        if self.status.update(update.state, update.error, now) {
            format!("status {reported}, seen as {}", with_error(self.status.state.name(), self.status.error))
        } else {
            format!("status {reported}, not seen")
        }
    }
}

fn recorded<G: std::fmt::Display>(outcome: &Recorded<G>) -> String {
    match outcome {
        Recorded::Success => "success".to_owned(),
        Recorded::Failure { cause, kind, decision: Ok(delay) } => format!("{kind} failure {cause}: {delay:?}"),
        Recorded::Failure { cause, kind, decision: Err(why) } => format!("{kind} failure {cause}: {why}"),
    }
}

fn with_error(state: &str, error: Option<SourceError>) -> String {
    match error {
        Some(error) => format!("{state} ({error})"),
        None => state.to_owned(),
    }
}
