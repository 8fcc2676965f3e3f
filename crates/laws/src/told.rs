//! A history outside of any timeline: what a policy was told, to be told again, or otherwise.

use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Policy, Rung};
use retrylab_sim::{Event, Record};

use crate::claim::Claim;
use crate::subject::{Fault, Subject};
use crate::trial::Breach;

/// One thing that a policy is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// When, on the client's clock. Never before what was told before.
    pub at: Instant,
    /// What.
    pub what: What,
}

/// What a policy can be told, or asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A connection was made.
    Connected,
    /// An operation succeeded.
    Success,
    /// An operation failed, and this was the draw.
    Failure {
        /// What it failed of.
        failure: Failure,
        /// Uniform over all of `u64`.
        draw: u64,
    },
    /// Somebody looks at the delay and at the rung.
    Read,
}

impl Told {
    /// Whether it is a failure.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(self.what, What::Failure { .. })
    }

    /// The draw of a failure.
    #[must_use]
    pub const fn draw(&self) -> Option<u64> {
        match self.what {
            What::Failure { draw, .. } => Some(draw),
            _ => None,
        }
    }

    /// The same with another draw, if it has one.
    #[must_use]
    pub const fn with_draw(mut self, other: u64) -> Self {
        if let What::Failure { draw, .. } = &mut self.what {
            *draw = other;
        }
        self
    }
}

/// What a policy says after it was told something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// What it decided, if it was told of a failure.
    pub decision: Option<Decision>,
    /// Its stored delay.
    pub delay: Duration,
    /// Where it stands, if it explains itself.
    pub rung: Option<Rung>,
}

impl Answered {
    /// The wait that follows; `None` if it gave up.
    #[must_use]
    pub const fn wait(&self) -> Option<Duration> {
        match self.decision {
            Some(decision) => decision.delay(),
            None => Some(self.delay),
        }
    }

    /// Why it gave up, if it did.
    #[must_use]
    pub const fn gave_up(&self) -> Option<GiveUp> {
        match self.decision {
            Some(Decision::GiveUp(why)) => Some(why),
            _ => None,
        }
    }
}

/// Tells a policy everything in order.
pub fn tell(policy: &mut impl Policy, history: &[Told]) -> Vec<Answered> {
    let mut last = 0;
    let answer = |told: &Told| {
        let decision = match told.what {
            What::Connected => {
                policy.record_connected(told.at);
                None
            }
            What::Success => {
                policy.record_success(told.at);
                None
            }
            What::Failure { failure, draw } => {
                last = draw;
                Some(policy.record_failure(failure, told.at, draw))
            }
            What::Read => None,
        };
        Answered { decision, delay: policy.next_delay(), rung: policy.explain(last) }
    };
    history.iter().map(answer).collect()
}

/// The answers, if there is one to each thing that was told: whoever wrote the subject may have lost count.
///
/// # Errors
///
/// If there are more or fewer.
pub(crate) fn one_each(history: &[Told], answers: Vec<Answered>) -> Result<Vec<Answered>, Fault> {
    if answers.len() == history.len() {
        return Ok(answers);
    }
    Err(Fault(format!(
        "it was told {} things, and gave {} answers; each has to have one",
        history.len(),
        answers.len()
    )))
}

/// Writes down what the client of a run was told, with the record that shows it.
#[derive(Clone, Debug, Default)]
pub struct History {
    told: Vec<Told>,
    /// The record that shows each: its number, attempt and true time.
    shown: Vec<(u64, u64, u64)>,
}

impl History {
    /// Takes the record of this number.
    pub fn observe(&mut self, record: &Record, index: u64) {
        let at = Instant::from_nanos(record.clock_ns);
        let mut push = |what| {
            self.told.push(Told { at, what });
            self.shown.push((index, record.attempt, record.time_ns));
        };
        match record.event {
            Event::Connected => push(What::Connected),
            Event::Message | Event::Patch => {
                // A stream that has a message at once shows its connection by that message alone.
                push(What::Connected);
                push(What::Success);
            }
            Event::Ok | Event::NotModified => push(What::Success),
            Event::Failure { cause, kind } | Event::GaveUp { cause, kind, .. } => {
                let retry_after = record.asked_ns.map(Duration::from_nanos);
                let failure = Failure { kind, retry_after, fault: cause.fault() };
                push(What::Failure { failure, draw: record.draw.unwrap_or(0) });
            }
            _ => {}
        }
    }

    /// What was told, in order.
    #[must_use]
    pub fn told(&self) -> &[Told] {
        &self.told
    }

    /// A breach that the record shows of what was told `nth`, from 0.
    pub(crate) fn breach(&self, nth: usize, expected: String, got: String) -> Breach {
        let (record, attempt, time_ns) = self.shown.get(nth).copied().unwrap_or((u64::MAX, 0, 0));
        Breach { record, attempt, time_ns, expected, got }
    }
}

/// A history, what came of it, and a subject that can be told it otherwise: each time one that starts anew.
pub struct Retold<'a> {
    /// What the subject claims.
    pub claim: &'a Claim,
    /// What it was told.
    pub history: &'a [Told],
    /// What it answered, one by one.
    pub answers: &'a [Answered],
    subject: &'a dyn Subject,
    fault: Option<Fault>,
}

impl<'a> Retold<'a> {
    pub(crate) const fn new(
        claim: &'a Claim,
        history: &'a [Told],
        answers: &'a [Answered],
        subject: &'a dyn Subject,
    ) -> Self {
        Self { claim, history, answers, subject, fault: None }
    }

    /// What a fresh subject answers to this; `None` if it could not answer, which is kept as a fault.
    pub(crate) fn tell(&mut self, history: &[Told]) -> Option<Vec<Answered>> {
        match self.subject.tell(history)?.and_then(|answers| one_each(history, answers)) {
            Ok(answers) => Some(answers),
            Err(fault) => {
                self.fault.get_or_insert(fault);
                None
            }
        }
    }

    /// The first time that the subject could not answer.
    pub(crate) fn into_fault(self) -> Option<Fault> {
        self.fault
    }
}

impl core::fmt::Debug for Retold<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Retold").field("history", &self.history).finish_non_exhaustive()
    }
}
