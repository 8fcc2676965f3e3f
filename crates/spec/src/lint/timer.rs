//! Waits that are too long for timers.

use core::time::Duration;

use retrylab_core::ServerDelay;

use super::{Rule, Warning, regimes};
use crate::duration::Text;
use crate::policy::{CallSpec, LadderSpec, PolicySpec};

/// The longest delay of JavaScript's timers: 2^31 - 1 ms. A longer one fires at once (HTML standard, timers; Node.js,
/// `setTimeout`).
const JAVASCRIPT: Duration = Duration::from_millis((1 << 31) - 1);

/// The longest wait on Linux: the largest number of nanoseconds in 63 bits, rounded down to seconds.
const LINUX: Duration = Duration::from_secs(9_223_372_036);

pub(super) fn lint(kind: &PolicySpec) -> Vec<Warning> {
    let waits = kind.call().map_or_else(|| regimes::longest(kind), of_call);
    waits.into_iter().filter_map(|(key, wait)| beyond(&key, wait)).collect()
}

fn beyond(key: &str, wait: Duration) -> Option<Warning> {
    let (what, most) = if wait > LINUX {
        ("no timer on Linux waits longer than", LINUX)
    } else if wait > JAVASCRIPT {
        ("JavaScript fires a longer timer at once; its maximum is", JAVASCRIPT)
    } else {
        return None;
    };
    Some(Warning::new(
        Rule::BeyondTimer,
        key,
        format!("\"{}\" is too long for timers: {what} \"{}\"", Text(wait), Text(most)),
        format!("write at most \"{}\"", Text(JAVASCRIPT)),
    ))
}

/// The longest wait of the ladder, and of `retry_after`.
fn of_call(call: &CallSpec) -> Vec<(String, Duration)> {
    let key = |key: &str| format!("client.{key}");
    let mut waits = match &call.ladder {
        LadderSpec::Exponential { ceiling, .. }
        | LadderSpec::Linear { ceiling, .. }
        | LadderSpec::Fibonacci { ceiling, .. } => vec![(key("ladder.ceiling"), *ceiling)],
        LadderSpec::Constant(delay) => vec![(key("ladder.constant"), *delay)],
        LadderSpec::List(rungs) => {
            rungs.iter().enumerate().map(|(index, rung)| (key(&format!("ladder.list[{index}]")), *rung)).collect()
        }
    };
    if let ServerDelay::Honour { most, spread, .. } = call.retry_after {
        waits.push((key("retry_after.most"), most.saturating_add(spread)));
    }
    waits
}
