//! Laws of when there is a next attempt, and who pays for it.

use core::ops::RangeInclusive;
use core::time::Duration;

use retrylab_core::{FailureKind, GiveUp, nanos};
use retrylab_sim::Event;

use super::waits::{Asked, asked_waits};
use super::{Check, Finding, Law, broken};
use crate::claim::CallLimits;
use crate::past::Moment;

pub(super) const ALWAYS_A_NEXT_ATTEMPT: Law = Law {
    name: "always-a-next-attempt",
    statement: "Every failure has a wait after which there is another attempt.",
    cite: "infinitefield/hypersdk PR #65; EmbarkStudios/tryhard #24",
    about: |claim| claim.endless,
    check: Check::Moment(|moment| match moment.record.event {
        Event::GaveUp { why, .. } => broken("a wait", format!("gave up ({why})")),
        Event::Failure { .. } if moment.record.wait_ns.is_none() => broken("a wait", "none"),
        Event::Failure { .. } => Finding::Holds,
        _ => Finding::Silent,
    }),
};

pub(super) const GIVES_UP_EXACTLY_WHEN_DUE: Law = Law {
    name: "gives-up-exactly-when-due",
    statement: "A call ends exactly when its limits say so: at a terminal failure, at the last attempt, at a wait that is \
                refused or does not fit into the time, or when no budget pays.",
    cite: "MikkoParkkola/mcp-gateway PR #394; jd/tenacity PR #423; cenkalti/backoff #156",
    about: |claim| claim.limits.is_some() && claim.reset.is_some(),
    check: Check::Moment(|moment| {
        let record = moment.record;
        let Some(limits) = &moment.claim.limits else { return Finding::Silent };
        if !record.is_failure() {
            return Finding::Silent;
        }
        let got = match record.event {
            Event::GaveUp { why, .. } => Some(why),
            _ => None,
        };
        match (due(moment, limits), got) {
            (Due::Unknown, _) => Finding::Silent,
            (Due::Wait, None) => Finding::Holds,
            (Due::Wait, Some(why)) => broken("a wait", format!("gave up ({why})")),
            (Due::End(why), None) => broken(format!("gave up ({why})"), "a wait"),
            (Due::End(why), Some(got)) if why.name() == got.name() || !moment.claim.says_why => Finding::Holds,
            (Due::End(why), Some(got)) => broken(format!("gave up ({why})"), format!("gave up ({got})")),
        }
    }),
};

pub(super) const NO_WAIT_AFTER_THE_LAST: Law = Law {
    name: "no-wait-after-the-last-attempt",
    statement: "The last attempt that a call may make is not followed by a wait.",
    cite: "pravega/pravega #1740; redis/ioredis #1463",
    // Where something else may end every call before, this is said by the law of giving up alone.
    about: |claim| {
        let alone = |limits: &CallLimits| {
            limits.attempts.is_some()
                && limits.elapsed.is_none()
                && limits.deadline.is_none()
                && limits.budgets.is_empty()
        };
        claim.limits.as_ref().is_some_and(alone) && claim.reset.is_some()
    },
    check: Check::Moment(|moment| {
        let attempts = moment.claim.limits.as_ref().and_then(|limits| limits.attempts);
        let Some((attempts, before)) = attempts.zip(moment.failures_before()) else { return Finding::Silent };
        if !moment.record.is_failure() || before.saturating_add(1) < attempts {
            return Finding::Silent;
        }
        match moment.record.wait_ns {
            None => Finding::Holds,
            Some(_) => broken(format!("no wait after attempt {attempts}"), format!("attempt {} has one", before + 1)),
        }
    }),
};

pub(super) const BUDGETS_CONSERVE: Law = Law {
    name: "budgets-conserve",
    statement: "No retry is made that no budget has paid for.",
    cite: "tower-rs/tower #857; grpc/proposal PR #27",
    about: |claim| claim.limits.as_ref().is_some_and(|limits| !limits.budgets.is_empty()),
    check: Check::Moment(|moment| {
        if !matches!(moment.record.event, Event::Failure { .. }) || moment.record.wait_ns.is_none() {
            return Finding::Silent;
        }
        if moment.past.accounts.can_pay(moment) { Finding::Holds } else { broken("gave up (budget)", "a wait") }
    }),
};

enum Due {
    Wait,
    End(GiveUp),
    /// It depends on a draw that is not known.
    Unknown,
}

/// What the claim makes of this failure, in the order in which limits are looked at.
fn due(moment: &Moment<'_>, limits: &CallLimits) -> Due {
    let record = moment.record;
    if record.kind() == Some(FailureKind::Unexpected) {
        return Due::End(GiveUp::Terminal);
    }
    let Some(before) = moment.failures_before() else { return Due::Unknown };
    if limits.attempts.is_some_and(|attempts| before.saturating_add(1) >= attempts) {
        return Due::End(GiveUp::Attempts);
    }
    let asked = record.asked_ns.zip(limits.retry_after);
    let waits = match asked.map(|(asked, policy)| (asked, asked_waits(moment.claim, asked, policy, record.draw))) {
        Some((asked, Asked::Refused)) => return Due::End(GiveUp::RetryAfter(Duration::from_nanos(asked))),
        Some((_, Asked::Waits(waits))) => Some(waits),
        Some((_, Asked::Ignored)) | None => moment.claimed_base().and_then(|base| moment.spread(base, record.draw)),
    };
    match fits(moment, limits, waits) {
        Some(true) => {}
        Some(false) => return Due::End(GiveUp::Elapsed),
        None => return Due::Unknown,
    }
    if moment.past.accounts.can_pay(moment) { Due::Wait } else { Due::End(GiveUp::Budget) }
}

/// Whether a wait ends in time; `None` if that depends on which of these it is.
fn fits(moment: &Moment<'_>, limits: &CallLimits, waits: Option<RangeInclusive<Duration>>) -> Option<bool> {
    let now = moment.record.clock_ns;
    let first = moment.past.first_failure_ns.filter(|_| !moment.is_due).unwrap_or(now);
    let latest = [limits.elapsed.map(|elapsed| first.saturating_add(nanos(elapsed))), limits.deadline.map(nanos)]
        .into_iter()
        .flatten()
        .min();
    let Some(latest) = latest else { return Some(true) };
    let waits = waits?;
    let ends = |wait: &Duration| now.saturating_add(nanos(*wait));
    match (ends(waits.start()) <= latest, ends(waits.end()) <= latest) {
        (true, true) => Some(true),
        (false, false) => Some(false),
        _ => None,
    }
}
