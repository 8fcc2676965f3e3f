//! Every short call sequence, against the reference model.
//!
//! A sequence of `depth` outcomes is built from {normal failure, unexpected failure, success} × {no time, just under
//! the window, the window} passing before it: 9 ways each, 9 + 9² + … + 9^depth outcomes in all. The tree of them is
//! walked depth first, and after each outcome the policy must agree with the model: wait, regime, attempts, base and
//! jitter. Draws alternate between 0 and the largest.

use std::fmt;
use std::time::Duration;

use retrylab_core::{
    BuiltInReset, Decision, FailureKind, HealthyFor, Instant, Policy, Retry, RetryRules, Rung, Successes,
};

use retrylab_laws::model::{Answer, Event, Outcome, Rules, answer};

/// Walks every sequence of up to `depth` outcomes with these times before an outcome, and returns the number of
/// outcomes checked.
///
/// The policy is copied at every step, and starts at the clock's origin.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Retry, RetryRules};
/// use retrylab_conform::exhaustive;
/// use retrylab_laws::model;
///
/// let window = Duration::from_secs(60);
/// let checked = exhaustive::walk(
///     Retry::new(RetryRules::streaming(Duration::from_secs(1))),
///     &model::Rules::streaming(1.0),
///     exhaustive::around(window),
///     3,
/// )?;
/// assert_eq!(checked, 9 + 81 + 729);
/// # Ok::<(), Box<exhaustive::Disagreement>>(())
/// ```
///
/// # Errors
///
/// The first sequence after which policy and model differ.
pub fn walk<P: Policy + Copy>(
    policy: P,
    rules: &Rules,
    gaps: [Duration; 3],
    depth: usize,
) -> Result<u64, Box<Disagreement>> {
    let mut walk = Walk { rules, gaps, depth, history: Vec::with_capacity(depth), checked: 0 };
    walk.judge(&policy, None, 0)?;
    walk.below(&policy, Instant::ZERO)?;
    Ok(walk.checked)
}

/// No time, just under `window`, and `window`.
#[must_use]
pub const fn around(window: Duration) -> [Duration; 3] {
    [Duration::ZERO, window.saturating_sub(Duration::from_nanos(1)), window]
}

/// [`walk`] for rules with a reset after a duration of health, compiled here, so that an unoptimised test walks at full
/// speed.
///
/// # Errors
///
/// See [`walk`].
pub fn walk_healthy_for(
    rules: RetryRules<HealthyFor>,
    model: &Rules,
    gaps: [Duration; 3],
    depth: usize,
) -> Result<u64, Box<Disagreement>> {
    walk(Retry::new(rules), model, gaps, depth)
}

/// [`walk_healthy_for`], but reset by successes in a row.
///
/// # Errors
///
/// See [`walk`].
pub fn walk_successes(
    rules: RetryRules<Successes>,
    model: &Rules,
    gaps: [Duration; 3],
    depth: usize,
) -> Result<u64, Box<Disagreement>> {
    walk(Retry::new(rules), model, gaps, depth)
}

/// [`walk_healthy_for`], but with either built-in reset rule.
///
/// # Errors
///
/// See [`walk`].
pub fn walk_built_in(
    rules: RetryRules<BuiltInReset>,
    model: &Rules,
    gaps: [Duration; 3],
    depth: usize,
) -> Result<u64, Box<Disagreement>> {
    walk(Retry::new(rules), model, gaps, depth)
}

/// A sequence after which policy and model differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The outcomes.
    pub history: Vec<Outcome>,
    /// The policy's state.
    pub got: Seen,
    /// The model's state.
    pub expected: Answer,
}

/// The reported state of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The wait before the next operation.
    pub delay: Duration,
    /// Its response to the last failure, if that came last.
    pub decision: Option<Decision>,
    /// Its place, if it explains itself.
    pub rung: Option<Rung>,
}

impl std::error::Error for Disagreement {}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy and model differ after")?;
        for Outcome { at, event } in &self.history {
            let at = at.since_origin();
            match event {
                Event::Success => write!(f, "\n  {at:?} success")?,
                Event::Failure { kind, draw } => write!(f, "\n  {at:?} {kind} failure, draw {draw}")?,
            }
        }
        write!(f, "\n  got      {:?}\n  expected {:?}", self.got, self.expected)
    }
}

struct Walk<'a> {
    rules: &'a Rules,
    gaps: [Duration; 3],
    depth: usize,
    history: Vec<Outcome>,
    checked: u64,
}

impl Walk<'_> {
    fn below<P: Policy + Copy>(&mut self, policy: &P, now: Instant) -> Result<(), Box<Disagreement>> {
        if self.history.len() == self.depth {
            return Ok(());
        }
        let draw = if self.history.len().is_multiple_of(2) { 0 } else { u64::MAX };
        for gap in self.gaps {
            let at = now + gap;
            for kind in [FailureKind::Normal, FailureKind::Unexpected] {
                let mut policy = *policy;
                let decision = policy.record_failure(kind.into(), at, draw);
                self.step(&policy, Outcome::failure(at, kind, draw), Some(decision), draw)?;
            }
            let mut policy = *policy;
            policy.record_success(at);
            self.step(&policy, Outcome::success(at), None, draw)?;
        }
        Ok(())
    }

    fn step<P: Policy + Copy>(
        &mut self,
        policy: &P,
        outcome: Outcome,
        decision: Option<Decision>,
        draw: u64,
    ) -> Result<(), Box<Disagreement>> {
        self.history.push(outcome);
        self.checked += 1;
        self.judge(policy, decision, draw)?;
        self.below(policy, outcome.at)?;
        self.history.pop();
        Ok(())
    }

    fn judge<P: Policy>(&self, policy: &P, decision: Option<Decision>, draw: u64) -> Result<(), Box<Disagreement>> {
        let expected = answer(self.rules, &self.history);
        let got = Seen { delay: policy.next_delay(), decision, rung: policy.explain(draw) };
        let same = got.delay == expected.delay
            && decision.is_none_or(|decision| decision == Decision::RetryAfter(expected.delay))
            && got.rung.is_none_or(|rung| is_same(&rung, &expected, draw));
        if same { Ok(()) } else { Err(Box::new(Disagreement { history: self.history.clone(), got, expected })) }
    }
}

fn is_same(rung: &Rung, expected: &Answer, draw: u64) -> bool {
    let Answer { regime, attempts, base, .. } = *expected;
    *rung == Rung { regime, number: attempts, base, jitter: expected.jitter(draw) }
}
