//! Reset rules that leave no ladder to climb.

use super::{Rule, Warning};
use crate::policy::ResetSpec;

pub(super) fn lint(reset: &ResetSpec) -> Option<Warning> {
    // Always due: the outage is over before each failure counts.
    (*reset == ResetSpec::Successes(0)).then(|| {
        Warning::new(
            Rule::UnreachableRungs,
            "client.reset.successes",
            "an outage that takes 0 successes to end is over at its next failure: every wait is the first rung, and no \
             limit of attempts or time is ever reached",
            "write `successes = 1` or more, or `reset = { healthy_for = \"60s\" }`",
        )
    })
}
