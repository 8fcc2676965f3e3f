//! The law that a failing server gets a pause: the one requirement of the length of every policy's waits.

use super::{Check, Law, Ruling, on, violated};
use crate::past::TOO_MANY_AT_ONCE;

pub(super) const REPEATED_FAILURES: Law = Law {
    name: "repeated-failures-get-a-pause",
    statement: "Of sixteen failures in a row, at least one is retried after a wait, whatever the server requests, unless the \
                claim lets it request no wait. A failure whose draw is in the first or last eighth, where jitter may make \
                the wait zero, does not count.",
    cite: "kubernetes/kubernetes PR #31396; tidewave-ai/mcp_proxy_rust PR #9",
    // No claim is necessary; and a policy that gives up has no next attempt.
    about: |_| true,
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| match (moment.at_once(), moment.record.wait_ns()) {
        (TOO_MANY_AT_ONCE.., _) => {
            violated(format!("a wait within {TOO_MANY_AT_ONCE} failures in a row"), "each is retried at once")
        }
        (_, Some(0)) => Ruling::Silent,
        _ => Ruling::Holds,
    }),
};
