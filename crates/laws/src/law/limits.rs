//! Laws of the end of a call and of its budgets.

use core::ops::RangeInclusive;
use core::time::Duration;

use retrylab_core::{FailureKind, GiveUp, nanos};
use retrylab_sim::Event;
use retrylab_spec::CallSpec;

use super::waits::{Honoured, honoured};
use super::{Check, Law, Ruling, on, violated};
use crate::past::Moment;

pub(super) const ALWAYS_A_NEXT_ATTEMPT: Law = Law {
    name: "always-a-next-attempt",
    statement: "Every failure has a wait, followed by another attempt.",
    cite: "infinitefield/hypersdk PR #65; EmbarkStudios/tryhard #24",
    about: |claim| claim.is_endless(),
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| match moment.record.event {
        Event::GaveUp { why, .. } => violated("a wait", format!("gave up ({why})")),
        _ if moment.record.wait_ns().is_none() => violated("a wait", "none"),
        _ => Ruling::Holds,
    }),
};

pub(super) const GIVES_UP_EXACTLY_WHEN_DUE: Law = Law {
    name: "gives-up-exactly-when-due",
    statement: "A call ends exactly at its limits: at a terminal failure, at the last attempt, at a wait that is \
                refused or does not fit into the time, or when no budget pays.",
    cite: "MikkoParkkola/mcp-gateway PR #394; jd/tenacity PR #423; cenkalti/backoff #156",
    about: |claim| claim.limits().is_some() && claim.reset().is_some(),
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| {
        let Some(limits) = moment.claim.limits() else { return Ruling::Silent };
        let got = match moment.record.event {
            Event::GaveUp { why, .. } => Some(why),
            _ => None,
        };
        let end = |why| format!("gave up ({why})");
        match (due(moment, limits), got) {
            (Due::Unknown, _) => Ruling::Silent,
            (Due::Wait, None) => Ruling::Holds,
            (Due::Wait, Some(why)) => violated("a wait", end(why)),
            (Due::End(why), None) => violated(end(why), "a wait"),
            (Due::End(why), Some(got)) if why.name() == got.name() || !moment.claim.says_why() => Ruling::Holds,
            (Due::End(why), Some(got)) => violated(end(why), end(got)),
        }
    }),
};

pub(super) const NO_WAIT_AFTER_THE_LAST: Law = Law {
    name: "no-wait-after-the-last-attempt",
    statement: "No wait follows the last attempt of a call.",
    cite: "pravega/pravega #1740; redis/ioredis #1463",
    // Where another limit may end every call before, only the law of giving up is about the end.
    about: |claim| {
        let alone = |limits: &CallSpec| {
            limits.attempts.is_some()
                && limits.elapsed.is_none()
                && limits.deadline.is_none()
                && limits.budgets.is_empty()
        };
        claim.limits().is_some_and(alone) && claim.reset().is_some()
    },
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| {
        let attempts = moment.claim.limits().and_then(|limits| limits.attempts);
        match attempts.zip(moment.failures_before().map(|before| before.saturating_add(1))) {
            Some((attempts, attempt)) if attempt >= attempts => match moment.record.wait_ns() {
                None => Ruling::Holds,
                Some(_) => violated(format!("no wait after attempt {attempts}"), format!("attempt {attempt} has one")),
            },
            _ => Ruling::Silent,
        }
    }),
};

pub(super) const BUDGETS_CONSERVE: Law = Law {
    name: "budgets-conserve",
    statement: "Every retry is paid for by its budget.",
    cite: "tower-rs/tower #857; grpc/proposal PR #27",
    about: |claim| !claim.budgets().is_empty(),
    needs: &[],
    check: Check::Record(on::FAILURE, |moment| {
        if !matches!(moment.record.event, Event::Failure { .. }) || moment.record.wait_ns().is_none() {
            return Ruling::Silent;
        }
        if moment.past.accounts.can_pay(moment) { Ruling::Holds } else { violated("gave up (budget)", "a wait") }
    }),
};

enum Due {
    Wait,
    End(GiveUp),
    /// It depends on a draw that is not known.
    Unknown,
}

/// The claimed consequence of this failure, with the limits in their order.
fn due(moment: &Moment<'_>, limits: &CallSpec) -> Due {
    let record = moment.record;
    if record.kind() == Some(FailureKind::Unexpected) {
        return Due::End(GiveUp::Terminal);
    }
    let Some(before) = moment.failures_before() else { return Due::Unknown };
    if limits.attempts.is_some_and(|attempts| before.saturating_add(1) >= attempts) {
        return Due::End(GiveUp::Attempts);
    }
    let requested =
        record.retry_after_ns().map(|requested| (requested, honoured(moment, requested, limits.retry_after)));
    let waits = match requested {
        Some((requested, Honoured::Refused)) => {
            return Due::End(GiveUp::RetryAfter(Duration::from_nanos(requested)));
        }
        Some((_, Honoured::Waits(waits))) => Some(waits),
        Some((_, Honoured::Ignored)) | None => {
            moment.claimed_base().and_then(|base| moment.spread(base, record.draw()))
        }
    };
    match fits(moment, limits, waits) {
        Some(true) => {}
        Some(false) => return Due::End(GiveUp::Elapsed),
        None => return Due::Unknown,
    }
    if moment.past.accounts.can_pay(moment) { Due::Wait } else { Due::End(GiveUp::Budget) }
}

/// Whether a wait ends in time; `None` if only some of them do.
fn fits(moment: &Moment<'_>, limits: &CallSpec, waits: Option<RangeInclusive<u64>>) -> Option<bool> {
    let now = moment.record.clock_ns;
    let first = moment.past.first_failure_ns.filter(|_| !moment.is_due).unwrap_or(now);
    let latest = [limits.elapsed.map(|elapsed| first.saturating_add(nanos(elapsed))), limits.deadline.map(nanos)]
        .into_iter()
        .flatten()
        .min();
    let Some(latest) = latest else { return Some(true) };
    let waits = waits?;
    let ends = |wait: &u64| now.saturating_add(*wait);
    match (ends(waits.start()) <= latest, ends(waits.end()) <= latest) {
        (true, true) => Some(true),
        (false, false) => Some(false),
        _ => None,
    }
}
