//! Laws of the effects of a success, a reset and an unexpected failure.

use retrylab_core::{FailureKind, Regime, nanos};

use super::waits::{in_band, unasked_wait, within};
use super::{Check, Law, Ruling, on, same, text, violated};
use crate::past::{Moment, Place};

pub(super) const EXTENDED_LASTS: Law = Law {
    name: "extended-lasts-until-due",
    statement: "The extended regime lasts until the reset rule is due.",
    cite: "the rule that health alone ends the extended regime",
    about: |claim| claim.extended().is_some() && claim.reset().is_some(),
    needs: &[],
    check: Check::Record(on::OUTCOME | on::OTHER, |moment| {
        let Some(regime) = moment.record.regime else { return extended_by_its_wait(moment) };
        match (moment.past.shown, regime) {
            (Some((Regime::Extended, _)), Regime::Normal) if !moment.is_due => violated("extended", "normal"),
            (Some((Regime::Extended, _)), _) => Ruling::Holds,
            _ => Ruling::Silent,
        }
    }),
};

pub(super) const UNEXPECTED_EXTENDS: Law = Law {
    name: "unexpected-begins-the-extended-ladder",
    statement: "An unexpected failure in the normal regime goes to the first rung of the extended ladder, and one in the \
                extended regime to the next rung.",
    cite: "the rule for unexpected failures",
    about: |claim| claim.extended().is_some() && claim.reset().is_some(),
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| {
        let record = moment.record;
        if record.kind() != Some(FailureKind::Unexpected) {
            return Ruling::Silent;
        }
        let Some(after) = record.regime.zip(record.rung()) else { return in_band(moment, moment.claimed_base()) };
        let expected = match kept(moment) {
            (Regime::Normal, _) => (Regime::Extended, 1),
            (Regime::Extended, rung) => (Regime::Extended, rung.saturating_add(1)),
        };
        same(expected, after, place)
    }),
};

pub(super) const RESET_EXACTLY_WHEN_DUE: Law = Law {
    name: "reset-exactly-when-due",
    statement: "The state is cleared exactly when the reset rule is due.",
    cite: "moby/moby #15623 and #22283; grpc/grpc-go #1525; launchdarkly/swift-eventsource PR #14",
    about: |claim| claim.reset().is_some(),
    needs: &[],
    check: Check::Record(on::OUTCOME, |moment| {
        let record = moment.record;
        // The place of a policy that gave up belongs to the next call.
        if record.is_failure() && record.wait_ns().is_none() {
            return Ruling::Silent;
        }
        let Some(after) = record.regime.zip(record.rung()) else {
            // Only the first failure after a success shows the effect of that success.
            let tells = record.is_failure() && moment.past.successes > 0;
            return if tells { in_band(moment, moment.claimed_base()) } else { Ruling::Silent };
        };
        let kept = kept(moment);
        let expected = match record.kind() {
            Some(FailureKind::Unexpected) if kept.0 == Regime::Normal && moment.claim.extended().is_some() => {
                (Regime::Extended, 1)
            }
            Some(_) => (kept.0, kept.1.saturating_add(1)),
            None => kept,
        };
        same(expected, after, place)
    }),
};

pub(super) const SUCCESS_RESTORES_THE_CADENCE: Law = Law {
    name: "success-restores-the-cadence",
    statement: "After a success the wait is the cadence, whether or not the state was cleared.",
    cite: "the rule that a success restores the cadence",
    about: |claim| claim.cadence().is_some(),
    needs: &[],
    check: Check::Record(on::SUCCESS, |moment| match (moment.record.wait_ns(), moment.claim.cadence().map(nanos)) {
        (Some(wait), Some(cadence)) => within(moment.claim, &(cadence..=cadence), wait),
        _ => Ruling::Silent,
    }),
};

/// The place that the subject showed, cleared by a reset that is due.
fn kept(moment: &Moment<'_>) -> Place {
    moment.past.shown.filter(|_| !moment.is_due).unwrap_or((Regime::Normal, 0))
}

fn place((regime, rung): Place) -> String {
    format!("{regime}, rung {rung}")
}

/// For subjects that do not show their place: a failure that was extended before and is not due.
fn extended_by_its_wait(moment: &Moment<'_>) -> Ruling {
    let was = matches!(moment.past.place, Some((Regime::Extended, _)));
    let Some(wait) = unasked_wait(moment).filter(|_| was && !moment.is_due) else { return Ruling::Silent };
    match moment.claimed_base().and_then(|base| moment.spread(base, None)).map(|waits| *waits.start()) {
        Some(least) if wait.saturating_add(moment.claim.tolerance_ns()) < least => {
            violated(format!("at least {} of the extended ladder", text(least)), text(wait))
        }
        Some(_) => Ruling::Holds,
        None => Ruling::Silent,
    }
}
