//! Clients of two regimes, streaming and polling, and their dialects.

use core::time::Duration;

use super::refused::seconds_key;
use super::{Rule, Warning};
use crate::duration::{MAX, Text};
use crate::model::{ClientKind, Draft, JitterChoice, Seconds, Shape};
use crate::policy::Dialect;

const NORMAL_CEILING: Duration = Duration::from_secs(30);
const EXTENDED_INITIAL: Duration = Duration::from_secs(300);
const EXTENDED_CEILING: Duration = Duration::from_secs(3600);

pub(super) fn lint(draft: &Draft) -> Vec<Warning> {
    let (shape, dialect, given) = match draft.client.kind {
        ClientKind::Streaming { initial_reconnect_delay } => (Shape::Streaming, None, initial_reconnect_delay),
        ClientKind::Polling { poll_interval } => (Shape::Polling, None, poll_interval),
        ClientKind::Dialect { dialect, seconds } => (dialect.shape(), Some(dialect), seconds),
        ClientKind::Call(_) | ClientKind::Reconnect { .. } | ClientKind::External { .. } => return Vec::new(),
    };
    let key = seconds_key(shape);
    let given = given.and_then(span);
    if shape == Shape::Polling {
        let interval = given.unwrap_or(Duration::from_secs(30));
        let own = draft.client.jitter == JitterChoice::Own;
        return slow_poller(key, interval).into_iter().chain(own.then(|| hidden(interval))).collect();
    }
    given.map(|initial| stream(key, dialect, initial)).unwrap_or_default()
}

fn stream(key: &str, dialect: Option<Dialect>, initial: Duration) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if initial >= NORMAL_CEILING {
        let every = if dialect == Some(Dialect::ClampInitial) { NORMAL_CEILING } else { initial };
        let message = format!(
            "\"{}\" is not below the ceiling of \"30s\", so the normal ladder has one rung: every wait is {}",
            Text(initial),
            Text(every)
        );
        let advice = "write a first rung that leaves room to climb, such as \"1s\"";
        warnings.push(Warning::new(Rule::FlatLadder, key, message, advice));
    }
    if dialect == Some(Dialect::InvertedExtended) && initial > EXTENDED_INITIAL {
        let message = format!(
            "the extended ladder starts at \"5m\", below the normal one at \"{}\": a rejected key is retried sooner than a busy server",
            Text(initial)
        );
        let advice = "write at most \"5m\", or `kind = \"streaming\"`, which raises the extended ladder";
        warnings.push(Warning::new(Rule::InvertedExtended, key, message, advice));
    }
    warnings
}

fn slow_poller(key: &str, interval: Duration) -> Option<Warning> {
    (interval >= EXTENDED_CEILING).then(|| {
        let message = format!(
            "\"{}\" is not below the ceiling of \"1h\", so the extended ladder has one rung, the interval itself",
            Text(interval)
        );
        Warning::new(Rule::FlatLadder, key, message, "write an interval below \"1h\"")
    })
}

/// A poller's wait is never below its interval, and on the normal ladder never above it.
fn hidden(interval: Duration) -> Warning {
    let mut message = format!(
        "jitter never shows on the normal ladder: after a failure the wait is the interval of \"{}\" exactly",
        Text(interval)
    );
    let first = interval.max(EXTENDED_INITIAL);
    if interval >= first {
        message.push_str(", and so is the first rung of the extended one");
    } else if interval > first / 2 {
        message.push_str(", which also cuts the first rung of the extended one");
    }
    let advice = "start the clients at different times, or give each an interval of its own";
    Warning::new(Rule::HiddenJitter, "client.kind", message, advice)
}

/// What a policy takes for the seconds given; none for what cannot be used.
fn span(seconds: Seconds) -> Option<Duration> {
    match seconds {
        Seconds::Text(span) => Some(span).filter(|span| !span.is_zero()),
        Seconds::Number(number) => {
            let positive = number.is_finite() && number > 0.0;
            positive.then(|| Duration::try_from_secs_f64(number).unwrap_or(MAX).min(MAX))
        }
    }
}

/// The configured seconds of a client of two regimes, and their key, if there are any that can be used.
pub(super) fn configured(kind: &ClientKind) -> Option<(&'static str, Duration)> {
    let (shape, given) = match *kind {
        ClientKind::Streaming { initial_reconnect_delay } => (Shape::Streaming, initial_reconnect_delay),
        ClientKind::Polling { poll_interval } => (Shape::Polling, poll_interval),
        ClientKind::Dialect { dialect, seconds } => (dialect.shape(), seconds),
        ClientKind::Call(_) | ClientKind::Reconnect { .. } | ClientKind::External { .. } => return None,
    };
    Some((seconds_key(shape), span(given?)?))
}
