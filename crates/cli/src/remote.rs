//! A policy in another process, as the subject of a search.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use retrylab_laws::{Claim, Drawing, Subject, SubjectError};
use retrylab_sim::{Entropy, Given, Input, Player, Record, Responder, Response};
use retrylab_spec::{Client, JitterChoice, PolicySpec, Timeline};

use crate::exec::Claimed;

/// A policy in another process. It holds one policy at a time, so only one thread may play it.
pub(crate) struct Remote {
    claimed: Claimed,
    /// The seed of each client, which differs for a subject with draws of its own.
    clients: AtomicU64,
}

impl Remote {
    pub(crate) const fn new(claimed: Claimed) -> Self {
        Self { claimed, clients: AtomicU64::new(0) }
    }

    /// The claim, with draws of the subject's own if it has them, and waits as doubles.
    ///
    /// # Errors
    ///
    /// If the subject cannot build the policy.
    pub(crate) fn claim(&self) -> Result<Claim, retrylab_exec::SubjectFault> {
        let drawing = if self.claimed.draws_own()? { Drawing::Own } else { Drawing::Given };
        // A wait in seconds as a double is off by less than a nanosecond, and by one after rounding.
        let claim = self.claimed.role.claim.clone();
        let tolerance_ns = claim.tolerance_ns().max(1);
        Ok(claim.with_drawing(drawing).with_tolerance_ns(tolerance_ns))
    }

    /// The client in saved files.
    pub(crate) fn client(&self, claim: &Claim) -> Client {
        let played_as = self.claimed.role.client.shape();
        let name = self.claimed.subject.program().to_string();
        // Doubles hold such waits exactly, so no counterexample is a rounding error.
        Client {
            kind: PolicySpec::External { name, played_as, claims: claim.described().cloned().map(Box::new) },
            jitter: JitterChoice::Coarse,
        }
    }

    /// Plays a history and returns the responses, unless the subject failed.
    fn answered<T>(&self, answers: T) -> Result<T, SubjectError> {
        match self.claimed.subject.fault() {
            Some(fault) => Err(SubjectError(fault.to_string())),
            None => Ok(answers),
        }
    }
}

impl Subject for Remote {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError> {
        let policy = self.claimed.policy(seed).map_err(|fault| SubjectError(fault.to_string()))?;
        self.answered(Player::new(timeline, policy, None, seed).collect())
    }

    fn restart(&self) -> Result<(), SubjectError> {
        match self.claimed.subject.fault() {
            Some(_) => self.claimed.subject.restart().map_err(|error| SubjectError(error.to_string())),
            None => Ok(()),
        }
    }

    fn respond(&self, inputs: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        let client = self.clients.fetch_add(1, Relaxed);
        // Many generators give much the same first draws for seeds in a row. Doubles hold 53 bits.
        let seed = Entropy::new(0).client(2).at(client) >> 11;
        let policy = self.claimed.policy(seed).map_err(|fault| SubjectError(fault.to_string()));
        Some(policy.and_then(|policy| {
            let mut responder = Responder::new(policy);
            let mut answers = Vec::with_capacity(inputs.len());
            for input in inputs {
                if input.given == Given::Read {
                    // A handle keeps the last response; only the process shows the effect of a read.
                    responder.policy_mut().read(input.at).map_err(|fault| SubjectError(fault.to_string()))?;
                }
                answers.push(responder.respond(*input));
            }
            self.answered(answers)
        }))
    }
}
