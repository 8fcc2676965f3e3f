//! A policy in words.

use std::iter::repeat;
use std::time::Duration;

use retrylab_core::{Beyond, ConfigOption, FailureKind, Jitter, Regime, ServerDelay};
use retrylab_sim::BuiltIn;
use retrylab_sim::ladder::climb;
use retrylab_spec::duration::Text;
use retrylab_spec::{BudgetSpec, CallSpec, Client, JitterChoice, LadderSpec, PolicySpec, ResetSpec, Shape};

use super::Header;
use crate::count::counted;

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
        (None, Some(ResetSpec::HealthyFor(window))) => {
            format!("{name}, reset after {} of health", Text(window))
        }
        (None, Some(ResetSpec::Successes(count))) => {
            format!("{name}, reset after {count} successes in a row")
        }
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
        return format!("transient failures: {}, {}", growth(&call.ladder), spread(jitter));
    }
    let growth = if initial == ceiling {
        format!("{} at every rung", Text(initial))
    } else {
        format!("{} doubling to {}", Text(initial), Text(ceiling))
    };
    let jitter = match header.client.jitter {
        JitterChoice::Own | JitterChoice::Coarse => spread(Jitter::SubtractHalf),
        JitterChoice::None => spread(Jitter::None),
    };
    let floor = if cadence.is_zero() { String::new() } else { format!(", never below {}", Text(cadence)) };
    format!("{regime}: {growth}, {jitter}{floor}")
}

/// The limits of a call, or of each outage of a reconnecting loop: one line per budget, with a title.
pub(super) fn limits(kind: &PolicySpec) -> Vec<(&'static str, String)> {
    let Some(call) = kind.call() else { return Vec::new() };
    let CallSpec { attempts, elapsed, deadline, retry_after, budgets, .. } = call;
    let mut limits = vec![match attempts {
        None => "unlimited attempts".to_owned(),
        Some(attempts) => counted(*attempts, "attempt"),
    }];
    limits.extend(elapsed.map(|elapsed| format!("{} after the first failure", Text(elapsed))));
    limits.extend(deadline.map(|deadline| format!("a deadline at {}", Text(deadline))));
    limits.extend(match retry_after {
        ServerDelay::Ignore => None,
        ServerDelay::Honour { most, beyond: Beyond::Clamp, .. } => {
            Some(format!("retry_after is cut to {}", Text(*most)))
        }
        ServerDelay::Honour { most, beyond: Beyond::Refuse, .. } => {
            Some(format!("a retry_after above {} ends it", Text(*most)))
        }
    });
    let budgets = budgets.iter().map(|one| ("budget", budget(one)));
    [("limits", limits.join("; "))].into_iter().chain(budgets).collect()
}

fn growth(ladder: &LadderSpec) -> String {
    match ladder {
        LadderSpec::Exponential { base, ratio, ceiling } => {
            let by = if (ratio.numerator, ratio.denominator) == (2, 1) {
                "doubling".to_owned()
            } else {
                format!("times {ratio} a rung,")
            };
            format!("{} {by} to {}", Text(*base), Text(*ceiling))
        }
        LadderSpec::Constant(delay) => format!("{} at every rung", Text(*delay)),
        LadderSpec::Linear { base, step, ceiling } => {
            format!("{}, {} more per rung, to {}", Text(*base), Text(*step), Text(*ceiling))
        }
        LadderSpec::Fibonacci { base, ceiling } => {
            format!("{} times 1, 1, 2, 3, 5, … to {}", Text(*base), Text(*ceiling))
        }
        LadderSpec::List(rungs) => {
            let rungs: Vec<String> = rungs.iter().map(|rung| Text(*rung).to_string()).collect();
            format!("{}, then the last repeats", rungs.join(", "))
        }
    }
}

const fn spread(jitter: Jitter) -> &'static str {
    match jitter {
        Jitter::None => "no jitter",
        Jitter::SubtractHalf => "jitter subtracts up to half",
        Jitter::Full => "full jitter",
        Jitter::Decorrelated => "decorrelated jitter, from the first rung to three times the previous wait",
        Jitter::DecorrelatedPublished => {
            "decorrelated jitter, from the first rung to three times the previous wait, cut at the ceiling after the draw"
        }
    }
}

fn budget(budget: &BudgetSpec) -> String {
    match budget {
        BudgetSpec::Tokens { tokens, cost, timeout_cost, refill } => {
            let timeout =
                if timeout_cost == cost { String::new() } else { format!(" ({timeout_cost} after a timeout)") };
            format!("{tokens} tokens, {cost} per retry{timeout}, {refill} back per success")
        }
        BudgetSpec::Ratio { ratio, reserve } => {
            format!("retries up to {ratio} of the requests, and {reserve} in reserve")
        }
    }
}
