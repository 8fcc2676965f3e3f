//! How this service retries, held against an outage and the laws.

use std::time::Duration;

use retrylab_adapters::{Client, Waits};
use retrylab_core::{Jitter, Policy};
use retrylab_testkit::laws::Claim;
use retrylab_testkit::scenario::{CallSpec, LadderSpec};
use retrylab_testkit::{all, check, play};

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
    play("tests/outage.toml", policy);
}

/// The laws: a search for the shortest timeline in which the policy is not what it claims to be.
#[test]
fn the_policy_is_what_it_claims_to_be() {
    let ladder = LadderSpec::doubling(Duration::from_secs(2), CEILING);
    let claim = Claim::call(&CallSpec { ladder, jitter: Jitter::None, attempts: Some(6), ..CallSpec::default() });
    check(policy).claiming(claim).laws(all()).run();
}
