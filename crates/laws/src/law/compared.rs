//! Laws that compare a history with the same history told otherwise.

use core::time::Duration;

use retrylab_core::{Instant, Jitter, Regime, ServerDelay};
use retrylab_scenario::duration::Text;

use super::growth::is_decorrelated;
use super::waits::server_delay;
use super::{Check, Compared, Law};
use crate::claim::{Claim, Drawing};
use crate::rungs;
use crate::told::{Answered, Told, What};

pub(super) const ONE_DRAW: Law = Law {
    name: "one-draw-a-failure",
    statement: "Where jitter is on, each failure uses exactly one draw, its own; a success and a reading use none.",
    cite: "modelcontextprotocol/typescript-sdk PR #2673",
    about: |claim| {
        claim.drawing == Drawing::Given && uses_draws(claim) && !is_decorrelated(claim) && !has_time_limit(claim)
    },
    check: Check::Retold(|retold| {
        let Some(last) = retold.history.iter().rposition(Told::is_failure) else { return Compared::Silent };
        let Some(draw) = retold.history[last].draw() else { return Compared::Silent };
        // With every other draw replaced by its own, the last wait is what it was.
        let otherwise: Vec<Told> = retold.history.iter().map(|told| told.with_draw(draw)).collect();
        if otherwise == retold.history {
            return Compared::Silent;
        }
        let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
        // A limit of time may have ended another call.
        match (retold.answers[last].wait(), answers[last].wait()) {
            (Some(is), Some(other)) => same(last, is, other, "whatever the draws before it"),
            _ => Compared::Silent,
        }
    }),
};

pub(super) const READING: Law = Law {
    name: "reading-changes-nothing",
    statement: "Reading the delay, the regime or the rung changes nothing, and the delay that is read is the one that was \
                decided.",
    cite: "implementations that draw their jitter at each read, so that the wait that is logged is not the one that is waited",
    about: |_| true,
    check: Check::Retold(|retold| {
        if retold.history.is_empty() {
            return Compared::Silent;
        }
        let read = |told: &Told| [*told, Told { at: told.at, what: What::Read }];
        let otherwise: Vec<Told> = retold.history.iter().flat_map(read).collect();
        let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
        for (nth, pair) in answers.chunks_exact(2).enumerate() {
            let (told, read) = (&pair[0], &pair[1]);
            if let Some(decided) = told.decision.and_then(|decision| decision.delay())
                && decided != told.delay
            {
                return broken(nth, format!("the decided {} to be read", Text(decided)), Text(told.delay));
            }
            if (told.delay, told.rung) != (read.delay, read.rung) {
                return broken(nth, format!("{} whenever it is read", Text(told.delay)), Text(read.delay));
            }
            let unread = &retold.answers[nth];
            if retold.claim.drawing == Drawing::Given && unread != told {
                return broken(nth, format!("{}, as without a reading", Text(unread.delay)), Text(told.delay));
            }
        }
        Compared::Holds
    }),
};

pub(super) const SAME_INPUTS: Law = Law {
    name: "same-inputs-same-outputs",
    statement: "The same outcomes at the same instants with the same draws give the same waits.",
    cite: "tower 0.5.3: clones that share a generator",
    about: |claim| claim.drawing == Drawing::Given,
    check: Check::Retold(|retold| {
        let Some(answers) = retold.tell(retold.history) else { return Compared::Silent };
        unchanged(retold.answers, &answers, "the second time")
    }),
};

pub(super) const REMOVED_SUCCESS: Law = Law {
    name: "removing-a-success-never-shortens-a-wait",
    statement: "With the same instants and draws, removing a success never shortens the wait after a later failure, where \
                each extended bound is at or above its normal one.",
    cite: "moby/moby #15623; grpc/grpc-go #1525",
    about: |claim| claim.endless && claim.drawing == Drawing::Given && is_upright(claim) && rises(claim),
    check: Check::Retold(|retold| {
        let successes: Vec<usize> =
            (0..retold.history.len()).filter(|&nth| retold.history[nth].what == What::Success).collect();
        let mut tested = Compared::Silent;
        for removed in sample(&successes) {
            let mut otherwise = retold.history.to_vec();
            otherwise.remove(removed);
            let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
            for nth in removed + 1..retold.history.len() {
                let (with, without) = (retold.answers[nth].wait(), answers[nth - 1].wait());
                let (Some(with), Some(without)) = (with, without) else { continue };
                if !retold.history[nth].is_failure() {
                    continue;
                }
                if without.saturating_add(tolerance(retold.claim)) < with {
                    return broken(nth, format!("at least {} without success {removed}", Text(with)), Text(without));
                }
                tested = Compared::Holds;
            }
        }
        tested
    }),
};

