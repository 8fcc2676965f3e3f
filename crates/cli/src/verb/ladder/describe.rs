//! A policy in words.

use std::iter::repeat;
use std::time::Duration;

use retrylab_core::{ConfigOption, FailureKind, Jitter, Regime, ServerDelay};
use retrylab_sim::BuiltIn;
use retrylab_sim::ladder::climb;
use retrylab_spec::duration::Text;
use retrylab_spec::{Client, JitterChoice, PolicySpec, Shape, words};

use super::Header;

/// The first wait and the ceiling of a ladder.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) initial: Duration,
    pub(super) ceiling: Duration,
    pub(super) cadence: Duration,
    /// The one option of a client with two regimes, and the value in use.
    pub(super) option: Option<(ConfigOption, Duration)>,
}

/// A ladder that still grows after this many rungs is not followed further.
const RUNGS: u32 = 100;

impl Bounds {
    pub(super) fn of(policy: &BuiltIn, client: &Client, kind: FailureKind) -> Self {
        if let Some(call) = client.kind.call() {
            let ladder = call.ladder.ladder().ok();
            let of = |get: fn(&retrylab_core::Ladder) -> Duration| ladder.as_ref().map(get).unwrap_or_default();
            let (initial, ceiling) = (of(|ladder| ladder.wait(ladder.first())), of(|ladder| ladder.ceiling()));
            return Self { initial, ceiling, cadence: Duration::ZERO, option: None };
        }
        let bases = |kind| {
            let rows = climb(policy, kind, RUNGS, repeat(0)).rows;
            rows.into_iter().filter_map(|row| row.rung.map(|rung| rung.base)).collect::<Vec<_>>()
        };
        let used = bases(FailureKind::Normal).first().copied().unwrap_or_default();
        let option = client.kind.option();
        let cadence = match &client.kind {
            PolicySpec::TwoRegimes(regimes) => regimes.cadence,
            kind if kind.shape() == Shape::Polling => used,
            _ => Duration::ZERO,
        };
        let ladder = bases(kind);
        Self {
            initial: ladder.first().copied().unwrap_or_default(),
            ceiling: ladder.iter().max().copied().unwrap_or_default(),
            cadence,
            option: option.map(|option| (option, used)),
        }
    }
}

/// The policy's name, with its distinguishing options.
pub(super) fn policy(header: &Header<'_>) -> String {
    let name = header.client.kind.name();
    let kind = &header.client.kind;
    let reset = match kind {
        PolicySpec::Reconnect { .. } | PolicySpec::TwoRegimes(_) => kind.reset(),
        _ => None,
    };
    match (header.bounds.option, reset) {
        (Some((option, value)), _) => format!("{name}, {option}={}", Text(value)),
        (None, Some(reset)) => format!("{name}, {}", words::reset(reset)),
        (None, None) => name.to_owned(),
    }
}

/// The growth of the waits, and their jitter.
pub(super) fn ladder(header: &Header<'_>) -> String {
    let Bounds { initial, ceiling, cadence, .. } = header.bounds;
    let regime = header.regime;
    if let Some(call) = header.client.kind.call() {
        if regime == Regime::Extended {
            return "terminal failures: not retried".to_owned();
        }
        let jitter = match header.client.jitter {
            JitterChoice::Own | JitterChoice::Coarse => call.jitter,
            JitterChoice::None => Jitter::None,
        };
        return format!("transient failures: {}, {}", words::ladder(&call.ladder), words::jitter(jitter));
    }
    let growth = if initial == ceiling {
        format!("{} at every rung", Text(initial))
    } else {
        format!("{} doubling to {}", Text(initial), Text(ceiling))
    };
    let jitter = match header.client.jitter {
        JitterChoice::Own | JitterChoice::Coarse => words::jitter(Jitter::SubtractHalf),
        JitterChoice::None => words::jitter(Jitter::None),
    };
    let floor = if cadence.is_zero() { String::new() } else { format!(", never below {}", Text(cadence)) };
    format!("{regime}: {growth}, {jitter}{floor}")
}

/// The limits of a call, or of each outage of a reconnecting loop: one line per budget, with a title.
pub(super) fn limits(kind: &PolicySpec) -> Vec<(&'static str, String)> {
    let Some(call) = kind.call() else { return Vec::new() };
    let mut limits = words::limits(call);
    if call.retry_after != ServerDelay::Ignore {
        limits.push(words::retry_after(call.retry_after));
    }
    let budgets = call.budgets.iter().map(|one| ("budget", words::budget(one)));
    [("limits", limits.join("; "))].into_iter().chain(budgets).collect()
}
