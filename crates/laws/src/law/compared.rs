//! Laws that compare the responses to the inputs of a run with those to changed inputs.

use core::time::Duration;

use retrylab_core::{Instant, Jitter, Regime, ServerDelay};
use retrylab_sim::{Given, Input, Response};
use retrylab_spec::duration::Text;

use super::{Check, Law, Need, Ruling, violated_at};
use crate::claim::{Claim, Drawing};

const COMPARISON: &[Need] = &[Need::Comparison];

pub(super) const ONE_DRAW: Law = Law {
    name: "one-draw-a-failure",
    statement: "With jitter on, each failure uses exactly one draw, its own; a success or a read uses none.",
    cite: "modelcontextprotocol/typescript-sdk PR #2673",
    about: |claim| {
        claim.drawing() == Drawing::Given && uses_draws(claim) && !claim.is_decorrelated() && !has_time_limit(claim)
    },
    needs: &[Need::Comparison, Need::Waits(1)],
    check: Check::Compared(|comparison| {
        let Some(last) = comparison.inputs.iter().rposition(Input::is_failure) else { return Ruling::Silent };
        let Some(draw) = comparison.inputs[last].draw() else { return Ruling::Silent };
        // With every other draw replaced by its own, the last wait is what it was.
        let otherwise: Vec<Input> = comparison.inputs.iter().map(|input| input.with_draw(draw)).collect();
        if otherwise == comparison.inputs {
            return Ruling::Silent;
        }
        let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
        // A limit of time may have ended another call.
        match (comparison.responses[last].wait(), responses[last].wait()) {
            (Some(is), Some(other)) => same(last, is, other, "whatever the draws before it"),
            _ => Ruling::Silent,
        }
    }),
};

pub(super) const READING: Law = Law {
    name: "reading-changes-nothing",
    statement: "Reading the delay, the regime or the rung changes nothing, and the delay read is the one that was \
                decided.",
    cite: "implementations that draw their jitter at each read, so that the logged wait is not the actual one",
    about: |_| true,
    needs: COMPARISON,
    check: Check::Compared(|comparison| {
        if comparison.inputs.is_empty() {
            return Ruling::Silent;
        }
        let mut otherwise = Vec::with_capacity(2 * comparison.inputs.len());
        for input in comparison.inputs {
            otherwise.extend([*input, Input { at: input.at, given: Given::Read }]);
        }
        let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
        for (nth, pair) in responses.chunks_exact(2).enumerate() {
            let (given, read) = (&pair[0], &pair[1]);
            if let Some(decided) = given.decision.and_then(|decision| decision.delay())
                && decided != given.delay
            {
                return violated_at(nth, format!("the decided {} to be read", Text(decided)), Text(given.delay));
            }
            if (given.delay, given.rung) != (read.delay, read.rung) {
                return violated_at(nth, format!("{} whenever it is read", Text(given.delay)), Text(read.delay));
            }
            let unread = &comparison.responses[nth];
            if comparison.claim.drawing() == Drawing::Given && unread != given {
                return violated_at(nth, format!("{}, as without a reading", Text(unread.delay)), Text(given.delay));
            }
        }
        Ruling::Holds
    }),
};

pub(super) const SAME_INPUTS: Law = Law {
    name: "same-inputs-same-outputs",
    statement: "The same outcomes at the same instants with the same draws give the same waits.",
    cite: "tower 0.5.3: clones that share a generator",
    about: |claim| claim.drawing() == Drawing::Given,
    needs: COMPARISON,
    check: Check::Compared(|comparison| {
        let Some(responses) = comparison.respond(comparison.inputs) else { return Ruling::Silent };
        unchanged(comparison.responses, &responses, "the second time")
    }),
};

pub(super) const REMOVED_SUCCESS: Law = Law {
    name: "removing-a-success-never-shortens-a-wait",
    statement: "With the same instants and draws, removing a success never shortens the wait after a later failure, if \
                each extended bound is at or above its normal one.",
    cite: "moby/moby #15623; grpc/grpc-go #1525",
    about: |claim| claim.is_endless() && claim.drawing() == Drawing::Given && is_upright(claim) && rises(claim),
    needs: COMPARISON,
    check: Check::Compared(|comparison| {
        let successes: Vec<usize> =
            (0..comparison.inputs.len()).filter(|&nth| comparison.inputs[nth].given == Given::Success).collect();
        let mut tested = Ruling::Silent;
        for removed in sample(&successes) {
            let mut otherwise = comparison.inputs.to_vec();
            otherwise.remove(removed);
            let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
            for nth in removed + 1..comparison.inputs.len() {
                let (with, without) = (comparison.responses[nth].wait(), responses[nth - 1].wait());
                let (Some(with), Some(without)) = (with, without) else { continue };
                if !comparison.inputs[nth].is_failure() {
                    continue;
                }
                if without.saturating_add(tolerance(comparison.claim)) < with {
                    return violated_at(
                        nth,
                        format!("at least {} without success {removed}", Text(with)),
                        Text(without),
                    );
                }
                tested = Ruling::Holds;
            }
        }
        tested
    }),
};

