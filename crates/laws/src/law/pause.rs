//! The law that a server which keeps failing gets a pause: the one thing that is asked of how long anybody waits.

use super::{Check, Finding, Law, broken};
use crate::past::TOO_MANY_AT_ONCE;

pub(super) const REPEATED_FAILURES: Law = Law {
    name: "repeated-failures-get-a-pause",
    statement: "Of sixteen failures in a row, not all are retried at once, without any wait. What the server asks for does not \
                count, nor does a failure whose draw is in the first or last eighth, which jitter may make nothing of.",
    cite: "kubernetes/kubernetes PR #31396; tidewave-ai/mcp_proxy_rust PR #9",
    // Nobody has to claim that; and who gives up has no next attempt.
    about: |_| true,
    check: Check::Moment(|moment| {
        if !moment.record.is_failure() {
            return Finding::Silent;
        }
        match (moment.at_once(), moment.record.wait_ns) {
            (TOO_MANY_AT_ONCE.., _) => {
                broken(format!("a wait within {TOO_MANY_AT_ONCE} failures in a row"), "each is retried at once")
            }
            (_, Some(0)) => Finding::Silent,
            _ => Finding::Holds,
        }
    }),
};
