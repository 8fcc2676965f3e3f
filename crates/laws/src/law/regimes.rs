//! Laws of what a success, a reset and an unexpected failure do.

use core::time::Duration;

use retrylab_core::{FailureKind, Regime};
use retrylab_scenario::duration::Text;

use super::waits::{floored, unasked_wait, within};
use super::{Check, Finding, Law, broken};
use crate::past::{Moment, Place};

pub(super) const EXTENDED_LASTS: Law = Law {
    name: "extended-lasts-until-due",
    statement: "The extended regime lasts until the reset rule is due.",
    cite: "the rule that health alone ends the extended regime",
    about: |claim| claim.extended.is_some() && claim.reset.is_some(),
    check: Check::Moment(|moment| {
        // A line that is logged before its outcome is recorded shows the state after it.
        if moment.record.event.is_aside() {
            return Finding::Silent;
        }
        let Some(regime) = moment.record.regime else { return extended_by_its_wait(moment) };
        match (moment.past.shown, regime) {
            (Some((Regime::Extended, _)), Regime::Normal) if !moment.is_due => broken("extended", "normal"),
            (Some((Regime::Extended, _)), _) => Finding::Holds,
            _ => Finding::Silent,
        }
    }),
};

pub(super) const UNEXPECTED_EXTENDS: Law = Law {
    name: "unexpected-begins-the-extended-ladder",
    statement: "An unexpected failure in the normal regime stands on the first rung of the extended ladder, and one in the \
                extended regime on the next rung.",
    cite: "the rule for unexpected failures",
    about: |claim| claim.extended.is_some() && claim.reset.is_some(),
    check: Check::Moment(|moment| {
        let record = moment.record;
        if record.kind() != Some(FailureKind::Unexpected) {
            return Finding::Silent;
        }
        let Some(after) = record.regime.zip(record.rung) else {
            return in_claimed_band(moment);
        };
        let before = kept(moment);
        let expected = match before {
            (Regime::Normal, _) => (Regime::Extended, 1),
            (Regime::Extended, rung) => (Regime::Extended, rung.saturating_add(1)),
        };
        same_place(expected, after)
    }),
};

pub(super) const RESET_EXACTLY_WHEN_DUE: Law = Law {
    name: "reset-exactly-when-due",
    statement: "The state is cleared exactly when the reset rule is due.",
    cite: "moby/moby #15623 and #22283; grpc/grpc-go #1525; launchdarkly/swift-eventsource PR #14",
    about: |claim| claim.reset.is_some(),
    check: Check::Moment(|moment| {
        let record = moment.record;
        if !record.is_success() && !record.is_failure() {
            return Finding::Silent;
        }
        // Where a policy that gave up stands is of what comes next.
        if record.is_failure() && record.wait_ns.is_none() {
            return Finding::Silent;
        }
        let Some(after) = record.regime.zip(record.rung) else {
            // Only the first failure after a success shows what that success did.
            let tells = record.is_failure() && moment.past.successes > 0;
            return if tells { in_claimed_band(moment) } else { Finding::Silent };
        };
        let kept = kept(moment);
        let expected = match record.kind() {
            Some(FailureKind::Unexpected) if kept.0 == Regime::Normal && moment.claim.extended.is_some() => {
                (Regime::Extended, 1)
            }
            Some(_) => (kept.0, kept.1.saturating_add(1)),
            None => kept,
        };
        same_place(expected, after)
    }),
};

pub(super) const SUCCESS_RESTORES_THE_CADENCE: Law = Law {
    name: "success-restores-the-cadence",
    statement: "After a success the wait is the cadence, whether or not the state was cleared.",
    cite: "the rule that a success restores the cadence",
    about: |claim| claim.cadence.is_some(),
    check: Check::Moment(|moment| match moment.record.wait_ns {
        Some(wait) if moment.record.is_success() => {
            let cadence = moment.claim.cadence.unwrap_or_default();
            within(moment.claim, &(cadence..=cadence), Duration::from_nanos(wait))
        }
        _ => Finding::Silent,
    }),
};

/// What a reset that is due leaves of where the subject says that it stood.
fn kept(moment: &Moment<'_>) -> Place {
    if moment.is_due { (Regime::Normal, 0) } else { moment.past.shown.unwrap_or((Regime::Normal, 0)) }
}

fn same_place(expected: Place, after: Place) -> Finding {
    let place = |(regime, rung): Place| format!("{regime}, rung {rung}");
    if after == expected { Finding::Holds } else { broken(place(expected), place(after)) }
}

/// For subjects that do not show where they stand: whether the wait can come of where the claim has them.
fn in_claimed_band(moment: &Moment<'_>) -> Finding {
    let waits = moment.claimed_base().and_then(|base| moment.spread(base, None));
    match (waits, unasked_wait(moment)) {
        (Some(waits), Some(wait)) => within(moment.claim, &floored(moment.claim, &waits), wait),
        _ => Finding::Silent,
    }
}

/// The same, for a failure that was extended before and is not due.
fn extended_by_its_wait(moment: &Moment<'_>) -> Finding {
    let was = matches!(moment.past.place, Some((Regime::Extended, _)));
    if !was || moment.is_due {
        return Finding::Silent;
    }
    let least = moment.claimed_base().and_then(|base| moment.spread(base, None)).map(|waits| *waits.start());
    match (least, unasked_wait(moment)) {
        (Some(least), Some(wait)) if wait.saturating_add(Duration::from_nanos(moment.claim.tolerance_ns)) < least => {
            broken(format!("at least {} of the extended ladder", Text(least)), Text(wait))
        }
        (Some(_), Some(_)) => Finding::Holds,
        _ => Finding::Silent,
    }
}
