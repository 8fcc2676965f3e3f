//! Conformance vectors against a subject in another process.

use std::time::Duration;

use retrylab_conform::{Answers, Difference, GivenFailure, Vector, VectorVerdict, Warning, check_answers};
use retrylab_core::{Decision, Instant, Policy, Regime};
use retrylab_exec::{Construction, ExecPolicy, Subject, SubjectFault};
use retrylab_sim::{Given, Input, Responder};
use retrylab_spec::PolicySpec;

/// The verdict of a vector, and the state of the subject.
pub(super) struct Asked {
    pub(super) verdict: VectorVerdict,
    /// The reason for a missing response, if that is the verdict.
    pub(super) fault: Option<SubjectFault>,
    /// Whether the subject has draws of its own, which makes the verdict meaningless.
    pub(super) draws_own: bool,
}

/// Plays a vector against the subject.
pub(super) fn ask(subject: &Subject, vector: &Vector) -> Asked {
    let mut refused = None;
    let mut draws_own = false;
    let verdict = check_answers(vector, |spec| match build(subject, spec)? {
        Ok(policy) if policy.draws_own() => {
            draws_own = true;
            Err(Difference::Broke)
        }
        Ok(policy) => Ok(Built(Responder::new(policy))),
        Err(fault) => {
            refused = Some(fault);
            Err(Difference::Broke)
        }
    });
    Asked { verdict, fault: refused.or_else(|| subject.fault()), draws_own }
}

/// The wire has every policy of a vector.
fn build(subject: &Subject, spec: &PolicySpec) -> Result<Result<ExecPolicy, SubjectFault>, Difference> {
    Construction::of(spec).map(|construction| subject.policy(&construction, 0)).map_err(|_| Difference::Broke)
}

/// A policy that the subject has built.
struct Built(Responder<ExecPolicy>);

impl Built {
    /// Gives the policy an input. Returns its decision, unless the subject has a fault.
    fn give(&mut self, at: Instant, given: Given) -> Result<Option<Decision>, Difference> {
        let decision = self.0.give(Input { at, given });
        if self.0.policy().subject().fault().is_some() { Err(Difference::Broke) } else { Ok(decision) }
    }
}

impl Answers for Built {
    fn warned(&self, expected: Option<Warning>) -> Result<(), Difference> {
        // The text of a warning is free; only its presence counts.
        let got = self.0.policy().warning().is_some();
        if got == expected.is_some() { Ok(()) } else { Err(Difference::Warned { got, expected }) }
    }

    fn failure(&mut self, failure: GivenFailure, at: Instant) -> Result<(), Difference> {
        let GivenFailure { kind, status, draw } = failure;
        self.0.policy_mut().send_status(status);
        match self.give(at, Given::Failure { failure: kind.into(), draw })? {
            Some(Decision::GiveUp(got)) => Err(Difference::GaveUp { got }),
            Some(Decision::RetryAfter(_)) | None => Ok(()),
        }
    }

    fn success(&mut self, at: Instant) -> Result<(), Difference> {
        self.give(at, Given::Success).map(drop)
    }

    fn read(&mut self, at: Instant) -> Result<(), Difference> {
        // A handle keeps the last response; only the process shows the effect of a read.
        self.0.policy_mut().read(at).map(drop).map_err(|_| Difference::Broke)
    }

    fn next_delay(&self) -> Duration {
        self.0.policy().next_delay()
    }

    fn regime(&self) -> Option<Regime> {
        self.0.policy().extended().map(|extended| if extended { Regime::Extended } else { Regime::Normal })
    }

    fn attempts(&self) -> Option<u32> {
        None
    }
}
