//! A vector played against a subject.

use std::fmt;
use std::time::Duration;

use retrylab_core::{Decision, GiveUp, Policy, Regime, Retry, nanos};

use super::{Expectation, Op, Setup, Step, Vector, Warning};

/// The one tag whose vectors are not played: they show an artefact of implementations that cap the exponent.
pub const SKIPPED_TAG: &str = "exponent-cap";

/// Something to be judged by vectors: a policy, and the warning that its construction gave.
pub struct Subject {
    /// The policy, with no outcome yet.
    pub policy: Box<dyn Policy>,
    /// Whether a configured value was replaced.
    pub warning: Option<Warning>,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("warning", &self.warning).finish_non_exhaustive()
    }
}

impl From<Setup> for Subject {
    /// The built-in rules.
    fn from(setup: Setup) -> Self {
        let (rules, warning) = setup.rules();
        Self { policy: Box::new(Retry::new(rules)), warning: warning.map(Warning::from) }
    }
}

/// What came of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every expectation held.
    Passed,
    /// Not played, because of [`SKIPPED_TAG`].
    Skipped,
    /// The first expectation that did not hold.
    Failed(Mismatch),
}

/// The first expectation of a vector that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The vector's line, from 1.
    pub line: usize,
    /// The vector's name.
    pub vector: String,
    /// After which step, from 1; `None`: at construction.
    pub step: Option<usize>,
    /// What was got and what expected.
    pub difference: Difference,
}

/// What was got and what expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        got: Duration,
        /// By the vector.
        expected: Duration,
        /// How far they may be apart.
        tolerance_ns: u64,
    },
    /// Of the regime.
    Regime {
        /// By the subject.
        got: Regime,
        /// By the vector.
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
        got: Duration,
        /// The next delay.
        expected: Duration,
    },
    /// No vector lets a subject give up.
    GaveUp(GiveUp),
}

/// Plays a vector against the built-in rules, which are held to `expect_attempts` too.
#[must_use]
pub fn check(vector: &Vector) -> Verdict {
    play(vector, Subject::from, true)
}

/// Plays a vector against the subject that `build` makes. A subject that does not
/// [explain](retrylab_core::Policy::explain) itself is held to the delays alone.
pub fn check_subject(vector: &Vector, build: impl FnOnce(Setup) -> Subject) -> Verdict {
    play(vector, build, false)
}

fn play(vector: &Vector, build: impl FnOnce(Setup) -> Subject, attempts: bool) -> Verdict {
    if vector.tags.iter().any(|tag| tag == SKIPPED_TAG) {
        return Verdict::Skipped;
    }
    let failed = |step, difference| {
        Verdict::Failed(Mismatch { line: vector.line, vector: vector.name.clone(), step, difference })
    };
    let Subject { mut policy, warning } = build(vector.setup);
    if warning != vector.expect_warning {
        return failed(None, Difference::Warning { got: warning, expected: vector.expect_warning });
    }
    for (step, number) in vector.steps.iter().zip(1..) {
        let held = apply(&mut *policy, step).and_then(|()| match step.expect {
            Some(expect) => compare(&*policy, &expect, vector.tolerance_ns, attempts),
            None => Ok(()),
        });
        if let Err(difference) = held {
            return failed(Some(number), difference);
        }
    }
    Verdict::Passed
}

fn apply(policy: &mut dyn Policy, step: &Step) -> Result<(), Difference> {
    for _ in 0..step.repeat {
        match step.op {
            Op::Failure { kind, draw } => match policy.record_failure(kind.into(), step.at, draw) {
                Decision::RetryAfter(wait) if wait == policy.next_delay() => {}
                Decision::RetryAfter(wait) => {
                    return Err(Difference::Answer { got: wait, expected: policy.next_delay() });
                }
                Decision::GiveUp(why) => return Err(Difference::GaveUp(why)),
            },
            Op::Success => policy.record_success(step.at),
            Op::Read | Op::Advance => {}
        }
    }
    Ok(())
}

fn compare(
    policy: &dyn Policy,
    expect: &Expectation,
    tolerance_ns: Option<u64>,
    attempts: bool,
) -> Result<(), Difference> {
    let got = policy.next_delay();
    if let Some(tolerance_ns) = tolerance_ns
        && nanos(got).abs_diff(expect.delay_ns) > tolerance_ns
    {
        return Err(Difference::Delay { got, expected: Duration::from_nanos(expect.delay_ns), tolerance_ns });
    }
    let Some(rung) = policy.explain(0) else { return Ok(()) };
    let expected = if expect.extended { Regime::Extended } else { Regime::Normal };
    if rung.regime != expected {
        return Err(Difference::Regime { got: rung.regime, expected });
    }
    match expect.attempts {
        Some(expected) if attempts && rung.number != expected => {
            Err(Difference::Attempts { got: rung.number, expected })
        }
        _ => Ok(()),
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
            Self::GaveUp(why) => write!(f, "gave up ({why}), expected another attempt"),
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
