//! Laws of the length of a single wait.

use core::ops::RangeInclusive;

use retrylab_core::{Beyond, Jitter, Least, Regime, ServerDelay, nanos};
use retrylab_spec::LadderSpec;

use super::{Check, Law, Need, Ruling, on, text, violated};
use crate::claim::{Claim, Drawing};
use crate::past::Moment;

pub(super) const JITTERED_BASE_OR_CADENCE: Law = Law {
    name: "wait-is-jittered-base-or-cadence",
    statement: "After a failure the wait is max(x, cadence), where x is the base spread by the claimed jitter: between half \
                of the base and the base, for a client of two regimes.",
    cite: "agenda/agenda #1748; failsafe-lib/failsafe #115",
    about: |claim| claim.jitter().is_some() && claim.cadence().is_some(),
    needs: &[Need::Waits(1)],
    check: Check::Record(on::FAILURE, |moment| {
        let (Some(wait), Some(base)) = (unasked_wait(moment), moment.base()) else { return Ruling::Silent };
        let record = moment.record;
        if let (Some(shown), Some(jitter)) = (record.base_ns(), record.jitter_ns())
            && moment.claim.jitter() == Some(Jitter::SubtractHalf)
            && jitter > shown / 2
        {
            return violated(format!("at most half of the base {} subtracted", text(base)), text(jitter));
        }
        match moment.spread(base, record.draw()) {
            Some(waits) => within(moment.claim, &floored(moment.claim, &waits), wait),
            None => Ruling::Silent,
        }
    }),
};

pub(super) const WITHIN_BOUNDS: Law = Law {
    name: "wait-within-bounds",
    statement: "Every wait is within the bounds of the claim, in each regime.",
    cite: "App-vNext/Polly #1866; tidewave-ai/mcp_proxy_rust PR #9; backoff 0.4.0",
    about: |claim| claim.normal().is_some() && claim.jitter().is_some(),
    needs: &[Need::Waits(1)],
    check: Check::Record(on::FAILURE, |moment| match (unasked_wait(moment), bounds(moment.claim)) {
        (Some(wait), Some(waits)) => within(moment.claim, &waits, wait),
        _ => Ruling::Silent,
    }),
};

pub(super) const SERVER_DELAY: Law = Law {
    name: "server-delay-honoured-and-bounded",
    statement: "A retry_after is waited for, cut, refused or ignored as claimed: the wait is never shorter than it, nor than \
                the claimed least, and never longer than the limit plus the spread, or than the ladder's wait.",
    cite: "hashicorp/go-retryablehttp #247, #295; acmesh-official/acme.sh #7201",
    about: |claim| !matches!(claim.retry_after(), None | Some(ServerDelay::Ignore)),
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| {
        let record = moment.record;
        let (Some(retry_after), Some(treatment), Some(wait)) =
            (record.retry_after_ns(), moment.claim.retry_after(), record.wait_ns())
        else {
            return Ruling::Silent;
        };
        match honoured(moment, retry_after, treatment) {
            Honoured::Ignored => Ruling::Silent,
            Honoured::Refused => violated("to give up at once", text(wait)),
            Honoured::Waits(waits) => within(moment.claim, &waits, wait),
        }
    }),
};

/// What a claim says about the wait after a `retry_after`.
pub(super) enum Honoured {
    Ignored,
    Refused,
    Waits(RangeInclusive<u64>),
}

pub(super) fn honoured(moment: &Moment<'_>, retry_after: u64, treatment: ServerDelay) -> Honoured {
    let ServerDelay::Honour { most, beyond, spread, least } = treatment else { return Honoured::Ignored };
    if beyond == Beyond::Refuse && retry_after > nanos(most) {
        return Honoured::Refused;
    }
    let draw = moment.record.draw().filter(|_| moment.claim.drawing() == Drawing::Given);
    let shortest = retry_after.min(nanos(most));
    let longest = shortest.saturating_add(nanos(spread));
    let requested = match draw {
        Some(draw) => {
            let subtracted = (u128::from(longest - shortest) * u128::from(draw)) >> 64;
            let wait = u64::try_from(u128::from(longest) - subtracted).unwrap_or(u64::MAX);
            wait..=wait
        }
        None => shortest..=longest,
    };
    if least == Least::Zero {
        return Honoured::Waits(requested);
    }
    // A claim without a ladder has no bound on the rung.
    let ladder = moment.claimed_base().and_then(|base| moment.spread(base, draw)).unwrap_or(0..=u64::MAX);
    Honoured::Waits(*requested.start().max(ladder.start())..=*requested.end().max(ladder.end()))
}

/// Not below the cadence.
pub(super) fn floored(claim: &Claim, waits: &RangeInclusive<u64>) -> RangeInclusive<u64> {
    let cadence = claim.cadence().map_or(0, nanos);
    (*waits.start()).max(cadence)..=(*waits.end()).max(cadence)
}

#[inline]
pub(super) fn within(claim: &Claim, waits: &RangeInclusive<u64>, wait: u64) -> Ruling {
    let tolerance = claim.tolerance_ns();
    let (lowest, highest) = (*waits.start(), *waits.end());
    if wait.saturating_add(tolerance) >= lowest && wait <= highest.saturating_add(tolerance) {
        return Ruling::Holds;
    }
    let range = || format!("between {} and {}", text(lowest), text(highest));
    violated(if lowest == highest { text(lowest) } else { range() }, text(wait))
}

/// Whether the wait of a failure can come of this base, for subjects that do not show theirs.
pub(super) fn in_band(moment: &Moment<'_>, base: Option<u64>) -> Ruling {
    let waits = base.and_then(|base| moment.spread(base, None));
    match (waits, unasked_wait(moment)) {
        (Some(waits), Some(wait)) => within(moment.claim, &floored(moment.claim, &waits), wait),
        _ => Ruling::Silent,
    }
}

/// The wait after a failure, if it does not depend on a `retry_after`.
pub(super) fn unasked_wait(moment: &Moment<'_>) -> Option<u64> {
    moment.record.wait_ns().filter(|_| moment.record.is_failure() && !moment.is_asked())
}

/// The shortest and the longest wait of any regime.
fn bounds(claim: &Claim) -> Option<RangeInclusive<u64>> {
    let of = |regime| {
        let bases = claim.bases(regime)?;
        let (first, ceiling) = (bases.base(1), bases.ceiling);
        let lowest = match (&bases.ladder, claim.jitter()?) {
            // A list may begin above where it ends.
            (LadderSpec::List(_), _) => 0,
            (_, Jitter::None | Jitter::Decorrelated | Jitter::DecorrelatedPublished) => first.min(ceiling),
            (_, Jitter::SubtractHalf) => first - first / 2,
            // No draw of an input leaves nothing of it.
            (_, Jitter::Full) if claim.drawing() == Drawing::Given => first.min(1),
            (_, Jitter::Full) => 0,
        };
        Some(floored(claim, &(lowest..=ceiling)))
    };
    let (normal, extended) = (of(Regime::Normal)?, of(Regime::Extended));
    let extended = extended.as_ref().unwrap_or(&normal);
    Some(*normal.start().min(extended.start())..=*normal.end().max(extended.end()))
}