pub(super) const MORE_SUCCESS: Law = Law {
    name: "a-success-more-never-lengthens-a-wait",
    statement: "With the same instants and draws, an additional success at the end of a run of health never lengthens the wait \
                after the next failure: health is counted from its first success.",
    cite: "implementations in which each message restarts the health of a stream",
    about: |claim| claim.is_endless() && claim.drawing() == Drawing::Given && is_upright(claim) && rises(claim),
    needs: COMPARISON,
    check: Check::Compared(|comparison| {
        let ends = (1..comparison.inputs.len())
            .filter(|&nth| comparison.inputs[nth].is_failure() && comparison.inputs[nth - 1].given == Given::Success);
        let mut tested = Ruling::Silent;
        for failure in sample(&ends.collect::<Vec<_>>()) {
            let mut otherwise = comparison.inputs.to_vec();
            otherwise.insert(failure, Input { at: comparison.inputs[failure].at, given: Given::Success });
            let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
            let (without, with) = (comparison.responses[failure].wait(), responses[failure + 1].wait());
            let (Some(without), Some(with)) = (without, with) else { continue };
            if with > without.saturating_add(tolerance(comparison.claim)) {
                return violated_at(failure, format!("at most {} after one success more", Text(without)), Text(with));
            }
            tested = Ruling::Holds;
        }
        tested
    }),
};

pub(super) const EXTRA_FAILURE: Law = Law {
    name: "an-extra-failure-never-lowers-the-next-base",
    statement: "Within an outage, an additional failure never lowers the base of the next, if there is no success between, no \
                retry_after, and an extended ladder that begins at or above the normal ceiling.",
    cite: "kezhuw/zookeeper-client-rust #77; bigskysoftware/htmx-extensions PR #29",
    about: |claim| {
        claim.drawing() == Drawing::Given && !claim.is_decorrelated() && rises(claim) && extended_begins_above(claim)
    },
    needs: &[Need::Comparison, Need::Waits(3)],
    check: Check::Compared(|comparison| {
        // Draw 0 is the longest wait of a base, so the waits are the bases.
        let plain: Vec<Input> = comparison.inputs.iter().map(|input| input.with_draw(0)).collect();
        let Some(bases) = comparison.respond(&plain) else { return Ruling::Silent };
        let places: Vec<usize> = (1..plain.len()).filter(|&next| is_in_outage(&plain, &bases, next)).collect();
        let mut tested = Ruling::Silent;
        for next in sample(&places) {
            let mut otherwise = plain.clone();
            otherwise.insert(next, plain[next - 1]);
            let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
            // One failure more may end a call; then the next belongs to another.
            if responses[next].wait().is_none() {
                continue;
            }
            let (Some(without), Some(with)) = (bases[next].wait(), responses[next + 1].wait()) else { continue };
            if with.saturating_add(tolerance(comparison.claim)) < without {
                return violated_at(next, format!("at least {} after one failure more", Text(without)), Text(with));
            }
            tested = Ruling::Holds;
        }
        tested
    }),
};

pub(super) const CLOCK_ORIGIN: Law = Law {
    name: "the-clocks-origin-changes-nothing",
    statement: "The origin of the monotonic clock makes no difference: a history that begins later has the same responses.",
    cite: "implementations that take the clock's zero as unset, so that health that begins there is lost",
    about: |claim| claim.drawing() == Drawing::Given && !has_deadline(claim),
    needs: COMPARISON,
    check: Check::Compared(|comparison| {
        const LATER: Duration = Duration::from_secs(1000);
        let Some(otherwise) = shifted(comparison.inputs, 0, LATER) else { return Ruling::Silent };
        let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
        let compared = unchanged(comparison.responses, &responses, "on a clock that starts at 1000 s");
        // The clock's zero itself matters only to what happens there, so a success is brought there, too.
        let failed = comparison.inputs.iter().position(Input::is_failure);
        let success = failed.and_then(|failed| {
            (failed..comparison.inputs.len()).find(|&nth| comparison.inputs[nth].given == Given::Success)
        });
        let Some(success) = success.filter(|_| compared == Ruling::Holds) else { return compared };
        let at_zero = begun_with(comparison.inputs, success);
        let Some(later) = shifted(&at_zero, 0, LATER) else { return compared };
        let (Some(zero), Some(later)) = (comparison.respond(&at_zero), comparison.respond(&later)) else {
            return Ruling::Silent;
        };
        unchanged(&later, &zero, "if the clock starts at that success")
    }),
};

