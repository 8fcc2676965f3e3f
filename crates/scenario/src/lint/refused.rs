//! What a file may say to show how it is refused, and no policy that ships can mean.

use core::time::Duration;

use retrylab_core::{Jitter, ServerDelay};

use crate::duration::Text;
use crate::model::{ClientKind, Draft, Seconds, Shape};
use crate::policy::{CallSpec, LadderSpec};
use crate::problem::Problem;

/// Everything in a valid draft that cannot be right: configured seconds that are not positive and finite, ladders on
/// which every wait is zero, calls without an attempt, and servers that are asked again at once whatever they ask for.
///
/// A timeline may hold all of it, to show what becomes of it.
#[must_use]
pub fn refused(draft: &Draft) -> Vec<Problem> {
    let seconds = |key: &str, given: &Option<Seconds>| given.and_then(|given| unusable(key, given));
    match &draft.client.kind {
        ClientKind::Streaming { initial_reconnect_delay } => {
            seconds(INITIAL, initial_reconnect_delay).into_iter().collect()
        }
        ClientKind::Polling { poll_interval } => seconds(INTERVAL, poll_interval).into_iter().collect(),
        ClientKind::Dialect { dialect, seconds: given } => {
            seconds(seconds_key(dialect.shape()), given).into_iter().collect()
        }
        ClientKind::Call(call) | ClientKind::Reconnect { outage: call, .. } => of_call(call),
        ClientKind::External { .. } => Vec::new(),
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
    let value = given.as_f64();
    let text = match given {
        Seconds::Text(span) => format!("\"{}\"", Text(span)),
        Seconds::Number(number) => number.to_string(),
    };
    let usable = value.is_finite() && value > 0.0;
    let instead = if key == INTERVAL { "30s" } else { "1s" };
    (!usable).then(|| {
        Problem::new(key, format!("{text} is not a positive finite number of seconds"))
            .help(format!("write a wait such as \"{instead}\", the default that takes its place"))
    })
}

fn of_call(call: &CallSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(key) = all_zero(&call.ladder) {
        let problem = Problem::new(format!("client.ladder.{key}"), "every wait is \"0s\", which hammers the server");
        problems.push(problem.help("write a first wait such as \"500ms\""));
    }
    if let (None, Some(key)) = (all_zero(&call.ladder), grows_from_zero(call)) {
        let message = format!("{} jitter grows from the first rung, and from \"0s\" every wait is \"0s\"", call.jitter);
        let problem = Problem::new(format!("client.ladder.{key}"), message);
        problems.push(problem.help("write a first wait such as \"500ms\", or `jitter = \"full\"`"));
    }
    if call.attempts == Some(0) {
        let problem = Problem::new("client.attempts", "0 attempts are refused before the first");
        problems.push(problem.help("write at least 1"));
    }
    if let ServerDelay::Clamp { most: Duration::ZERO, spread: Duration::ZERO } = call.retry_after {
        let message = "every wait that the server asks for is cut to \"0s\", which hammers the server";
        let problem = Problem::new("client.retry_after.most", message);
        problems.push(problem.help("write the longest wait to accept, such as \"1m\", or `retry_after = \"ignore\"`"));
    }
    problems
}

/// The key of a first rung of zero, where each wait is drawn from the one before.
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
