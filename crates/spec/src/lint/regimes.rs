//! Clients with two regimes, streaming and polling, and their dialects.

use core::time::Duration;

use super::refused::seconds_key;
use super::{Rule, Warning};
use crate::duration::Text;
use crate::model::{Draft, JitterChoice};
use crate::policy::{Dialect, PolicySpec, ResetSpec, Seconds, Shape, TwoRegimes};

const NORMAL_CEILING: Duration = Duration::from_secs(30);
const EXTENDED_INITIAL: Duration = Duration::from_secs(300);
const EXTENDED_CEILING: Duration = Duration::from_secs(3600);

pub(super) fn lint(draft: &Draft) -> Vec<Warning> {
    let kind = &draft.client.kind;
    let own = draft.client.jitter == JitterChoice::Own;
    if let PolicySpec::TwoRegimes(regimes) = kind {
        return custom(regimes, own);
    }
    let dialect = match kind {
        PolicySpec::Dialect { dialect, .. } => Some(*dialect),
        _ => None,
    };
    let key = seconds_key(kind.shape());
    let given = kind.configured().and_then(Seconds::usable);
    if kind.shape() == Shape::Polling {
        let interval = given.unwrap_or(Duration::from_secs(30));
        return slow_poller(key, interval).into_iter().chain(own.then(|| hidden("interval", interval))).collect();
    }
    given.map(|initial| stream(key, dialect, initial)).unwrap_or_default()
}

fn custom(regimes: &TwoRegimes, own_jitter: bool) -> Vec<Warning> {
    let TwoRegimes { shape, normal, extended, reset, cadence } = *regimes;
    // A poller that waits its interval after each normal failure is as it should be.
    let is_poller = shape == Shape::Polling && normal.0 == normal.1;
    let normal_is_flat = (!is_poller).then(|| flat("normal", normal)).flatten();
    let mut warnings: Vec<Warning> = normal_is_flat.into_iter().chain(flat("extended", extended)).collect();
    if extended.0 < normal.0 {
        let message = format!(
            "the extended ladder starts at \"{}\", below the normal one at \"{}\": a rejected key is retried sooner than a busy server",
            Text(extended.0),
            Text(normal.0)
        );
        let advice = format!("write at least \"{}\"", Text(normal.0));
        warnings.push(Warning::new(Rule::InvertedExtended, "client.extended.initial", message, advice));
    }
    if reset == ResetSpec::Successes(0) {
        let message = "a reset that takes 0 successes is due at each failure: every wait is a first rung";
        let advice = "write `successes = 1` or more, or `reset = { healthy_for = \"60s\" }`";
        warnings.push(Warning::new(Rule::UnreachableRungs, "client.reset.successes", message, advice));
    } else {
        warnings.extend(super::reset::lint(&reset));
    }
    if own_jitter && !cadence.is_zero() && cadence >= normal.0.max(normal.1) {
        warnings.push(hidden_below("cadence", cadence, extended.0));
    }
    warnings
}

fn flat(regime: &str, (initial, ceiling): (Duration, Duration)) -> Option<Warning> {
    (initial >= ceiling).then(|| {
        let message = format!(
            "a ceiling of \"{}\" is not above the initial of \"{}\", so the {regime} ladder has one rung: every wait is {}",
            Text(ceiling),
            Text(initial),
            Text(initial)
        );
        let advice = format!("write a ceiling above \"{}\"", Text(initial));
        Warning::new(Rule::FlatLadder, &format!("client.{regime}.ceiling"), message, advice)
    })
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
        let advice = "write a first rung below the ceiling, such as \"1s\"";
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
fn hidden(what: &str, interval: Duration) -> Warning {
    hidden_below(what, interval, interval.max(EXTENDED_INITIAL))
}

/// No wait is below the cadence, which is above every rung of the normal ladder. `first` is the first of the extended one.
fn hidden_below(what: &str, cadence: Duration, first: Duration) -> Warning {
    let mut message = format!(
        "jitter never shows on the normal ladder: after a failure the wait is the {what} of \"{}\" exactly",
        Text(cadence)
    );
    if cadence >= first {
        message.push_str(", and so is the first rung of the extended one");
    } else if cadence > first / 2 {
        message.push_str(", which also cuts the first rung of the extended one");
    }
    let advice = "start the clients at different times, or give each an interval of its own";
    Warning::new(Rule::HiddenJitter, "client.kind", message, advice)
}

/// The longest waits of a client of two regimes that a file names, with their keys.
pub(super) fn longest(kind: &PolicySpec) -> Vec<(String, Duration)> {
    if let PolicySpec::TwoRegimes(TwoRegimes { normal, extended, cadence, .. }) = kind {
        let waits = [
            ("normal.ceiling", normal.0.max(normal.1)),
            ("extended.ceiling", extended.0.max(extended.1)),
            ("cadence", *cadence),
        ];
        return waits.map(|(key, wait)| (format!("client.{key}"), wait)).to_vec();
    }
    let given = kind.configured().and_then(Seconds::usable);
    given.map(|wait| (seconds_key(kind.shape()).to_owned(), wait)).into_iter().collect()
}
