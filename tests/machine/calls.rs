//! Made-up calls, against the reference model.

use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use retrylab_core::{BuiltInReset, Policy, Retry, RetryRules, RetryState};
use retrylab_spec::{PolicySpec, Seconds};
use retrylab_testkit::machine::{Call, ModelMachine, Reference};
use retrylab_testkit::search;

use crate::{FOUND, rules_of};

prop_state_machine! {
    #![proptest_config(search(FOUND))]

    #[test]
    fn a_client_agrees_with_the_model(sequential 1..60 => Clients);
}

/// One client three times: with its own reset rule, with one chosen at run time, and behind the trait.
struct Clients {
    own: Box<dyn Policy>,
    chosen: Retry<BuiltInReset>,
    rules: RetryRules,
    state: RetryState,
}

impl StateMachineTest for Clients {
    type SystemUnderTest = Self;
    type Reference = ModelMachine;

    fn init_test(reference: &Reference) -> Self {
        let rules = rules_of(reference.spec());
        let own: Box<dyn Policy> = match (reference.spec(), reference.spec().configured().map(Seconds::as_f64)) {
            (PolicySpec::Streaming { .. }, Some(seconds)) => {
                Box::new(Retry::new(RetryRules::streaming_from_secs_f64(seconds).0))
            }
            (PolicySpec::Polling { .. }, Some(seconds)) => {
                Box::new(Retry::new(RetryRules::polling_from_secs_f64(seconds).0))
            }
            _ => Box::new(Retry::new(rules)),
        };
        Self { own, chosen: Retry::new(rules), rules, state: rules.start() }
    }

    fn apply(mut clients: Self, reference: &Reference, call: Call) -> Self {
        let now = reference.now();
        if let Some(outcome) = call.outcome(now) {
            outcome.tell(&mut *clients.own);
        }
        match call {
            Call::Failure { kind, draw, .. } => {
                let answer = clients.chosen.wait_after(kind, now, draw);
                assert_eq!(answer, reference.answer().delay);
                clients.rules.record_failure(&mut clients.state, kind, now, draw);
            }
            Call::Success { .. } => {
                clients.chosen.record_success(now);
                clients.rules.record_success(&mut clients.state, now);
            }
            Call::Read { draw } => {
                let rung = clients.chosen.explain(draw).expect("the built-in rules explain themselves");
                assert_eq!(rung.jitter, reference.answer().jitter(draw));
            }
            Call::Wait(_) => {}
        }
        clients
    }

    fn check_invariants(clients: &Self, reference: &<ModelMachine as ReferenceStateMachine>::State) {
        let expected = reference.answer();
        assert_eq!(clients.own.next_delay(), expected.delay);
        assert_eq!(clients.chosen.next_delay(), expected.delay);
        assert_eq!(clients.state, *clients.chosen.state());
        let rung = clients.own.explain(0).expect("the built-in rules explain themselves");
        assert_eq!((rung.regime, rung.number, rung.base), (expected.regime, expected.attempts, expected.base));
        assert_eq!((clients.chosen.regime(), clients.chosen.attempts()), (expected.regime, expected.attempts));
        assert_eq!(clients.rules.rung(&clients.state), expected.base);
    }
}
