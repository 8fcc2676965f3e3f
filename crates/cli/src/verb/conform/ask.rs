//! A subject in another process, as what vectors are played against.

use std::time::Duration;

use retrylab_core::{Decision, Instant, Policy, Regime};
use retrylab_exec::{Construction, Draws, ExecPolicy, Fault, Subject};
use retrylab_laws::vectors::{Answers, Difference, GivenFailure, Setup, Vector, Verdict, Warning, check_answers};
use retrylab_scenario::Seconds;

/// What came of a vector, and of the subject.
pub(super) struct Asked {
    pub(super) verdict: Verdict,
    /// Why there was no answer, if that is the verdict.
    pub(super) fault: Option<Fault>,
    /// Whether the subject draws its own jitter, so that the verdict says nothing.
    pub(super) draws_own: bool,
}

/// Plays a vector against the subject.
pub(super) fn ask(subject: &Subject, vector: &Vector) -> Asked {
    let mut refused = None;
    let mut draws_own = false;
    let verdict = check_answers(vector, |setup| match subject.policy(&construction(&setup), 0) {
        Ok(policy) if policy.draws() == Draws::Own => {
            draws_own = true;
            Err(Difference::Broke)
        }
        Ok(policy) => Ok(Built(policy)),
        Err(fault) => {
            refused = Some(fault);
            Err(Difference::Broke)
        }
    });
    Asked { verdict, fault: refused.or_else(|| subject.fault()), draws_own }
}

fn construction(setup: &Setup) -> Construction {
    match *setup {
        Setup::Streaming { initial_reconnect_delay } => {
            Construction::Streaming { initial_reconnect_delay: Seconds::Number(initial_reconnect_delay) }
        }
        Setup::Polling { poll_interval } => Construction::Polling { poll_interval: Seconds::Number(poll_interval) },
        Setup::Custom { normal, extended, reset, cadence } => Construction::Custom { normal, extended, reset, cadence },
    }
}

/// A policy that the subject has built.
struct Built(ExecPolicy);

impl Built {
    /// What the last request came to.
    fn unless_broken(&self) -> Result<(), Difference> {
        if self.0.subject().fault().is_some() { Err(Difference::Broke) } else { Ok(()) }
    }

    fn decided(decision: Decision, after: Result<(), Difference>) -> Result<(), Difference> {
        after?;
        match decision {
            Decision::RetryAfter(_) => Ok(()),
            Decision::GiveUp(why) => Err(Difference::GaveUp(why)),
        }
    }
}

impl Answers for Built {
    fn warned(&self, expected: Option<Warning>) -> Result<(), Difference> {
        // What a subject says is for people; whether it says something is not.
        let got = self.0.warning().is_some();
        if got == expected.is_some() { Ok(()) } else { Err(Difference::Warned { got, expected }) }
    }

    fn failure(&mut self, failure: GivenFailure, at: Instant) -> Result<(), Difference> {
        let GivenFailure { kind, status, draw } = failure;
        let decision = match status {
            Some(status) => self.0.record_status(status, at, draw),
            None => self.0.record_failure(kind.into(), at, draw),
        };
        Self::decided(decision, self.unless_broken())
    }

    fn success(&mut self, at: Instant) -> Result<(), Difference> {
        self.0.record_success(at);
        self.unless_broken()
    }

    fn read(&mut self, at: Instant) -> Result<(), Difference> {
        self.0.read(at).map(|_| ()).map_err(|_| Difference::Broke)
    }

    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }

    fn regime(&self) -> Option<Regime> {
        self.0.extended().map(|extended| if extended { Regime::Extended } else { Regime::Normal })
    }

    fn attempts(&self) -> Option<u32> {
        None
    }
}
