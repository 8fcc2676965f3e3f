//! The handle of the policy that a process holds.

use std::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, GiveUp, Instant, Policy};

use crate::answer::{Built, Told};
use crate::fault::Fault;
use crate::request::Op;
use crate::subject::Subject;

/// The policy that a process holds, asked over its standard streams.
///
/// A [`Policy`] cannot say that something went wrong: after a fault it gives up without asking, and
/// [`Subject::fault`] has what went wrong. The protocol has no words for connections, for retries that are not made, nor for
/// operations that nobody waits for, so of those the process hears nothing.
#[derive(Debug)]
pub struct ExecPolicy {
    subject: Subject,
    /// Which of the subject's policies this is.
    number: u64,
    warning: Option<String>,
    draws: Draws,
    next_delay: Duration,
    extended: Option<bool>,
}

/// Whose draws the jitter is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// Those that come with each failure.
    Given,
    /// The subject's own: laws can judge bands of waits, not exact waits.
    Own,
}

impl ExecPolicy {
    pub(crate) fn new(subject: Subject, number: u64, built: Built) -> Result<Self, Fault> {
        let mut policy = Self::broken(subject, number);
        policy.warning = built.warning;
        policy.draws = if built.draws_own { Draws::Own } else { Draws::Given };
        // A policy has a next delay from its beginning, and only the process knows it.
        policy.read(Instant::ZERO)?;
        Ok(policy)
    }

    /// One that nothing is known of, of a subject that has a fault.
    pub(crate) const fn broken(subject: Subject, number: u64) -> Self {
        Self { subject, number, warning: None, draws: Draws::Given, next_delay: Duration::ZERO, extended: None }
    }

    /// Whose draws the jitter is made of.
    #[must_use]
    pub const fn draws(&self) -> Draws {
        self.draws
    }

    /// What the subject said of a configured value that it replaced.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Whether it is in the extended regime, if it said so with its last answer.
    #[must_use]
    pub const fn extended(&self) -> Option<bool> {
        self.extended
    }

    /// The process that holds it.
    #[must_use]
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Records a failure by its HTTP status alone, which the subject has to classify.
    pub fn record_status(&mut self, status: i64, now: Instant, draw: u64) -> Decision {
        self.fail(FailureKind::from_status(status).into(), Some(status), now, draw)
    }

    /// Asks for the next delay, as a client would before it waits. Nothing may change by it.
    ///
    /// # Errors
    ///
    /// If the process answers wrongly, or did before.
    pub fn read(&mut self, now: Instant) -> Result<Duration, Fault> {
        self.ask(&Op::Read { at: now })?;
        Ok(self.next_delay)
    }

    fn fail(&mut self, failure: Failure, status: Option<i64>, now: Instant, draw: u64) -> Decision {
        match self.ask(&Op::Failure { failure, status, at: now, draw }) {
            Ok(Told { next: Ok(delay), .. }) => Decision::RetryAfter(delay),
            Ok(Told { next: Err(why), .. }) => Decision::GiveUp(why),
            Err(_) => Decision::GiveUp(GiveUp::Terminal),
        }
    }

    /// Asks, and keeps what was answered.
    fn ask(&mut self, op: &Op<'_>) -> Result<Told, Fault> {
        let mut shared = self.subject.lock();
        let answered = if shared.policy == self.number {
            shared.ask(op, |line, op| match op {
                Op::Failure { .. } => Told::after_failure(line),
                Op::New { .. } | Op::Success { .. } | Op::Read { .. } => Told::otherwise(line),
            })
        } else {
            Err(shared.superseded())
        };
        drop(shared);
        let (delay, extended) = match &answered {
            Ok(told) => (told.next.unwrap_or_default(), told.extended),
            Err(_) => (Duration::ZERO, None),
        };
        (self.next_delay, self.extended) = (delay, extended);
        answered
    }
}

impl Policy for ExecPolicy {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.fail(failure, None, now, draw)
    }

    fn record_success(&mut self, now: Instant) {
        // The subject keeps the fault.
        let _ = self.ask(&Op::Success { at: now });
    }

    fn next_delay(&self) -> Duration {
        self.next_delay
    }
}
