//! A vector played against a subject.

use std::fmt;
use std::time::Duration;

use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy, Regime, Retry, nanos};
use retrylab_sim::{Given, Input, Responder};
use retrylab_spec::PolicySpec;
use serde::Serialize;

use crate::{Expectation, Op, Step, Vector, Warning, json};

/// The one tag whose vectors are not played: they show an artefact of implementations that cap the exponent.
pub const SKIPPED_TAG: &str = "exponent-cap";

/// Something to be judged by vectors: a policy, and the warning that its construction gave.
pub struct VectorSubject {
    /// The policy, with no outcome yet.
    pub policy: Box<dyn Policy>,
    /// Whether a configured value was replaced.
    pub warning: Option<Warning>,
}

impl fmt::Debug for VectorSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorSubject").field("warning", &self.warning).finish_non_exhaustive()
    }
}

impl VectorSubject {
    /// The built-in rules.
    ///
    /// # Errors
    ///
    /// If it is no preset and has no two regimes: no vector is about such a policy.
    pub fn of(spec: &PolicySpec) -> Result<Self, Difference> {
        let (rules, warning) = spec.rules().ok_or(Difference::Broke)?;
        Ok(Self { policy: Box::new(Retry::new(rules)), warning: warning.map(Warning::from) })
    }
}

/// What came of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorVerdict {
    /// Every expectation held.
    Passed,
    /// Not played, because of [`SKIPPED_TAG`].
    Skipped,
    /// The first expectation that did not hold.
    Failed(Mismatch),
}

/// The first expectation of a vector that did not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The vector's name.
    pub vector: String,
    /// The vector's line, from 1.
    pub line: usize,
    /// After which step, from 1; `None`: at construction.
    pub step: Option<usize>,
    /// What was got and what expected.
    #[serde(flatten)]
    pub difference: Difference,
}

/// What was got and what expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Difference {
    /// Of the warning that construction gave.
    Warning {
        /// By the subject.
        got: Option<Warning>,
        /// By the vector.
        expected: Option<Warning>,
    },
    /// Of the next delay.
    Delay {
        /// By the subject.
        #[serde(rename = "got_ns", serialize_with = "json::ns")]
        got: Duration,
        /// By the vector.
        #[serde(rename = "expected_ns", serialize_with = "json::ns")]
        expected: Duration,
        /// How far they may be apart.
        tolerance_ns: u64,
    },
    /// Of the regime.
    Regime {
        /// By the subject.
        #[serde(serialize_with = "json::regime")]
        got: Regime,
        /// By the vector.
        #[serde(serialize_with = "json::regime")]
        expected: Regime,
    },
    /// Of the failures counted on the present ladder.
    Attempts {
        /// By the subject.
        got: u32,
        /// By the vector.
        expected: u32,
    },
    /// Between the wait that the subject answered with and the one it then says is next.
    Answer {
        /// The answer.
        #[serde(rename = "got_ns", serialize_with = "json::ns")]
        got: Duration,
        /// The next delay.
        #[serde(rename = "expected_ns", serialize_with = "json::ns")]
        expected: Duration,
    },
    /// No vector lets a subject give up.
    GaveUp {
        /// Why it did.
        #[serde(serialize_with = "json::why")]
        got: GiveUp,
    },
    /// Of whether construction gave a warning at all, for a subject whose warnings are words.
    #[serde(rename = "other")]
    Warned {
        /// Whether the subject gave one.
        #[serde(skip)]
        got: bool,
        /// By the vector.
        #[serde(skip)]
        expected: Option<Warning>,
    },
    /// The subject cannot be asked any more, or cannot be built; it knows why.
    #[serde(rename = "subject")]
    Broke,
}

/// Plays a vector against the built-in rules, which are held to `expect_attempts` too.
#[must_use]
pub fn check(vector: &Vector) -> VectorVerdict {
    check_answers(vector, |spec| Ok(OfPolicy::new(VectorSubject::of(spec)?, true)))
}

