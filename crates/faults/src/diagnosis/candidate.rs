//! The policies that the subject is compared with.

use retrylab_laws::{Claim, Described, Subject, SubjectError};
use retrylab_sim::Record;
use retrylab_sim::{Input, Response};
use retrylab_spec::{Client, PolicySpec, Shape, Timeline};

use crate::fault::Faulty;

/// A policy that the subject is compared with.
#[derive(Clone, Debug)]
pub(super) enum Candidate {
    /// The right policy, or the right policy with another number.
    Right(Client),
    /// The right policy with a fault.
    Faulty(Faulty),
}

impl Candidate {
    pub(super) fn respond(&self, history: &[Input]) -> Option<Vec<Response>> {
        let answers = match self {
            Self::Right(client) => Described(client.clone()).respond(history),
            Self::Faulty(faulty) => faulty.respond(history),
        };
        answers?.ok()
    }

    pub(super) fn play(&self, timeline: &Timeline) -> Option<Vec<Record>> {
        let played = |subject: &dyn Subject, timeline: &Timeline| -> Result<Vec<Record>, SubjectError> {
            subject.play(timeline, timeline.seed.unwrap_or(0))
        };
        match self {
            Self::Right(client) => {
                let mut draft = timeline.clone().into_draft();
                draft.client.kind = client.kind.clone();
                played(&Described(client.clone()), &Timeline::new(draft).ok()?).ok()
            }
            Self::Faulty(faulty) => played(faulty, timeline).ok(),
        }
    }
}

/// The built-in policy that a claim describes: for a dialect, the built-in that it varies. `None` if nothing is claimed.
pub(super) fn right(claim: &Claim) -> Option<PolicySpec> {
    let mut spec = built_in(claim.spec())?;
    if let Some(call) = spec.call_mut() {
        call.jitter = claim.jitter().unwrap_or(call.jitter);
        if let Some(ladder) = claim.normal() {
            call.ladder.clone_from(ladder);
        }
        if claim.is_endless() {
            (call.attempts, call.elapsed, call.deadline) = (None, None, None);
        }
    }
    Some(spec)
}

fn built_in(spec: &PolicySpec) -> Option<PolicySpec> {
    match spec {
        PolicySpec::External { claims, .. } => built_in(claims.as_deref()?),
        PolicySpec::Dialect { dialect, seconds } => Some(match dialect.shape() {
            Shape::Polling => PolicySpec::Polling { poll_interval: *seconds },
            Shape::Streaming | Shape::Call => PolicySpec::Streaming { initial_reconnect_delay: *seconds },
        }),
        spec => Some(spec.clone()),
    }
}
