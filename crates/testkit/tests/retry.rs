//! How this service retries, held against an outage and a law.

use std::time::Duration;

use proptest::prelude::*;
use retrylab_adapters::{Client, Waits};
use retrylab_core::Policy;
use retrylab_testkit::{check, outcomes, search};

/// What the service has already: an iterator of waits, for six attempts in all.
fn waits() -> impl Iterator<Item = Duration> {
    (0..5).map(|retry| (Duration::from_secs(2) * 2_u32.pow(retry)).min(CEILING))
}

const CEILING: Duration = Duration::from_secs(30);

/// The adapter: a client that makes one call after the other, each with fresh waits.
fn policy() -> impl Policy {
    Client::new(Waits::new(waits))
}

/// The scenario: played in virtual time, held against what the file expects.
#[test]
fn a_server_that_is_gone_for_a_minute_costs_no_call() {
    check("tests/outage.toml", policy);
}

proptest! {
    #![proptest_config(search("tests/found.txt"))]

    /// The law: it holds whatever happens, and when.
    #[test]
    fn no_wait_is_above_the_ceiling(outcomes in outcomes(Duration::from_secs(60), 0..50)) {
        let mut policy = policy();
        for outcome in outcomes {
            outcome.tell(&mut policy);
            prop_assert!(policy.next_delay() <= CEILING);
        }
    }
}
