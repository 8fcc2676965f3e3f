//! The outputs of a machine, as lines that a test compares word for word.

use retrylab_core::Instant;
use retrylab_source::{PollOutput, Recorded, SourceError, SourceOutput, Status, StatusUpdate, StreamOutput};

/// A status, and its changes from the reports that come in.
pub(crate) struct Lines {
    pub(crate) status: Status,
}

impl Lines {
    pub(crate) fn new() -> Self {
        Self { status: Status::new(Instant::ZERO) }
    }

    pub(crate) fn stream<G: std::fmt::Display>(&mut self, output: &StreamOutput<G>, now: Instant) -> String {
        self.line(output, "connect", |message| format!("apply {}", message.event), now)
    }

    pub(crate) fn poll<G: std::fmt::Display>(&mut self, output: &PollOutput<G>, now: Instant) -> String {
        self.line(output, "poll", |_| "apply".to_owned(), now)
    }

    fn line<G: std::fmt::Display, W>(
        &mut self,
        output: &SourceOutput<G, W>,
        attempt: &str,
        apply: impl FnOnce(&W) -> String,
        now: Instant,
    ) -> String {
        match output {
            SourceOutput::Attempt { number, etag: Some(etag) } => format!("{attempt} {number} unless {etag}"),
            SourceOutput::Attempt { number, etag: None } => format!("{attempt} {number}"),
            SourceOutput::Recorded(outcome) => recorded(outcome),
            SourceOutput::Apply { data, .. } => apply(data),
            SourceOutput::CheckStore { .. } => "check the store".to_owned(),
            SourceOutput::Drop { number } => format!("drop {number}"),
            SourceOutput::Status(update) => self.status(*update, now),
            SourceOutput::Log(record) => format!("{}: {record}", record.level),
            SourceOutput::Environment(environment) => format!("environment {environment}"),
            SourceOutput::Init(init) => {
                let end = if init.failed { "failed" } else { "succeeded" };
                format!("init of {:?} {end} after {:?}", init.began.since_origin(), init.took)
            }
            SourceOutput::Ready => "ready".to_owned(),
            SourceOutput::Wait { until } => format!("wait until {:?}", until.since_origin()),
            SourceOutput::Stopped => "stopped".to_owned(),
        }
    }

    /// The source's report, and the status that listeners see.
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
