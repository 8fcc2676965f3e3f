//! Bounded calls: contradicting ladders and limits.

use core::time::Duration;

use retrylab_core::{Jitter, Least, ServerDelay};

use super::waits::Waits;
use super::{Rule, Warning};
use crate::duration::Text;
use crate::model::{Draft, JitterChoice};
use crate::policy::{CallSpec, LadderSpec};

pub(super) fn lint(call: &CallSpec) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = ladder(&call.ladder).into_iter().collect();
    warnings.extend(rungs(call));
    warnings.extend(Waits::of(call).and_then(|waits| limit(call, &waits)));
    warnings.extend(server_wait(call));
    warnings.extend(hot_loop(call));
    warnings.extend(hidden_jitter(call));
    warnings
}

/// A file with expectations is a test, which needs exact waits.
pub(super) fn no_jitter(draft: &Draft) -> Option<Warning> {
    let call = draft.client.kind.call();
    let none = draft.client.jitter == JitterChoice::None || call.is_some_and(|call| call.jitter == Jitter::None);
    let instead = if call.is_some() { "write `jitter = \"full\"`" } else { "leave `jitter` out" };
    (none && draft.expect.is_none()).then(|| {
        Warning::new(
            Rule::NoJitter,
            "client.jitter",
            "without jitter, clients that failed together return together",
            format!("{instead}, or add an [expect] if the file is a test"),
        )
    })
}

/// Decorrelated jitter needs room between the first rung and the ceiling.
fn hidden_jitter(call: &CallSpec) -> Option<Warning> {
    let ladder = call.ladder.ladder().ok()?;
    let (first, ceiling) = (ladder.wait(ladder.first()), ladder.ceiling());
    let has_none = match call.jitter {
        Jitter::Decorrelated | Jitter::DecorrelatedPublished => first == ceiling,
        Jitter::None | Jitter::SubtractHalf | Jitter::Full => false,
    };
    has_none.then(|| {
        let message = format!(
            "{} jitter never shows: it is drawn between the first rung and the ceiling, and both are \"{}\"",
            call.jitter,
            Text(ceiling)
        );
        Warning::new(
            Rule::HiddenJitter,
            "client.jitter",
            message,
            "write `jitter = \"full\"`, or a ceiling above the first rung",
        )
    })
}

fn ladder(ladder: &LadderSpec) -> Option<Warning> {
    let (base, ceiling, grows) = match ladder {
        LadderSpec::Exponential { base, ratio, ceiling } => (*base, *ceiling, ratio.numerator > ratio.denominator),
        LadderSpec::Linear { base, step, ceiling } => (*base, *ceiling, !step.is_zero()),
        LadderSpec::Fibonacci { base, ceiling } => (*base, *ceiling, true),
        LadderSpec::Constant(_) | LadderSpec::List(_) => return None,
    };
    let (first, most) = (Text(base), Text(ceiling));
    if base >= ceiling {
        let message =
            format!("a ceiling of \"{most}\" is not above the first rung of \"{first}\": every rung is {most}");
        let advice = format!("write a ceiling above \"{first}\", or `ladder = {{ constant = \"{most}\" }}`");
        return Some(Warning::new(Rule::FlatLadder, "client.ladder.ceiling", message, advice));
    }
    (!grows).then(|| {
        let message = format!("the ladder does not grow, so its ceiling of \"{most}\" is never reached");
        let advice = format!("write `ladder = {{ constant = \"{first}\" }}`");
        Warning::new(Rule::UnreachableCeiling, "client.ladder.ceiling", message, advice)
    })
}

fn rungs(call: &CallSpec) -> Option<Warning> {
    let (LadderSpec::List(rungs), Some(attempts)) = (&call.ladder, call.attempts) else { return None };
    let waits = usize::try_from(attempts).unwrap_or(usize::MAX).saturating_sub(1);
    (rungs.len() > waits).then(|| {
        Warning::new(
            Rule::UnreachableRungs,
            &format!("client.ladder.list[{waits}]"),
            format!(
                "{} wait {}, so of the {} rungs this one is never used, nor any after it",
                attempts_of(attempts),
                times(waits),
                rungs.len()
            ),
            format!("write `attempts = {}`, or omit the other rungs", rungs.len() + 1),
        )
    })
}

/// The shorter limit on time, if it is too short. A `retry_after` without a least replaces the ladder's wait and may be
/// shorter, so with it no attempt and no rung is certainly too late.
fn limit(call: &CallSpec, waits: &Waits) -> Option<Warning> {
    let (limit, name) = tightest(call)?;
    let key = format!("client.{name}");
    if call.attempts == Some(1) {
        return None;
    }
    let listens = matches!(call.retry_after, ServerDelay::Honour { least: Least::Zero, .. });
    let first = waits.longest_first();
    if first > limit {
        let message = if waits.shortest_first() > limit && !listens {
            format!("\"{}\" ends before the first wait, so no call is ever retried", Text(limit))
        } else {
            format!(
                "\"{}\" is shorter than a first wait of up to \"{}\": a call is retried only by chance",
                Text(limit),
                Text(first)
            )
        };
        let advice = format!("write at least `{name} = \"{}\"`, or shorten the first rung", Text(first));
        return Some(Warning::new(Rule::NoRetry, &key, message, advice));
    }
    let Some(attempts) = call.attempts else {
        return if listens { None } else { rungs_after(call, waits, limit, name) };
    };
    let (started, total) = waits.attempts_within(limit, attempts)?;
    let unless = if listens { "made only after a shorter retry_after" } else { "never made" };
    let message = format!(
        "attempt {} is {unless}: the waits before it are at least \"{}\" together, and `{name}` is \"{}\"",
        started + 1,
        Text(total),
        Text(limit)
    );
    let advice = format!("write `attempts = {started}`, or at least `{name} = \"{}\"`", Text(total));
    Some(Warning::new(Rule::UnreachableAttempts, "client.attempts", message, advice))
}

