//! Reset rules that leave no ladder to climb.

use core::time::Duration;

use super::{Rule, Warning};
use crate::policy::ResetSpec;

pub(super) fn lint(reset: &ResetSpec) -> Option<Warning> {
    let warning = |key: &str, message: &str, advice: &str| Warning::new(Rule::UnreachableRungs, key, message, advice);
    match *reset {
        // Always due: the outage is over before each failure counts.
        ResetSpec::Successes(0) => Some(warning(
            "client.reset.successes",
            "an outage that takes 0 successes to end is over at its next failure: every wait is the first rung, and no \
             limit of attempts or time is ever reached",
            "write `successes = 1` or more, or `reset = { healthy_for = \"60s\" }`",
        )),
        ResetSpec::HealthyFor(Duration::ZERO) => Some(warning(
            "client.reset.healthy_for",
            "an outage that takes \"0s\" of health to end is over at the first message: a stream that breaks at once, each \
             time, waits the first rung each time",
            "write a health such as `healthy_for = \"60s\"`",
        )),
        ResetSpec::Successes(_) | ResetSpec::HealthyFor(_) => None,
    }
}
