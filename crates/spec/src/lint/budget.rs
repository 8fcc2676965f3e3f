//! Budgets that pay for nothing, or for everything.

use super::{Rule, Warning};
use crate::policy::{BudgetSpec, CallSpec, Ratio};

pub(super) fn lint(call: &CallSpec) -> Vec<Warning> {
    let retries = call.attempts.map(|attempts| attempts.saturating_sub(1));
    if retries == Some(0) {
        return Vec::new();
    }
    let one = |(index, budget): (usize, &BudgetSpec)| match *budget {
        BudgetSpec::Tokens { tokens, cost, timeout_cost, refill } => {
            Bucket { key: format!("client.budget[{index}]"), tokens, cost, timeout_cost, refill }.lint(retries)
        }
        BudgetSpec::Ratio { ratio, reserve } => fraction(&format!("client.budget[{index}]"), ratio, reserve, retries),
    };
    call.budgets.iter().enumerate().filter_map(one).collect()
}

struct Bucket {
    key: String,
    tokens: u32,
    cost: u32,
    timeout_cost: u32,
    refill: u32,
}

impl Bucket {
    fn lint(&self, retries: Option<u32>) -> Option<Warning> {
        let Self { key, tokens, cost, timeout_cost, refill } = self;
        let (cheapest, dearest) = (cost.min(timeout_cost), cost.max(timeout_cost));
        if dearest > tokens {
            let after = match (cost > tokens, timeout_cost > tokens) {
                (true, true) => "",
                (true, false) => " unless the failure was a timeout",
                (false, _) => " after a timeout",
            };
            let message =
                format!("a full budget of {tokens} does not pay for a retry of {dearest}, so there is none{after}");
            let advice = format!("write at least `tokens = {dearest}`");
            return Some(Warning::new(Rule::NoRetry, key, message, advice));
        }
        if refill > dearest {
            let message = format!(
                "a success refills {refill}, more than the cost of a retry, {dearest}: the budget hardly ever runs out"
            );
            let advice = format!("write `refill = {cheapest}` or less");
            return Some(Warning::new(Rule::GenerousBudget, key, message, advice));
        }
        if *refill == 0 {
            let paid = tokens.checked_div(*cheapest)?;
            let retries = if paid == 1 { "1 retry".to_owned() } else { format!("{paid} retries") };
            let message = format!(
                "no success refills the budget: after {retries} of all calls together, no call is retried again"
            );
            let advice = "leave `refill` out, so that a success refills 1";
            return Some(Warning::new(Rule::NoRetry, key, message, advice));
        }
        // A cost of 0 is invalid, so a checked timeline has none.
        let paid = tokens.checked_div(*cheapest)?;
        let retries = retries.filter(|retries| *retries > paid)?;
        let message = format!(
            "a full budget pays for {paid} retries, so a call makes at most {} of its {} attempts",
            u64::from(paid) + 1,
            u64::from(retries) + 1
        );
        let advice = format!("write `attempts = {}`, or a larger budget", u64::from(paid) + 1);
        Some(Warning::new(Rule::UnreachableAttempts, key, message, advice))
    }
}

fn fraction(key: &str, ratio: Ratio, reserve: u32, retries: Option<u32>) -> Option<Warning> {
    if ratio.numerator == 0 && reserve == 0 {
        let advice = "write a ratio such as `ratio = \"1/5\"`, or a `reserve`";
        return Some(Warning::new(Rule::NoRetry, key, "a ratio of 0 without a reserve pays for no retry", advice));
    }
    let advice = "write a ratio below 1, such as `ratio = \"1/5\"`";
    let never_binds =
        retries.filter(|retries| u64::from(ratio.numerator) >= u64::from(*retries) * u64::from(ratio.denominator));
    if let Some(retries) = never_binds {
        let message = format!("a ratio of {ratio} never refuses: a request makes at most {retries} retries");
        return Some(Warning::new(Rule::GenerousBudget, key, message, advice));
    }
    (ratio.numerator > ratio.denominator).then(|| {
        let message = format!("a ratio of {ratio} allows more retries than requests: it multiplies an outage");
        Warning::new(Rule::GenerousBudget, key, message, advice)
    })
}