/// Plays a vector against the subject that `build` makes. A subject that does not
/// [explain](retrylab_core::Policy::explain) itself is held to the delays alone.
pub fn check_subject(vector: &Vector, build: impl FnOnce(&PolicySpec) -> VectorSubject) -> VectorVerdict {
    check_answers(vector, |spec| Ok(OfPolicy::new(build(spec), false)))
}

/// What a vector is played against, if it is more, or less, than a [`Policy`]: one call a step.
pub trait Answers {
    /// Whether construction gave the warning that it had to give.
    ///
    /// # Errors
    ///
    /// If it did not.
    fn warned(&self, expected: Option<Warning>) -> Result<(), Difference>;

    /// Records a failure, by its status where the vector has one.
    ///
    /// # Errors
    ///
    /// If there is no next delay.
    fn failure(&mut self, failure: GivenFailure, at: Instant) -> Result<(), Difference>;

    /// Records a success.
    ///
    /// # Errors
    ///
    /// If there is no next delay.
    fn success(&mut self, at: Instant) -> Result<(), Difference>;

    /// Looks at the next delay.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn read(&mut self, at: Instant) -> Result<(), Difference>;

    /// The delay after the last call.
    fn next_delay(&self) -> Duration;

    /// The regime after the last call, if it is known.
    fn regime(&self) -> Option<Regime>;

    /// Failures counted on the present ladder, if it is to be held to them.
    fn attempts(&self) -> Option<u32>;
}

/// A failure as a vector gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenFailure {
    /// As given, or as the given status classifies.
    pub kind: FailureKind,
    /// The status, if it was given instead of the kind.
    pub status: Option<i64>,
    /// Uniform over all of `u64`; a vector's draw has its low 11 bits clear.
    pub draw: u64,
}

/// Plays a vector against what `build` makes. A subject that cannot be built fails at construction.
pub fn check_answers<A: Answers>(
    vector: &Vector,
    build: impl FnOnce(&PolicySpec) -> Result<A, Difference>,
) -> VectorVerdict {
    if vector.tags.iter().any(|tag| tag == SKIPPED_TAG) {
        return VectorVerdict::Skipped;
    }
    let failed = |step, difference| {
        VectorVerdict::Failed(Mismatch { line: vector.line, vector: vector.name.clone(), step, difference })
    };
    let built = build(&vector.spec).and_then(|subject| subject.warned(vector.expect_warning).map(|()| subject));
    let mut subject = match built {
        Ok(subject) => subject,
        Err(difference) => return failed(None, difference),
    };
    for (step, number) in vector.steps.iter().zip(1..) {
        let held = apply(&mut subject, step).and_then(|()| match step.expect {
            Some(expect) => compare(&subject, &expect, vector.tolerance_ns),
            None => Ok(()),
        });
        if let Err(difference) = held {
            return failed(Some(number), difference);
        }
    }
    VectorVerdict::Passed
}

fn apply(subject: &mut impl Answers, step: &Step) -> Result<(), Difference> {
    for _ in 0..step.repeat {
        match step.op {
            Op::Failure(failure) => subject.failure(failure, step.at)?,
            Op::Success => subject.success(step.at)?,
            Op::Read => subject.read(step.at)?,
            Op::Advance => {}
        }
    }
    Ok(())
}

fn compare(subject: &impl Answers, expect: &Expectation, tolerance_ns: Option<u64>) -> Result<(), Difference> {
    let got = subject.next_delay();
    if let Some(tolerance_ns) = tolerance_ns
        && nanos(got).abs_diff(expect.delay_ns) > tolerance_ns
    {
        return Err(Difference::Delay { got, expected: Duration::from_nanos(expect.delay_ns), tolerance_ns });
    }
    let expected = if expect.extended { Regime::Extended } else { Regime::Normal };
    if let Some(got) = subject.regime().filter(|got| *got != expected) {
        return Err(Difference::Regime { got, expected });
    }
    match (subject.attempts(), expect.attempts) {
        (Some(got), Some(expected)) if got != expected => Err(Difference::Attempts { got, expected }),
        _ => Ok(()),
    }
}