pub(super) const MORE_SUCCESS: Law = Law {
    name: "a-success-more-never-lengthens-a-wait",
    statement: "With the same instants and draws, one success more at the end of a run of health never lengthens the wait \
                after the next failure: health is counted from its first success.",
    cite: "implementations to which each message begins the health of a stream anew",
    about: |claim| claim.endless && claim.drawing == Drawing::Given && is_upright(claim) && rises(claim),
    check: Check::Retold(|retold| {
        let ends = (1..retold.history.len())
            .filter(|&nth| retold.history[nth].is_failure() && retold.history[nth - 1].what == What::Success);
        let mut tested = Compared::Silent;
        for failure in sample(&ends.collect::<Vec<_>>()) {
            let mut otherwise = retold.history.to_vec();
            otherwise.insert(failure, Told { at: retold.history[failure].at, what: What::Success });
            let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
            let (without, with) = (retold.answers[failure].wait(), answers[failure + 1].wait());
            let (Some(without), Some(with)) = (without, with) else { continue };
            if with > without.saturating_add(tolerance(retold.claim)) {
                return broken(failure, format!("at most {} after one success more", Text(without)), Text(with));
            }
            tested = Compared::Holds;
        }
        tested
    }),
};

pub(super) const EXTRA_FAILURE: Law = Law {
    name: "an-extra-failure-never-lowers-the-next-base",
    statement: "Within an outage, one failure more never lowers the base of the next: with no success between, no wait \
                that the server asked for, and an extended ladder that begins at or above the normal ceiling.",
    cite: "kezhuw/zookeeper-client-rust #77; bigskysoftware/htmx-extensions PR #29",
    about: |claim| {
        claim.drawing == Drawing::Given && !is_decorrelated(claim) && rises(claim) && extended_begins_above(claim)
    },
    check: Check::Retold(|retold| {
        // Draw 0 is the longest wait of a base, so the waits are the bases.
        let plain: Vec<Told> = retold.history.iter().map(|told| told.with_draw(0)).collect();
        let Some(bases) = retold.tell(&plain) else { return Compared::Silent };
        let places: Vec<usize> = (1..plain.len()).filter(|&next| is_in_outage(&plain, &bases, next)).collect();
        let mut tested = Compared::Silent;
        for next in sample(&places) {
            let mut otherwise = plain.clone();
            otherwise.insert(next, plain[next - 1]);
            let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
            // One failure more may end a call; then the next belongs to another.
            if answers[next].wait().is_none() {
                continue;
            }
            let (Some(without), Some(with)) = (bases[next].wait(), answers[next + 1].wait()) else { continue };
            if with.saturating_add(tolerance(retold.claim)) < without {
                return broken(next, format!("at least {} after one failure more", Text(without)), Text(with));
            }
            tested = Compared::Holds;
        }
        tested
    }),
};

pub(super) const CLOCK_ORIGIN: Law = Law {
    name: "the-clocks-origin-changes-nothing",
    statement: "Where the monotonic clock starts makes no difference: a history that begins later is answered the same.",
    cite: "implementations to which the clock's zero is no time at all, so that health that begins there is lost",
    about: |claim| claim.drawing == Drawing::Given && !has_deadline(claim),
    check: Check::Retold(|retold| {
        const LATER: Duration = Duration::from_secs(1000);
        let Some(otherwise) = shifted(retold.history, 0, LATER) else { return Compared::Silent };
        let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
        let compared = unchanged(retold.answers, &answers, "on a clock that starts at 1000 s");
        // The clock's zero itself matters only to what happens there, so a success is brought there, too.
        let failed = retold.history.iter().position(Told::is_failure);
        let success = failed
            .and_then(|failed| (failed..retold.history.len()).find(|&nth| retold.history[nth].what == What::Success));
        let Some(success) = success.filter(|_| compared == Compared::Holds) else { return compared };
        let at_zero = begun_with(retold.history, success);
        let Some(later) = shifted(&at_zero, 0, LATER) else { return compared };
        let (Some(zero), Some(later)) = (retold.tell(&at_zero), retold.tell(&later)) else { return Compared::Silent };
        unchanged(&later, &zero, "if the clock starts at that success")
    }),
};

