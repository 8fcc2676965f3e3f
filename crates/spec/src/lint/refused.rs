//! Errors of a valid timeline: settings that a file may show, but that no shipped policy should have.

use core::time::Duration;

use retrylab_core::{Beyond, Jitter, Least, ServerDelay};

use crate::duration::Text;
use crate::model::Draft;
use crate::policy::{CallSpec, LadderSpec, PolicySpec, Seconds, Shape, TwoRegimes};
use crate::problem::Problem;

/// The errors of a valid draft: configured seconds that are not positive and finite, ladders of zero waits, calls
/// without an attempt, and a `retry_after` that is cut to zero.
///
/// A timeline may contain these settings, to show their effect.
#[must_use]
pub fn refused(draft: &Draft) -> Vec<Problem> {
    let kind = &draft.client.kind;
    match kind {
        PolicySpec::TwoRegimes(regimes) => of_regimes(regimes),
        PolicySpec::Call(call) | PolicySpec::Reconnect { outage: call, .. } => of_call(call),
        _ => kind.configured().and_then(|given| unusable(seconds_key(kind.shape()), given)).into_iter().collect(),
    }
}

pub(super) const INITIAL: &str = "client.initial_reconnect_delay";
pub(super) const INTERVAL: &str = "client.poll_interval";

/// The key of the one option of a two-regime client.
pub(super) const fn seconds_key(shape: Shape) -> &'static str {
    match shape {
        Shape::Polling => INTERVAL,
        Shape::Streaming | Shape::Call => INITIAL,
    }
}

fn unusable(key: &str, given: Seconds) -> Option<Problem> {
    let text = match given {
        Seconds::Text(span) => format!("\"{}\"", Text(span)),
        Seconds::Number(number) => number.to_string(),
    };
    let instead = if key == INTERVAL { "30s" } else { "1s" };
    given.usable().is_none().then(|| {
        Problem::new(key, format!("{text} is not a positive finite number of seconds"))
            .help(format!("write a wait such as \"{instead}\", the default in its place"))
    })
}

/// Twice nothing is nothing.
fn of_regimes(regimes: &TwoRegimes) -> Vec<Problem> {
    let initials = [("normal", regimes.normal.0), ("extended", regimes.extended.0)];
    let hammers = |(_, initial): &(&str, Duration)| initial.is_zero() && regimes.cadence.is_zero();
    let problem = |(regime, _)| {
        Problem::new(format!("client.{regime}.initial"), "every wait is \"0s\", which hammers the server")
            .help("write a first wait such as \"1s\", or a cadence")
    };
    initials.into_iter().filter(hammers).map(problem).collect()
}

fn of_call(call: &CallSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(key) = all_zero(&call.ladder) {
        let problem =
            Problem::new(format!("client.ladder.{key}"), "every wait is \"0s\", so the client hammers the server");
        problems.push(problem.help("write a first wait such as \"500ms\""));
    } else if call.ladder.longest() < SHORTEST {
        let longest = Text(call.ladder.longest());
        let message = format!("no wait is longer than \"{longest}\", so the client hammers the server");
        problems.push(Problem::new("client.ladder", message).help("write a first wait such as \"500ms\""));
    }
    if let (None, Some(key)) = (all_zero(&call.ladder), grows_from_zero(call)) {
        let message = format!("{} jitter grows from the first rung, and from \"0s\" every wait is \"0s\"", call.jitter);
        let problem = Problem::new(format!("client.ladder.{key}"), message);
        problems.push(problem.help("write a first wait such as \"500ms\", or `jitter = \"full\"`"));
    }
    if call.attempts == Some(0) {
        let problem = Problem::new("client.attempts", "0 attempts are refused");
        problems.push(problem.help("write at least 1"));
    }
    if let ServerDelay::Honour {
        beyond: Beyond::Clamp,
        most: Duration::ZERO,
        spread: Duration::ZERO,
        least: Least::Zero,
    } = call.retry_after
    {
        let message = "every retry_after is cut to \"0s\", so the client hammers the server";
        let problem = Problem::new("client.retry_after.most", message);
        problems.push(problem.help("write the longest wait to accept, such as \"1m\", or `retry_after = \"ignore\"`"));
    }
    problems
}

/// A loop whose every wait is shorter spends it in the attempt, and is as hot as one without waits.
const SHORTEST: Duration = Duration::from_millis(1);

/// The key of a first rung of zero, for jitter based on the previous wait.
fn grows_from_zero(call: &CallSpec) -> Option<&'static str> {
    let is_of_the_previous = matches!(call.jitter, Jitter::Decorrelated | Jitter::DecorrelatedPublished);
    let first = match &call.ladder {
        LadderSpec::Linear { base, .. } if base.is_zero() => "linear",
        LadderSpec::List(rungs) if rungs.first().is_some_and(Duration::is_zero) => "list",
        _ => return None,
    };
    is_of_the_previous.then_some(first)
}

/// The key that makes every rung of a ladder zero.
fn all_zero(ladder: &LadderSpec) -> Option<&'static str> {
    let zero = Duration::is_zero;
    match ladder {
        LadderSpec::Exponential { base, .. } if zero(base) => Some("exponential"),
        LadderSpec::Constant(delay) if zero(delay) => Some("constant"),
        LadderSpec::Linear { base, step, .. } if zero(base) && zero(step) => Some("linear"),
        LadderSpec::Fibonacci { base, .. } if zero(base) => Some("fibonacci"),
        LadderSpec::List(rungs) if rungs.iter().all(zero) => Some("list"),
        LadderSpec::Exponential { ceiling, .. }
        | LadderSpec::Linear { ceiling, .. }
        | LadderSpec::Fibonacci { ceiling, .. }
            if zero(ceiling) =>
        {
            Some("ceiling")
        }
        _ => None,
    }
}