/// A policy in this process.
struct OfPolicy {
    responder: Responder<Box<dyn Policy>>,
    warning: Option<Warning>,
    /// Whether it is held to the attempts that it counts.
    attempts: bool,
}

impl OfPolicy {
    fn new(subject: VectorSubject, attempts: bool) -> Self {
        Self { responder: Responder::new(subject.policy), warning: subject.warning, attempts }
    }

    fn give(&mut self, at: Instant, given: Given) -> Option<Decision> {
        self.responder.give(Input { at, given })
    }
}

impl Answers for OfPolicy {
    fn warned(&self, expected: Option<Warning>) -> Result<(), Difference> {
        let got = self.warning;
        if got == expected { Ok(()) } else { Err(Difference::Warning { got, expected }) }
    }

    fn failure(&mut self, failure: GivenFailure, at: Instant) -> Result<(), Difference> {
        let decision = self.give(at, Given::Failure { failure: failure.kind.into(), draw: failure.draw });
        match decision {
            Some(Decision::RetryAfter(got)) => {
                let expected = self.next_delay();
                if got == expected { Ok(()) } else { Err(Difference::Answer { got, expected }) }
            }
            Some(Decision::GiveUp(got)) => Err(Difference::GaveUp { got }),
            None => Ok(()),
        }
    }

    fn success(&mut self, at: Instant) -> Result<(), Difference> {
        self.give(at, Given::Success);
        Ok(())
    }

    fn read(&mut self, _: Instant) -> Result<(), Difference> {
        Ok(())
    }

    fn next_delay(&self) -> Duration {
        // Read once more: a reading must change nothing.
        self.responder.policy().next_delay()
    }

    fn regime(&self) -> Option<Regime> {
        self.responder.policy().explain(0).map(|rung| rung.regime)
    }

    fn attempts(&self) -> Option<u32> {
        self.responder.policy().explain(0).map(|rung| rung.number).filter(|_| self.attempts)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, {:?}, ", self.line, self.vector)?;
        match self.step {
            Some(step) => write!(f, "step {step}: ")?,
            None => write!(f, "at construction: ")?,
        }
        self.difference.fmt(f)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Warning { got, expected } => {
                write!(f, "got {}, expected {}", Warned(got), Warned(expected))
            }
            Self::Delay { got, expected, tolerance_ns } => {
                write!(f, "got a delay of {}, expected {} within {tolerance_ns} ns", Seconds(got), Seconds(expected))
            }
            Self::Regime { got, expected } => write!(f, "got the {got} regime, expected the {expected} regime"),
            Self::Attempts { got, expected } => write!(f, "got {got} attempts, expected {expected}"),
            Self::Answer { got, expected } => {
                write!(f, "answered a wait of {}, but the next delay is {}", Seconds(got), Seconds(expected))
            }
            Self::GaveUp { got: why } => write!(f, "gave up ({why}), expected another attempt"),
            Self::Warned { got, expected } => {
                write!(f, "got {}, expected {}", if got { "a warning" } else { "no warning" }, Warned(expected))
            }
            Self::Broke => f.write_str("no answer"),
        }
    }
}

/// Every digit, and no more than needed: two delays that differ look different.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:09}", self.0.subsec_nanos());
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{}s", self.0.as_secs()),
            digits => write!(f, "{}.{digits}s", self.0.as_secs()),
        }
    }
}

struct Warned(Option<Warning>);

impl fmt::Display for Warned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => write!(f, "no warning"),
            Some(Warning { option, default }) => {
                write!(f, "a warning that {option} was replaced by {}", Seconds(default))
            }
        }
    }
}
