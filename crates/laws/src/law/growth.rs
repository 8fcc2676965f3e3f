//! Laws of successive bases.

use retrylab_sim::Event;
use retrylab_spec::LadderSpec;

use super::waits::in_band;
use super::{Check, Law, Need, Ruling, on, same, text, violated};
use crate::marks::Mark;

pub(super) const BASE_NEVER_DECREASES: Law = Law {
    name: "base-never-decreases",
    statement: "The base never decreases between two resets within a regime.",
    cite: "infinitefield/hypersdk PR #65; kezhuw/zookeeper-client-rust #77",
    about: |claim| claim.normal().is_some_and(rises) && !claim.is_decorrelated(),
    needs: &[Need::Place, Need::Waits(2)],
    check: Check::Record(on::FAILURE, |moment| match (moment.past.last, moment.place_and_base()) {
        // A rung that does not grow is a new ladder: there was a reset, or the extended regime began.
        (Some(((before, above), last)), Some(((regime, rung), base))) if before == regime && above < rung => {
            if base < last { violated(format!("at least {}", text(last)), text(base)) } else { Ruling::Holds }
        }
        _ => Ruling::Silent,
    }),
};

pub(super) const BASE_IS_THAT_OF_THE_RUNG: Law = Law {
    name: "base-is-that-of-the-rung",
    statement: "The base is that of the claimed ladder at the failure's rung.",
    cite: "awslabs/amazon-qldb-driver-rust PR #260; redis-rs/redis-rs #1556",
    // Of a decorrelated wait the base is the longest that it can be.
    about: |claim| claim.normal().is_some() && !claim.is_decorrelated(),
    needs: &[Need::Waits(1)],
    check: Check::Record(on::FAILURE, |moment| {
        if !matches!(moment.record.event, Event::Failure { .. }) || moment.is_asked() {
            return Ruling::Silent;
        }
        match moment.place_and_base() {
            Some(((regime, rung), base)) => match moment.claim.bases(regime) {
                Some(bases) => same(bases.base(rung), base, text),
                None => Ruling::Silent,
            },
            None => in_band(moment, moment.claimed_base()),
        }
    }),
};

pub(super) const CEILING_IS_KEPT: Law = Law {
    name: "ceiling-reached-and-kept",
    statement: "A long enough ladder reaches its ceiling, and every later base is the ceiling.",
    cite: "tidewave-ai/mcp_proxy_rust PR #9; kubernetes/kubernetes PR #31396",
    about: |claim| {
        !claim.is_decorrelated() && (Mark::Ceiling.is_claimed(claim) || Mark::ExtendedCeiling.is_claimed(claim))
    },
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| {
        let record = moment.record;
        if !matches!(record.event, Event::Failure { .. }) || moment.is_asked() {
            return Ruling::Silent;
        }
        let Some((regime, rung)) = record.regime.zip(record.rung()).or(moment.place) else { return Ruling::Silent };
        let Some(bases) = moment.claim.bases(regime) else { return Ruling::Silent };
        if bases.ceiling_from.is_none_or(|from| rung < from) {
            return Ruling::Silent;
        }
        match record.base_ns() {
            Some(base) => same(bases.ceiling, base, text),
            None => in_band(moment, Some(bases.ceiling)),
        }
    }),
};

/// A list may fall.
pub(super) fn rises(ladder: &LadderSpec) -> bool {
    match ladder {
        LadderSpec::List(rungs) => rungs.is_sorted(),
        _ => true,
    }
}