/// Rungs of a list whose waits never fit, without a limit on attempts.
fn rungs_after(call: &CallSpec, waits: &Waits, limit: Duration, name: &str) -> Option<Warning> {
    let LadderSpec::List(rungs) = &call.ladder else { return None };
    let attempts = u32::try_from(rungs.len()).ok()?.saturating_add(1);
    let (started, total) = waits.attempts_within(limit, attempts)?;
    Some(Warning::new(
        Rule::UnreachableRungs,
        &format!("client.ladder.list[{}]", started - 1),
        format!(
            "this rung is never waited, nor any after it: with those before it that is at least \"{}\", and `{name}` is \
             \"{}\"",
            Text(total),
            Text(limit)
        ),
        format!("omit them, or write at least `{name} = \"{}\"`", Text(total)),
    ))
}

/// The maximum `retry_after`, with the maximum of the spread, must fit.
fn server_wait(call: &CallSpec) -> Option<Warning> {
    let ServerDelay::Honour { most, spread, .. } = call.retry_after else { return None };
    let (limit, name) = tightest(call)?;
    if most.saturating_add(spread) <= limit {
        return None;
    }
    let ends = if most > limit {
        "is accepted, and ends the call".to_owned()
    } else {
        format!("is accepted, and with a spread of up to \"{}\" on top may end the call", Text(spread))
    };
    let advice = match limit.checked_sub(spread).filter(|left| !left.is_zero()) {
        Some(left) => format!("write `most = \"{}\"` or less", Text(left)),
        None => format!("write a shorter spread, and with it at most \"{}\"", Text(limit)),
    };
    Some(Warning::new(
        Rule::UnreachableServerWait,
        "client.retry_after.most",
        format!("a retry_after of \"{}\" {ends}: `{name}` is \"{}\"", Text(most), Text(limit)),
        advice,
    ))
}

/// The first rung of a limited call that a ceiling of the default cuts. Of a file that writes its ceiling it says nothing new, so
/// it is for files without one.
#[must_use]
pub fn silent_ceiling(call: &CallSpec) -> Option<Warning> {
    if matches!(call.ladder, LadderSpec::Constant(_) | LadderSpec::List(_)) {
        return None;
    }
    let ceiling = call.ladder.longest();
    let waits = call.attempts?.saturating_sub(1);
    let ladder = call.ladder.clone().with_ceiling(Duration::MAX).ladder().ok()?;
    let mut step = ladder.first();
    for rung in 1..=waits.min(MOST_RUNGS) {
        let wait = ladder.wait(step);
        if wait > ceiling {
            let rungs = if rung == waits { format!("rung {rung}") } else { format!("rungs {rung} to {waits}") };
            let message = format!(
                "no ceiling is written, so it is \"{}\", which cuts {rungs}: \"{}\" without it",
                Text(ceiling),
                Text(wait)
            );
            let advice = format!("write `ceiling = \"{}\"` in the ladder, or a longer one", Text(ceiling));
            return Some(Warning::new(Rule::SilentCeiling, "client.ladder", message, advice));
        }
        step = ladder.next(step);
    }
    None
}

/// No ladder that grows needs more rungs to its ceiling, but for ratios that hardly grow.
const MOST_RUNGS: u32 = 10_000;

/// A wait that a server can shorten to nothing.
fn hot_loop(call: &CallSpec) -> Option<Warning> {
    let ServerDelay::Honour { most, spread: Duration::ZERO, least: Least::Zero, .. } = call.retry_after else {
        return None;
    };
    // A clamp to zero without a spread is a problem of its own.
    (!most.is_zero()).then(|| {
        Warning::new(
            Rule::HotLoop,
            "client.retry_after.least",
            "a server that requests a wait of \"0s\" gets the next attempt at once, each time",
            "leave `least` out, so that the wait is at least the rung, or add a spread such as `spread = \"1s\"`",
        )
    })
}

/// The shorter of `elapsed` and `deadline`. A first call starts when the clock shows zero, so both limits are alike for
/// it.
fn tightest(call: &CallSpec) -> Option<(Duration, &'static str)> {
    [(call.elapsed, "elapsed"), (call.deadline, "deadline")]
        .into_iter()
        .filter_map(|(limit, name)| Some((limit?, name)))
        .min_by_key(|(limit, _)| *limit)
}

fn attempts_of(attempts: u32) -> String {
    if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") }
}

fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        more => format!("{more} times"),
    }
}
