//! A policy in words.

use std::iter::repeat;
use std::time::Duration;

use retrylab_core::{ConfigOption, FailureKind, Jitter, Regime, ServerDelay};
use retrylab_scenario::duration::Text;
use retrylab_scenario::{BudgetSpec, CallSpec, Client, ClientKind, JitterChoice, LadderSpec, ResetSpec, Shape, named};
use retrylab_sim::BuiltIn;
use retrylab_sim::ladder::climb;

use super::Header;

/// Where a ladder starts and where it stops.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) initial: Duration,
    pub(super) ceiling: Duration,
    pub(super) cadence: Duration,
    /// The one option of a client of two regimes, and the value that is used for it.
    pub(super) option: Option<(ConfigOption, Duration)>,
}

/// A ladder that still grows after so many rungs is not looked at any further.
const RUNGS: u32 = 100;

impl Bounds {
    pub(super) fn of(policy: &BuiltIn, client: &Client, kind: FailureKind) -> Self {
        if let ClientKind::Call(call) | ClientKind::Reconnect { outage: call, .. } = &client.kind {
            let ladder = call.ladder.ladder().ok();
            let of = |tell: fn(&retrylab_core::Ladder) -> Duration| ladder.as_ref().map(tell).unwrap_or_default();
            let (initial, ceiling) = (of(|ladder| ladder.wait(ladder.first())), of(|ladder| ladder.ceiling()));
            return Self { initial, ceiling, cadence: Duration::ZERO, option: None };
        }
        let bases = |kind| {
            let rows = climb(policy, kind, RUNGS, repeat(0)).rows;
            rows.into_iter().filter_map(|row| row.rung.map(|rung| rung.base)).collect::<Vec<_>>()
        };
        let used = bases(FailureKind::Normal).first().copied().unwrap_or_default();
        let (option, cadence) = match client.kind.shape() {
            Shape::Polling => (ConfigOption::PollInterval, used),
            Shape::Streaming | Shape::Call => (ConfigOption::InitialReconnectDelay, Duration::ZERO),
        };
        let ladder = bases(kind);
        Self {
            initial: ladder.first().copied().unwrap_or_default(),
            ceiling: ladder.iter().max().copied().unwrap_or_default(),
            cadence,
            option: Some((option, used)),
        }
    }
}

/// The policy's name, with what distinguishes it.
pub(super) fn policy(header: &Header<'_>) -> String {
    let name = named::name(&header.client.kind);
    match (header.bounds.option, &header.client.kind) {
        (Some((option, value)), _) => format!("{name}, {option}={}", Text(value)),
        (None, ClientKind::Reconnect { reset: ResetSpec::HealthyFor(window), .. }) => {
            format!("{name}, starting over after {} of health", Text(*window))
        }
        (None, ClientKind::Reconnect { reset: ResetSpec::Successes(count), .. }) => {
            format!("{name}, starting over after {count} successes in a row")
        }
        (None, _) => name.to_owned(),
    }
}

/// How the waits grow, and how they are spread.
pub(super) fn ladder(header: &Header<'_>) -> String {
    let Bounds { initial, ceiling, cadence, .. } = header.bounds;
    let regime = header.regime;
    if let ClientKind::Call(call) | ClientKind::Reconnect { outage: call, .. } = &header.client.kind {
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

/// What ends a call, or each outage of a reconnecting loop: a line of its own for each budget, with a title.
pub(super) fn limits(kind: &ClientKind) -> Vec<(&'static str, String)> {
    let (ClientKind::Call(call) | ClientKind::Reconnect { outage: call, .. }) = kind else {
        return Vec::new();
    };
    let CallSpec { attempts, elapsed, deadline, retry_after, budgets, .. } = call;
    let mut limits = vec![match attempts {
        None => "attempts without limit".to_owned(),
        Some(1) => "1 attempt".to_owned(),
        Some(attempts) => format!("{attempts} attempts"),
    }];
    limits.extend(elapsed.map(|elapsed| format!("{} from the first failure", Text(elapsed))));
    limits.extend(deadline.map(|deadline| format!("a deadline at {}", Text(deadline))));
    limits.extend(match retry_after {
        ServerDelay::Ignore => None,
        ServerDelay::Clamp { most, .. } => Some(format!("a server's wait is cut to {}", Text(*most))),
        ServerDelay::Refuse { most, .. } => Some(format!("a server's wait above {} ends it", Text(*most))),
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
            format!("{} and {} more a rung, to {}", Text(*base), Text(*step), Text(*ceiling))
        }
        LadderSpec::Fibonacci { base, ceiling } => {
            format!("{} times 1, 1, 2, 3, 5, … to {}", Text(*base), Text(*ceiling))
        }
        LadderSpec::List(rungs) => {
            let rungs: Vec<String> = rungs.iter().map(|rung| Text(*rung).to_string()).collect();
            format!("{}, then the last again", rungs.join(", "))
        }
    }
}

const fn spread(jitter: Jitter) -> &'static str {
    match jitter {
        Jitter::None => "no jitter",
        Jitter::SubtractHalf => "jitter subtracts up to half",
        Jitter::Full => "jitter subtracts up to all of it",
        Jitter::Decorrelated => "jitter from the first rung to three times the wait before",
        Jitter::DecorrelatedPublished => {
            "jitter from the first rung to three times the wait before, cut at the ceiling after the draw"
        }
    }
}

fn budget(budget: &BudgetSpec) -> String {
    match budget {
        BudgetSpec::Tokens { tokens, cost, timeout_cost, refill } => {
            let timeout =
                if timeout_cost == cost { String::new() } else { format!(" ({timeout_cost} after a timeout)") };
            format!("{tokens} tokens, {cost} a retry{timeout}, {refill} back for a success")
        }
        BudgetSpec::Ratio { ratio, reserve } => {
            format!("retries up to {ratio} of the requests and {reserve} in reserve")
        }
    }
}
