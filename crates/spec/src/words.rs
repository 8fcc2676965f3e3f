//! Parts of a policy in words, for headings and messages.
//!
//! ```
//! use core::time::Duration;
//! use retrylab_core::{Jitter, ServerDelay};
//! use retrylab_spec::{CallSpec, words};
//!
//! let call = CallSpec { retry_after: ServerDelay::clamp(Duration::from_secs(60)), ..CallSpec::default() };
//! assert_eq!(words::ladder(&call.ladder), "500ms doubling to 30s");
//! assert_eq!(words::jitter(Jitter::EQUAL), "jitter subtracts up to half");
//! assert_eq!(words::limits(&call), ["4 attempts"]);
//! assert_eq!(words::retry_after(call.retry_after), "waits for a retry_after up to 1m, and at least the rung");
//! ```

use core::time::Duration;

use retrylab_core::{Beyond, Jitter, Least, ServerDelay};

use crate::duration::Text;
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, ResetSpec};

/// The growth of the waits.
#[must_use]
pub fn ladder(ladder: &LadderSpec) -> String {
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

/// The jitter.
#[must_use]
pub const fn jitter(jitter: Jitter) -> &'static str {
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

/// The limits of a call on attempts and time.
#[must_use]
pub fn limits(call: &CallSpec) -> Vec<String> {
    let attempts = match call.attempts {
        None => "unlimited attempts".to_owned(),
        Some(1) => "1 attempt".to_owned(),
        Some(attempts) => format!("{attempts} attempts"),
    };
    let elapsed = call.elapsed.map(|elapsed| format!("{} after the first failure", Text(elapsed)));
    let deadline = call.deadline.map(|deadline| format!("a deadline at {}", Text(deadline)));
    [Some(attempts), elapsed, deadline].into_iter().flatten().collect()
}

/// A budget.
#[must_use]
pub fn budget(budget: &BudgetSpec) -> String {
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

/// The treatment of a server's `retry_after`.
#[must_use]
pub fn retry_after(treatment: ServerDelay) -> String {
    let ServerDelay::Honour { most, beyond, spread, least } = treatment else {
        return "ignores retry_after".to_owned();
    };
    let spread = if spread.is_zero() { String::new() } else { format!(", plus up to {}", Text(spread)) };
    let least = if least == Least::Rung { ", and at least the rung" } else { "" };
    match beyond {
        _ if most == Duration::MAX => format!("waits for any retry_after{spread}{least}"),
        Beyond::Clamp => format!("waits for a retry_after up to {}{spread}{least}", Text(most)),
        Beyond::Refuse => format!("waits for a retry_after{spread}{least}, and gives up at one above {}", Text(most)),
    }
}

/// The health that clears the state.
#[must_use]
pub fn reset(reset: ResetSpec) -> String {
    match reset {
        ResetSpec::HealthyFor(window) => format!("reset after {} of health", Text(window)),
        ResetSpec::Successes(1) => "reset after 1 success".to_owned(),
        ResetSpec::Successes(count) => format!("reset after {count} successes in a row"),
    }
}
