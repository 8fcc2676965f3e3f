//! Laws of how long a single wait is.

use core::ops::RangeInclusive;
use core::time::Duration;

use retrylab_core::{Jitter, Regime, ServerDelay, nanos};
use retrylab_scenario::duration::Text;

use super::{Check, Finding, Law, broken};
use crate::claim::{Claim, Drawing};
use crate::past::Moment;
use crate::rungs;

pub(super) const JITTERED_BASE_OR_CADENCE: Law = Law {
    name: "wait-is-jittered-base-or-cadence",
    statement: "After a failure the wait is max(x, cadence), where x is the base spread by the claimed jitter: between half \
                of the base and the base, for a client of two regimes.",
    cite: "agenda/agenda #1748; failsafe-lib/failsafe #115",
    about: |claim| claim.jitter.is_some() && claim.cadence.is_some(),
    check: Check::Moment(|moment| {
        let Some(wait) = unasked_wait(moment) else { return Finding::Silent };
        let Some(base) = moment.base() else { return Finding::Silent };
        let record = moment.record;
        if let (Some(shown), Some(jitter)) = (record.base_ns, record.jitter_ns)
            && moment.claim.jitter == Some(Jitter::SubtractHalf)
            && jitter > shown / 2
        {
            return broken(format!("at most half of the base {} subtracted", Text(base)), text(jitter));
        }
        match moment.spread(base, record.draw) {
            Some(waits) => within(moment.claim, &floored(moment.claim, &waits), wait),
            None => Finding::Silent,
        }
    }),
};

pub(super) const WITHIN_BOUNDS: Law = Law {
    name: "wait-within-bounds",
    statement: "No wait is longer than the longest that the claim allows, or shorter than the shortest, in whatever regime.",
    cite: "App-vNext/Polly #1866; tidewave-ai/mcp_proxy_rust PR #9; backoff 0.4.0",
    about: |claim| claim.normal.is_some() && claim.jitter.is_some(),
    check: Check::Moment(|moment| {
        let (Some(wait), Some(waits)) = (unasked_wait(moment), bounds(moment.claim)) else { return Finding::Silent };
        within(moment.claim, &waits, wait)
    }),
};

pub(super) const SERVER_DELAY: Law = Law {
    name: "server-delay-honoured-and-bounded",
    statement: "A wait that the server asks for is waited, cut or refused as claimed, and is otherwise ignored: never \
                shorter than what was asked for, never longer than the limit and the spread.",
    cite: "hashicorp/go-retryablehttp #247, #295; acmesh-official/acme.sh #7201",
    about: |claim| !matches!(server_delay(claim), None | Some(ServerDelay::Ignore)),
    check: Check::Moment(|moment| {
        let Some((asked, policy)) = moment.record.asked_ns.zip(server_delay(moment.claim)) else {
            return Finding::Silent;
        };
        let Some(wait) = moment.record.wait_ns.filter(|_| moment.record.is_failure()) else { return Finding::Silent };
        match asked_waits(moment.claim, asked, policy, moment.record.draw) {
            Asked::Ignored => Finding::Silent,
            Asked::Refused => broken("giving up at once", text(wait)),
            Asked::Waits(waits) => within(moment.claim, &waits, Duration::from_nanos(wait)),
        }
    }),
};

/// What the claim makes of a wait that the server asks for.
pub(super) enum Asked {
    Ignored,
    Refused,
    Waits(RangeInclusive<Duration>),
}

pub(super) fn asked_waits(claim: &Claim, asked_ns: u64, policy: ServerDelay, draw: Option<u64>) -> Asked {
    let (shortest, spread) = match policy {
        ServerDelay::Ignore => return Asked::Ignored,
        ServerDelay::Clamp { most, spread } => (asked_ns.min(nanos(most)), nanos(spread)),
        ServerDelay::Refuse { most, .. } if asked_ns > nanos(most) => return Asked::Refused,
        ServerDelay::Refuse { spread, .. } => (asked_ns, nanos(spread)),
    };
    let longest = shortest.saturating_add(spread);
    let span = Duration::from_nanos;
    match draw.filter(|_| claim.drawing == Drawing::Given) {
        Some(draw) => {
            let subtracted = (u128::from(longest - shortest) * u128::from(draw)) >> 64;
            let wait = span(u64::try_from(u128::from(longest) - subtracted).unwrap_or(u64::MAX));
            Asked::Waits(wait..=wait)
        }
        None => Asked::Waits(span(shortest)..=span(longest)),
    }
}

/// What is done with a wait that the server asks for; a source ignores it.
pub(super) fn server_delay(claim: &Claim) -> Option<ServerDelay> {
    match &claim.limits {
        Some(limits) => limits.retry_after,
        None => claim.endless.then_some(ServerDelay::Ignore),
    }
}

/// Not below the cadence.
pub(super) fn floored(claim: &Claim, waits: &RangeInclusive<Duration>) -> RangeInclusive<Duration> {
    let cadence = claim.cadence.unwrap_or_default();
    (*waits.start()).max(cadence)..=(*waits.end()).max(cadence)
}

pub(super) fn within(claim: &Claim, waits: &RangeInclusive<Duration>, wait: Duration) -> Finding {
    let tolerance = Duration::from_nanos(claim.tolerance_ns);
    let (lowest, highest) = (*waits.start(), *waits.end());
    if wait.saturating_add(tolerance) >= lowest && wait <= highest.saturating_add(tolerance) {
        return Finding::Holds;
    }
    if lowest == highest {
        broken(Text(lowest), Text(wait))
    } else {
        broken(format!("between {} and {}", Text(lowest), Text(highest)), Text(wait))
    }
}

/// The wait after a failure of which no server's wish was taken into account.
pub(super) fn unasked_wait(moment: &Moment<'_>) -> Option<Duration> {
    let record = moment.record;
    if !record.is_failure() {
        return None;
    }
    record.wait_ns.filter(|_| !moment.is_asked()).map(Duration::from_nanos)
}

/// The shortest and the longest wait of any regime.
fn bounds(claim: &Claim) -> Option<RangeInclusive<Duration>> {
    let of = |regime| {
        let ladder = rungs::of_regime(claim, regime)?;
        let (first, ceiling) = (rungs::base(ladder, 1), rungs::ceiling(ladder));
        let lowest = match claim.jitter? {
            Jitter::None | Jitter::Decorrelated | Jitter::DecorrelatedPublished => first.min(ceiling),
            Jitter::SubtractHalf => first - first / 2,
            // No draw that is given leaves nothing of it.
            Jitter::Full if claim.drawing == Drawing::Given => Duration::from_nanos(nanos(first).min(1)),
            Jitter::Full => Duration::ZERO,
        };
        // A list may begin above where it ends.
        let lowest = match ladder {
            retrylab_scenario::LadderSpec::List(_) => Duration::ZERO,
            _ => lowest,
        };
        let waits = floored(claim, &(lowest..=ceiling));
        Some((*waits.start(), *waits.end()))
    };
    let normal = of(Regime::Normal)?;
    let (lowest, highest) =
        of(Regime::Extended).map_or(normal, |extended| (normal.0.min(extended.0), normal.1.max(extended.1)));
    Some(lowest..=highest)
}

fn text(ns: u64) -> Text {
    Text(Duration::from_nanos(ns))
}
