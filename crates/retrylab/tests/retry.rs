//! How this service retries: played through an outage, and held against the laws.

use std::time::Duration;

use retrylab::{Exponential, check, play, secs};

/// The policy of the service: six attempts.
fn my_waits() -> impl Iterator<Item = Duration> {
    (0..5).map(|retry| (secs(2) * 2_u32.pow(retry)).min(secs(30)))
}

/// The scenario: a file that people write, played in virtual time.
#[test]
fn a_server_that_is_gone_for_a_minute_costs_no_call() {
    play("tests/outage.toml", my_waits);
}

/// The laws: a search for the shortest timeline in which the policy is not what it claims to be.
#[test]
fn the_policy_is_what_it_claims_to_be() {
    let claim = Exponential::new(secs(2), secs(30)).attempts(6).without_jitter();
    check(my_waits).claims(claim).regressions_if_any("tests/regressions").run();
}