pub(super) const CLOCK_STEP: Law = Law {
    name: "a-clock-step-in-an-outage-changes-nothing",
    statement: "A clock that steps, or a machine that sleeps, between two failures of an outage changes no wait: only \
                outcomes move a ladder.",
    cite: "launchdarkly/swift-eventsource PR #14: an outage that is longer than the window counts as health",
    about: |claim| claim.drawing == Drawing::Given && claim.reset.is_some() && !has_time_limit(claim),
    check: Check::Retold(|retold| {
        const LATER: Duration = Duration::from_secs(3601);
        let places: Vec<usize> =
            (1..retold.history.len()).filter(|&next| is_in_outage(retold.history, retold.answers, next)).collect();
        let mut tested = Compared::Silent;
        for next in sample(&places) {
            let Some(otherwise) = shifted(retold.history, next, LATER) else { continue };
            let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
            tested = unchanged(retold.answers, &answers, "with an hour more before it");
            if tested != Compared::Holds {
                return tested;
            }
        }
        tested
    }),
};

pub(super) const HUGE_INPUTS: Law = Law {
    name: "huge-inputs-survive",
    statement: "Two hundred failures more, with the largest and the smallest draw at the end of time, are answered: no wait \
                is above the longest ceiling, and none of an endless ladder that rises is shorter than one before with its \
                draw.",
    cite: "App-vNext/Polly #1866; kubernetes/kubernetes PR #31396; vellum-ai/vellum-assistant PR #3227",
    about: |_| true,
    check: Check::Retold(|retold| {
        let Some(last) = retold.history.iter().rposition(Told::is_failure) else { return Compared::Silent };
        let What::Failure { failure, .. } = retold.history[last].what else { return Compared::Silent };
        let mut otherwise = retold.history.to_vec();
        for nth in 0..MORE {
            let draw = if nth % 2 == 0 { u64::MAX } else { 0 };
            let failure = retrylab_core::Failure { retry_after: None, ..failure };
            otherwise.push(Told { at: Instant::MAX, what: What::Failure { failure, draw } });
        }
        let Some(answers) = retold.tell(&otherwise) else { return Compared::Silent };
        let more = &answers[retold.history.len()..];
        let longest = longest(retold.claim).unwrap_or(Duration::MAX);
        if let Some(wait) = more.iter().filter_map(Answered::wait).find(|wait| *wait > longest) {
            return broken(last, format!("at most {} after {MORE} failures more", Text(longest)), Text(wait));
        }
        match fall(retold.claim, more) {
            Some((before, wait)) => {
                broken(last, format!("at least {} all through {MORE} failures more", Text(before)), Text(wait))
            }
            None => Compared::Holds,
        }
    }),
};

/// Together with the longest made-up burst more than a count of eight bits holds.
const MORE: usize = 200;

/// Whether a draw could be used at all: by the jitter, or by the spread of what a server asks for.
fn uses_draws(claim: &Claim) -> bool {
    let spread = match server_delay(claim) {
        Some(ServerDelay::Clamp { spread, .. } | ServerDelay::Refuse { spread, .. }) => spread,
        Some(ServerDelay::Ignore) | None => Duration::ZERO,
    };
    claim.jitter != Some(Jitter::None) || !spread.is_zero()
}

/// The first wait that is shorter than one before, of answers to one outage whose draws take turns.
fn fall(claim: &Claim, answers: &[Answered]) -> Option<(Duration, Duration)> {
    if !claim.endless || claim.drawing == Drawing::Own || is_decorrelated(claim) || !rises(claim) {
        return None;
    }
    let waits = answers.iter().zip(answers.iter().skip(2)).filter_map(|(before, now)| before.wait().zip(now.wait()));
    waits.into_iter().find(|(before, wait)| wait.saturating_add(tolerance(claim)) < *before)
}

/// Whether a failure directly follows one that was retried.
fn is_in_outage(history: &[Told], answers: &[Answered], next: usize) -> bool {
    let plain = |told: &Told| match told.what {
        What::Failure { failure, .. } => failure.retry_after.is_none(),
        _ => false,
    };
    plain(&history[next - 1]) && plain(&history[next]) && answers[next - 1].wait().is_some()
}

