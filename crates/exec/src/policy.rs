//! The handle of the policy that a process holds.

use std::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Policy};

use crate::answer::{Built, SubjectResponse};
use crate::fault::SubjectFault;
use crate::request::Op;
use crate::subject::Subject;

/// A handle of a process's policy, over its standard streams.
///
/// A [`Policy`] cannot report an error: after a fault it gives up without a request, and [`Subject::fault`] has the
/// fault. The protocol has no requests for connections, cancelled retries and abandoned operations, so the process does
/// not receive them.
#[derive(Debug)]
pub struct ExecPolicy {
    subject: Subject,
    /// The number of this policy in its process.
    number: u64,
    warning: Option<String>,
    draws_own: bool,
    /// The status of the next failure, in place of its kind.
    status: Option<i64>,
    next_delay: Duration,
    extended: Option<bool>,
}

impl ExecPolicy {
    pub(crate) fn new(subject: Subject, number: u64, built: Built) -> Result<Self, SubjectFault> {
        let mut policy = Self::broken(subject, number);
        policy.warning = built.warning;
        policy.draws_own = built.draws_own;
        // A policy has a next delay from its start, and only the process knows it.
        policy.read(Instant::ZERO)?;
        Ok(policy)
    }

    /// A policy of a subject with a fault.
    pub(crate) const fn broken(subject: Subject, number: u64) -> Self {
        Self {
            subject,
            number,
            warning: None,
            draws_own: false,
            status: None,
            next_delay: Duration::ZERO,
            extended: None,
        }
    }

    /// Whether the jitter comes from the subject's own draws, so that laws judge bounds of waits and not exact waits.
    #[must_use]
    pub const fn draws_own(&self) -> bool {
        self.draws_own
    }

    /// The subject's warning about a configured value that it replaced.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Whether the policy is in the extended regime, if the last response reported it.
    #[must_use]
    pub const fn extended(&self) -> Option<bool> {
        self.extended
    }

    /// Its process.
    #[must_use]
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Sends the next failure with this HTTP status instead of its kind, so that the subject must classify it.
    pub const fn send_status(&mut self, status: Option<i64>) {
        self.status = status;
    }

    /// Reads the next delay, as a client does before it waits. Nothing may change by it.
    ///
    /// # Errors
    ///
    /// If the process has a fault.
    pub fn read(&mut self, now: Instant) -> Result<Duration, SubjectFault> {
        self.request(&Op::Read { at: now })?;
        Ok(self.next_delay)
    }

    /// Sends a request and keeps the response.
    fn request(&mut self, op: &Op<'_>) -> Result<SubjectResponse, SubjectFault> {
        let mut shared = self.subject.lock();
        let response = if shared.policy == self.number {
            shared.request(op, |line, op| match op {
                Op::Failure { .. } => SubjectResponse::after_failure(line),
                Op::New { .. } | Op::Success { .. } | Op::Read { .. } => SubjectResponse::otherwise(line),
            })
        } else {
            Err(shared.superseded())
        };
        drop(shared);
        let (delay, extended) = match &response {
            Ok(response) => (response.next.unwrap_or_default(), response.extended),
            Err(_) => (Duration::ZERO, None),
        };
        (self.next_delay, self.extended) = (delay, extended);
        response
    }
}

impl Policy for ExecPolicy {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let status = self.status.take();
        match self.request(&Op::Failure { failure, status, at: now, draw }) {
            Ok(SubjectResponse { next: Ok(delay), .. }) => Decision::RetryAfter(delay),
            Ok(SubjectResponse { next: Err(why), .. }) => Decision::GiveUp(why),
            Err(_) => Decision::GiveUp(GiveUp::Terminal),
        }
    }

    fn record_success(&mut self, now: Instant) {
        // The subject keeps the fault.
        let _ = self.request(&Op::Success { at: now });
    }

    fn next_delay(&self) -> Duration {
        self.next_delay
    }
}
