//! The reference model as a state machine that generates calls and knows the state after each.
//!
//! Implement [`StateMachineTest`](proptest_state_machine::StateMachineTest) for a subject of your own, with
//! [`ModelMachine`] as its reference, and compare with [`Reference::answer`] after each call.

use std::time::Duration;

use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use retrylab_core::{FailureKind, Instant, Policy};
use retrylab_laws::model::{Answer, Event, Model, Outcome, Rules};
use retrylab_spec::PolicySpec;

use crate::outcomes::{events, gaps, window_of};
use crate::rules::rules;

/// Generates rules and calls, and keeps the model up to date.
#[derive(Clone, Copy, Debug)]
pub struct ModelMachine;

/// The rules, the model of a client with them, and the client's clock.
#[derive(Clone, Debug)]
pub struct Reference {
    spec: PolicySpec,
    model: Model,
    now: Instant,
}

impl Reference {
    /// The policy of the subject.
    #[must_use]
    pub const fn spec(&self) -> &PolicySpec {
        &self.spec
    }

    /// The reading of the clock.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// The expected state.
    #[must_use]
    pub fn answer(&self) -> Answer {
        self.model.answer()
    }
}

/// A call of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Time passes.
    Wait(Duration),
    /// Time passes, then an operation fails.
    Failure {
        /// The time.
        after: Duration,
        /// The kind.
        kind: FailureKind,
        /// Its draw.
        draw: u64,
    },
    /// Time passes, then an operation succeeds.
    Success {
        /// The time.
        after: Duration,
    },
    /// Everything is read, with this draw for the explanation.
    Read {
        /// A draw of no failure.
        draw: u64,
    },
}

impl Call {
    /// Passes the call to a client whose clock then shows `now`.
    #[must_use]
    pub const fn outcome(&self, now: Instant) -> Option<Outcome> {
        match *self {
            Self::Failure { kind, draw, .. } => Some(Outcome::failure(now, kind, draw)),
            Self::Success { .. } => Some(Outcome::success(now)),
            Self::Wait(_) | Self::Read { .. } => None,
        }
    }

    const fn after(&self) -> Duration {
        match *self {
            Self::Wait(after) | Self::Failure { after, .. } | Self::Success { after } => after,
            Self::Read { .. } => Duration::ZERO,
        }
    }
}

impl ReferenceStateMachine for ModelMachine {
    type State = Reference;
    type Transition = Call;

    fn init_state() -> BoxedStrategy<Reference> {
        let modelled = |spec| {
            let rules = Rules::of(&spec)?;
            Some(Reference { spec, model: Model::new(rules), now: Instant::ZERO })
        };
        rules().prop_filter_map("all are modelled", modelled).boxed()
    }

    fn transitions(state: &Reference) -> BoxedStrategy<Call> {
        let window = window_of(&state.spec);
        let gap = gaps().prop_map(move |gap| gap.of(window));
        prop_oneof![
            8 => (gap.clone(), events()).prop_map(|(after, event)| match event {
                Event::Failure { kind, draw } => Call::Failure { after, kind, draw },
                Event::Success => Call::Success { after },
            }),
            1 => gap.prop_map(Call::Wait),
            1 => any::<u64>().prop_map(|draw| Call::Read { draw }),
        ]
        .boxed()
    }

    fn apply(mut state: Reference, call: &Call) -> Reference {
        state.now = state.now + call.after();
        if let Some(outcome) = call.outcome(state.now) {
            outcome.tell(&mut state.model as &mut dyn Policy);
        }
        state
    }
}
