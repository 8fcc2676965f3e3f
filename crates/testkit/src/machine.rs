//! The reference model as a state machine that makes up calls and knows what must hold after each.
//!
//! Implement [`StateMachineTest`](proptest_state_machine::StateMachineTest) for a subject of your own, with
//! [`ModelMachine`] as its reference, and compare with [`Reference::answer`] after each call.

use std::time::Duration;

use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use retrylab_core::{FailureKind, Instant, Policy};
use retrylab_laws::model::{Answer, Event, Model, Outcome, Rules};
use retrylab_laws::vectors::Setup;

use crate::outcomes::{events, gaps, window_of};
use crate::rules::rules;

/// Makes up rules and calls, and keeps the model up to date.
#[derive(Clone, Copy, Debug)]
pub struct ModelMachine;

/// Rules, the model of a client of theirs, and the client's clock.
#[derive(Clone, Debug)]
pub struct Reference {
    setup: Setup,
    model: Model,
    now: Instant,
}

impl Reference {
    /// How the subject is built.
    #[must_use]
    pub const fn setup(&self) -> Setup {
        self.setup
    }

    /// What the clock shows.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// What must hold.
    #[must_use]
    pub fn answer(&self) -> Answer {
        self.model.answer()
    }
}

/// Something that is done to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Time passes.
    Wait(Duration),
    /// Time passes, then an operation fails.
    Failure {
        /// How much time.
        after: Duration,
        /// What the failure means.
        kind: FailureKind,
        /// Its draw.
        draw: u64,
    },
    /// Time passes, then an operation succeeds.
    Success {
        /// How much time.
        after: Duration,
    },
    /// Everything is read, with this draw to explain it.
    Read {
        /// No failure's draw.
        draw: u64,
    },
}

impl Call {
    /// What it tells a client whose clock shows `now` afterwards.
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
        rules().prop_map(|setup| Reference { setup, model: Model::new(Rules::from(setup)), now: Instant::ZERO }).boxed()
    }

    fn transitions(state: &Reference) -> BoxedStrategy<Call> {
        let window = window_of(&state.setup);
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