pub(super) const CLOCK_STEP: Law = Law {
    name: "a-clock-step-in-an-outage-changes-nothing",
    statement: "A clock step, or a suspend, between two failures of an outage changes no wait: only \
                outcomes move a ladder.",
    cite: "launchdarkly/swift-eventsource PR #14: an outage that is longer than the window counts as health",
    about: |claim| claim.drawing() == Drawing::Given && claim.reset().is_some() && !has_time_limit(claim),
    needs: &[Need::Comparison, Need::Waits(1)],
    check: Check::Compared(|comparison| {
        const LATER: Duration = Duration::from_secs(3601);
        let places: Vec<usize> = (1..comparison.inputs.len())
            .filter(|&next| is_in_outage(comparison.inputs, comparison.responses, next))
            .collect();
        let mut tested = Ruling::Silent;
        for next in sample(&places) {
            let Some(otherwise) = shifted(comparison.inputs, next, LATER) else { continue };
            let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
            tested = unchanged(comparison.responses, &responses, "with an hour more before it");
            if tested != Ruling::Holds {
                return tested;
            }
        }
        tested
    }),
};

pub(super) const HUGE_INPUTS: Law = Law {
    name: "huge-inputs-survive",
    statement: "Two hundred further failures, with the largest and the smallest draw at the end of time, have responses: no wait \
                is above the longest ceiling, and on an endless rising ladder none is shorter than an earlier one with the same \
                draw.",
    cite: "App-vNext/Polly #1866; kubernetes/kubernetes PR #31396; vellum-ai/vellum-assistant PR #3227",
    about: |_| true,
    needs: COMPARISON,
    check: Check::Compared(|comparison| {
        let Some(last) = comparison.inputs.iter().rposition(Input::is_failure) else { return Ruling::Silent };
        let Given::Failure { failure, .. } = comparison.inputs[last].given else { return Ruling::Silent };
        let mut otherwise = comparison.inputs.to_vec();
        for nth in 0..MORE {
            let draw = if nth % 2 == 0 { u64::MAX } else { 0 };
            let failure = retrylab_core::Failure { retry_after: None, ..failure };
            otherwise.push(Input { at: Instant::MAX, given: Given::Failure { failure, draw } });
        }
        let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
        let more = &responses[comparison.inputs.len()..];
        let longest = longest(comparison.claim).unwrap_or(Duration::MAX);
        if let Some(wait) = more.iter().filter_map(Response::wait).find(|wait| *wait > longest) {
            return violated_at(last, format!("at most {} after {MORE} failures more", Text(longest)), Text(wait));
        }
        match fall(comparison.claim, more) {
            Some((before, wait)) => {
                violated_at(last, format!("at least {} all through {MORE} failures more", Text(before)), Text(wait))
            }
            None => Ruling::Holds,
        }
    }),
};

pub(super) const IGNORED_RETRY_AFTER: Law = Law {
    name: "an-ignored-retry-after-changes-nothing",
    statement: "A policy that claims to ignore retry_after has the same responses to failures with one as to failures without.",
    cite: "the specification of the two regimes, which do not read Retry-After",
    about: |claim| claim.drawing() == Drawing::Given && claim.retry_after() == Some(ServerDelay::Ignore),
    needs: &[Need::Comparison, Need::Waits(1)],
    check: Check::Compared(|comparison| {
        let requested = |input: &Input| match input.given {
            Given::Failure { failure, .. } => failure.retry_after,
            _ => None,
        };
        let Some(first) = comparison.inputs.iter().find_map(requested) else { return Ruling::Silent };
        let mut otherwise = comparison.inputs.to_vec();
        for input in &mut otherwise {
            if let Given::Failure { failure, .. } = &mut input.given {
                failure.retry_after = None;
            }
        }
        let Some(responses) = comparison.respond(&otherwise) else { return Ruling::Silent };
        let differs = comparison
            .responses
            .iter()
            .zip(&responses)
            .position(|(with, without)| (with.decision, with.delay) != (without.decision, without.delay));
        let Some(nth) = differs else { return Ruling::Holds };
        let [with, without] = [comparison.responses[nth], responses[nth]].map(|response| match response.wait() {
            Some(wait) => Text(wait).to_string(),
            None => "no further attempt".to_owned(),
        });
        let requested = requested(&comparison.inputs[nth]).unwrap_or(first);
        violated_at(
            nth,
            format!("{without} with or without a retry_after"),
            format!("{with} with one of {}", Text(requested)),
        )
    }),
};