/// The first, the one in the middle and the last, so that a long history is not told anew for each of its outcomes.
fn sample(places: &[usize]) -> impl Iterator<Item = usize> + use<> {
    let mut some: Vec<usize> =
        [places.first(), places.get(places.len() / 2), places.last()].into_iter().flatten().copied().collect();
    some.dedup();
    some.into_iter()
}

/// The same history, from this place on later; `None` if it would reach the end of time.
fn shifted(history: &[Told], from: usize, by: Duration) -> Option<Vec<Told>> {
    let end = history.last()?.at;
    if end.as_nanos() > u64::MAX / 2 {
        return None;
    }
    let later = |(nth, told): (usize, &Told)| if nth < from { *told } else { Told { at: told.at + by, ..*told } };
    Some(history.iter().enumerate().map(later).collect())
}

/// The same history with everything up to this place at the clock's zero.
fn begun_with(history: &[Told], place: usize) -> Vec<Told> {
    let zero = history[place].at;
    let moved = |told: &Told| Told { at: Instant::ZERO + told.at.since(zero), ..*told };
    history.iter().map(moved).collect()
}

fn unchanged(are: &[Answered], others: &[Answered], when: &str) -> Compared {
    if are.is_empty() {
        return Compared::Silent;
    }
    match are.iter().zip(others).position(|(is, other)| is != other) {
        None => Compared::Holds,
        Some(nth) => broken(nth, said(&are[nth]), format!("{} {when}", said(&others[nth]))),
    }
}

fn same(nth: usize, is: Duration, other: Duration, when: &str) -> Compared {
    if is == other { Compared::Holds } else { broken(nth, format!("{} {when}", Text(is)), Text(other)) }
}

fn said(answer: &Answered) -> String {
    match (answer.gave_up(), answer.rung) {
        (Some(why), _) => format!("gave up ({why})"),
        (None, Some(rung)) => format!("{} ({}, rung {})", Text(answer.delay), rung.regime, rung.number),
        (None, None) => Text(answer.delay).to_string(),
    }
}

fn broken(nth: usize, expected: impl ToString, got: impl ToString) -> Compared {
    Compared::Broken { nth, expected: expected.to_string(), got: got.to_string() }
}

const fn tolerance(claim: &Claim) -> Duration {
    Duration::from_nanos(2 * claim.tolerance_ns)
}

fn ladder_ends(claim: &Claim, regime: Regime) -> Option<(Duration, Duration)> {
    let ladder = rungs::of_regime(claim, regime)?;
    Some((rungs::base(ladder, 1), rungs::ceiling(ladder)))
}

fn is_upright(claim: &Claim) -> bool {
    match (ladder_ends(claim, Regime::Normal), ladder_ends(claim, Regime::Extended)) {
        (Some(normal), Some(extended)) => extended.0 >= normal.0 && extended.1 >= normal.1,
        (Some(_), None) => true,
        _ => false,
    }
}

fn extended_begins_above(claim: &Claim) -> bool {
    match (ladder_ends(claim, Regime::Normal), ladder_ends(claim, Regime::Extended)) {
        (Some(normal), Some(extended)) => extended.0 >= normal.1,
        _ => true,
    }
}

fn rises(claim: &Claim) -> bool {
    claim.normal.as_ref().is_some_and(super::growth::rises) && claim.extended.as_ref().is_none_or(super::growth::rises)
}

fn has_deadline(claim: &Claim) -> bool {
    claim.limits.as_ref().is_some_and(|limits| limits.deadline.is_some())
}

fn has_time_limit(claim: &Claim) -> bool {
    has_deadline(claim) || claim.limits.as_ref().is_some_and(|limits| limits.elapsed.is_some())
}

/// The longest wait of any regime, if that is claimed.
fn longest(claim: &Claim) -> Option<Duration> {
    let ceilings = [Regime::Normal, Regime::Extended].into_iter().filter_map(|regime| ladder_ends(claim, regime));
    let longest = ceilings.map(|(_, ceiling)| ceiling).max()?;
    Some(longest.max(claim.cadence.unwrap_or_default()).saturating_add(tolerance(claim)))
}
