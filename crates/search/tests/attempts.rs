//! A law that a limit on attempts rules out is not applicable, and never vacuous.

use std::ops::ControlFlow;

use retrylab_core::Jitter;
use retrylab_laws::{Claim, Described, LAWS, Law};
use retrylab_search::Search;
use retrylab_spec::{CallSpec, Client, PolicySpec};

fn call(attempts: u32, jitter: Jitter) -> CallSpec {
    CallSpec { attempts: Some(attempts), jitter, ..CallSpec::default() }
}

#[test]
fn a_call_of_any_number_of_attempts_is_clean_and_leaves_no_law_vacuous() {
    for attempts in 1..=20 {
        for jitter in [Jitter::Full, Jitter::None] {
            let client = Client::new(PolicySpec::Call(call(attempts, jitter)));
            let search = Search::of(client.clone(), Claim::of(&client), LAWS);
            let searched = search.run(&Described(client), |_| ControlFlow::Continue(()));
            assert!(searched.is_clean(), "{attempts} attempts with {jitter} jitter: {searched:?}");
        }
    }
}

/// The extra failure of that law is the third wait of a call, so it needs four attempts.
#[test]
fn a_law_of_waits_is_not_applicable_to_a_call_with_fewer() {
    let applies = |name: &str, attempts| Law::find(name).expect("a law").applies(&call(attempts, Jitter::Full).into());
    for (name, fewest) in [
        ("wait-within-bounds", 2),
        ("clients-differ", 2),
        ("base-never-decreases", 3),
        ("an-extra-failure-never-lowers-the-next-base", 4),
        ("gives-up-exactly-when-due", 1),
    ] {
        assert!(applies(name, fewest), "{name}");
        assert!(fewest == 1 || !applies(name, fewest - 1), "{name}");
    }
}
