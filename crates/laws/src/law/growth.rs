//! Laws of how bases follow each other.

use core::time::Duration;

use retrylab_scenario::{LadderSpec, duration::Text};

use super::waits::{floored, unasked_wait, within};
use super::{Check, Finding, Law, broken};
use crate::claim::Claim;
use crate::marks::Mark;
use crate::past::Moment;
use crate::rungs;

pub(super) const BASE_NEVER_DECREASES: Law = Law {
    name: "base-never-decreases",
    statement: "The base never decreases between two resets within a regime.",
    cite: "infinitefield/hypersdk PR #65; kezhuw/zookeeper-client-rust #77",
    about: |claim| claim.normal.as_ref().is_some_and(rises) && !is_decorrelated(claim),
    check: Check::Moment(|moment| {
        let record = moment.record;
        if moment.is_asked() {
            return Finding::Silent;
        }
        let (Some(regime), Some(rung), Some(base)) = (record.regime, record.rung, record.base_ns) else {
            return Finding::Silent;
        };
        // A rung that does not grow is a new ladder: there was a reset, or the extended regime began.
        match moment.past.last {
            Some(last) if last.place.0 == regime && last.place.1 < rung => {
                if base < last.base_ns {
                    broken(format!("at least {}", text(last.base_ns)), text(base))
                } else {
                    Finding::Holds
                }
            }
            _ => Finding::Silent,
        }
    }),
};

pub(super) const BASE_IS_THAT_OF_THE_RUNG: Law = Law {
    name: "base-is-that-of-the-rung",
    statement: "The base is that of the claimed ladder at the rung that the failure stands on.",
    cite: "awslabs/amazon-qldb-driver-rust PR #260; redis-rs/redis-rs #1556",
    // Of a decorrelated wait the base is the longest that it can be.
    about: |claim| claim.normal.is_some() && !is_decorrelated(claim),
    check: Check::Moment(|moment| {
        let record = moment.record;
        if !matches!(record.event, retrylab_sim::Event::Failure { .. }) || moment.is_asked() {
            return Finding::Silent;
        }
        match (record.regime, record.rung, record.base_ns) {
            (Some(regime), Some(rung), Some(base)) => match rungs::of_regime(moment.claim, regime) {
                Some(ladder) => same(rungs::base(ladder, rung), Duration::from_nanos(base)),
                None => Finding::Silent,
            },
            _ => in_band(moment, moment.claimed_base()),
        }
    }),
};

pub(super) const CEILING_IS_KEPT: Law = Law {
    name: "ceiling-reached-and-kept",
    statement: "A ladder that is long enough reaches its ceiling, and every base from there on is the ceiling.",
    cite: "tidewave-ai/mcp_proxy_rust PR #9; kubernetes/kubernetes PR #31396",
    about: |claim| {
        !is_decorrelated(claim) && (Mark::Ceiling.is_claimed(claim) || Mark::ExtendedCeiling.is_claimed(claim))
    },
    check: Check::Moment(|moment| {
        let record = moment.record;
        if !matches!(record.event, retrylab_sim::Event::Failure { .. }) || moment.is_asked() {
            return Finding::Silent;
        }
        let Some((regime, rung)) = record.regime.zip(record.rung).or(moment.place) else { return Finding::Silent };
        let Some(ladder) = rungs::of_regime(moment.claim, regime) else { return Finding::Silent };
        if reaches(ladder).is_none_or(|from| rung < from) {
            return Finding::Silent;
        }
        match record.base_ns {
            Some(base) => same(rungs::ceiling(ladder), Duration::from_nanos(base)),
            None => in_band(moment, Some(rungs::ceiling(ladder))),
        }
    }),
};

/// Whether the wait can come of this base; for subjects that do not show theirs.
fn in_band(moment: &Moment<'_>, base: Option<Duration>) -> Finding {
    let waits = base.and_then(|base| moment.spread(base, None));
    match (waits, unasked_wait(moment)) {
        (Some(waits), Some(wait)) => within(moment.claim, &floored(moment.claim, &waits), wait),
        _ => Finding::Silent,
    }
}

fn same(expected: Duration, got: Duration) -> Finding {
    if expected == got { Finding::Holds } else { broken(Text(expected), Text(got)) }
}

pub(super) fn is_decorrelated(claim: &Claim) -> bool {
    use retrylab_core::Jitter::{Decorrelated, DecorrelatedPublished};
    matches!(claim.jitter, Some(Decorrelated | DecorrelatedPublished))
}

/// The rung from which on a ladder is at its ceiling, if it gets there within a thousand.
pub(crate) fn reaches(ladder: &LadderSpec) -> Option<u32> {
    const MOST: u32 = 1000;
    rungs::ceiling_from(ladder, MOST)
}

/// A list may fall.
pub(super) fn rises(ladder: &LadderSpec) -> bool {
    match ladder {
        LadderSpec::List(rungs) => rungs.is_sorted(),
        _ => true,
    }
}

fn text(ns: u64) -> Text {
    Text(Duration::from_nanos(ns))
}