/// Together with the longest generated burst, more than a count of eight bits holds.
const MORE: usize = 200;

/// Whether a draw could be used at all: by the jitter, or by the spread of a `retry_after`.
fn uses_draws(claim: &Claim) -> bool {
    let spread = match claim.retry_after() {
        Some(ServerDelay::Honour { spread, .. }) => spread,
        Some(ServerDelay::Ignore) | None => Duration::ZERO,
    };
    claim.jitter() != Some(Jitter::None) || !spread.is_zero()
}

/// The first wait that is shorter than one before, of responses in one outage whose draws take turns.
fn fall(claim: &Claim, responses: &[Response]) -> Option<(Duration, Duration)> {
    if !claim.is_endless() || claim.drawing() == Drawing::Own || claim.is_decorrelated() || !rises(claim) {
        return None;
    }
    let waits =
        responses.iter().zip(responses.iter().skip(2)).filter_map(|(before, now)| before.wait().zip(now.wait()));
    waits.into_iter().find(|(before, wait)| wait.saturating_add(tolerance(claim)) < *before)
}

/// Whether a failure directly follows one that was retried.
fn is_in_outage(history: &[Input], responses: &[Response], next: usize) -> bool {
    let plain = |input: &Input| match input.given {
        Given::Failure { failure, .. } => failure.retry_after.is_none(),
        _ => false,
    };
    plain(&history[next - 1]) && plain(&history[next]) && responses[next - 1].wait().is_some()
}

/// The first, the one in the middle and the last, so that a long history is not played anew for each of its outcomes.
fn sample(places: &[usize]) -> impl Iterator<Item = usize> + use<> {
    let mut some: Vec<usize> =
        [places.first(), places.get(places.len() / 2), places.last()].into_iter().flatten().copied().collect();
    some.dedup();
    some.into_iter()
}

/// The same history, from this place on later; `None` if it would reach the end of time.
fn shifted(history: &[Input], from: usize, by: Duration) -> Option<Vec<Input>> {
    let end = history.last()?.at;
    if end.as_nanos() > u64::MAX / 2 {
        return None;
    }
    let later = |(nth, input): (usize, &Input)| if nth < from { *input } else { Input { at: input.at + by, ..*input } };
    Some(history.iter().enumerate().map(later).collect())
}

/// The same history with everything up to this place at the clock's zero.
fn begun_with(history: &[Input], place: usize) -> Vec<Input> {
    let zero = history[place].at;
    let moved = |input: &Input| Input { at: Instant::ZERO + input.at.since(zero), ..*input };
    history.iter().map(moved).collect()
}

fn unchanged(are: &[Response], others: &[Response], when: &str) -> Ruling {
    if are.is_empty() {
        return Ruling::Silent;
    }
    match are.iter().zip(others).position(|(is, other)| is != other) {
        None => Ruling::Holds,
        Some(nth) => violated_at(nth, shown(&are[nth]), format!("{} {when}", shown(&others[nth]))),
    }
}

fn same(nth: usize, is: Duration, other: Duration, when: &str) -> Ruling {
    if is == other { Ruling::Holds } else { violated_at(nth, format!("{} {when}", Text(is)), Text(other)) }
}

fn shown(response: &Response) -> String {
    match (response.gave_up(), response.rung) {
        (Some(why), _) => format!("gave up ({why})"),
        (None, Some(rung)) => format!("{} ({}, rung {})", Text(response.delay), rung.regime, rung.number),
        (None, None) => Text(response.delay).to_string(),
    }
}

const fn tolerance(claim: &Claim) -> Duration {
    Duration::from_nanos(2 * claim.tolerance_ns())
}

fn ladder_ends(claim: &Claim, regime: Regime) -> Option<(Duration, Duration)> {
    let bases = claim.bases(regime)?;
    Some((Duration::from_nanos(bases.base(1)), Duration::from_nanos(bases.ceiling)))
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
    claim.normal().is_some_and(super::growth::rises) && claim.extended().is_none_or(super::growth::rises)
}

fn has_deadline(claim: &Claim) -> bool {
    claim.limits().is_some_and(|limits| limits.deadline.is_some())
}

fn has_time_limit(claim: &Claim) -> bool {
    has_deadline(claim) || claim.limits().is_some_and(|limits| limits.elapsed.is_some())
}

/// The longest wait of any regime, if that is claimed.
fn longest(claim: &Claim) -> Option<Duration> {
    let ceilings = [Regime::Normal, Regime::Extended].into_iter().filter_map(|regime| ladder_ends(claim, regime));
    let longest = ceilings.map(|(_, ceiling)| ceiling).max()?;
    Some(longest.max(claim.cadence().unwrap_or_default()).saturating_add(tolerance(claim)))
}
