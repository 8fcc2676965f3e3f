//! What is left of the budgets that a client claims to keep to, counted from outside.

use retrylab_core::Fault;
use retrylab_scenario::{BudgetSpec, Shape};
use retrylab_sim::Record;

use crate::claim::Claim;
use crate::past::Moment;

/// One account for each budget, in the order of the claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Accounts(Vec<Account>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Account {
    Tokens(u32),
    Ratio { requests: u64, retries: u64 },
}

impl Accounts {
    pub(crate) fn new(claim: &Claim) -> Self {
        let open = |budget: &BudgetSpec| match *budget {
            BudgetSpec::Tokens { tokens, .. } => Account::Tokens(tokens),
            BudgetSpec::Ratio { .. } => Account::Ratio { requests: 0, retries: 0 },
        };
        Self(budgets(claim).iter().map(open).collect())
    }

    /// Whether each budget can pay for a retry after this failure.
    pub(crate) fn can_pay(&self, moment: &Moment<'_>) -> bool {
        let now = self.credited(moment);
        now.0.iter().zip(budgets(moment.claim)).all(|(account, budget)| match (*account, *budget) {
            (Account::Tokens(left), budget) => left >= price(&budget, moment.record),
            (Account::Ratio { requests, retries }, BudgetSpec::Ratio { ratio, reserve }) => {
                let earned = u128::from(requests) * u128::from(ratio.numerator) / u128::from(ratio.denominator.max(1));
                u128::from(retries) < earned + u128::from(reserve)
            }
            (Account::Ratio { .. }, BudgetSpec::Tokens { .. }) => true,
        })
    }

    /// Books what the record brings and costs. A retry that was made is booked whether or not it could be paid.
    pub(crate) fn settle(&mut self, moment: &Moment<'_>) {
        *self = self.credited(moment);
        if !moment.record.is_failure() || moment.record.wait_ns.is_none() {
            return;
        }
        for (account, budget) in self.0.iter_mut().zip(budgets(moment.claim)) {
            match account {
                Account::Tokens(left) => *left = left.saturating_sub(price(budget, moment.record)),
                Account::Ratio { retries, .. } => *retries = retries.saturating_add(1),
            }
        }
    }

    /// The same with what the record brings: a success refills, the first outcome of a call is a request.
    fn credited(&self, moment: &Moment<'_>) -> Self {
        let (begins, refills) = (begins_call(moment), refills(moment));
        let credit = |(account, budget): (&Account, &BudgetSpec)| match (*account, *budget) {
            (Account::Tokens(left), BudgetSpec::Tokens { tokens, refill, .. }) if refills => {
                Account::Tokens(left.saturating_add(refill).min(tokens))
            }
            (Account::Ratio { requests, retries }, _) if begins => {
                Account::Ratio { requests: requests.saturating_add(1), retries }
            }
            (account, _) => account,
        };
        Self(self.0.iter().zip(budgets(moment.claim)).map(credit).collect())
    }
}

fn budgets(claim: &Claim) -> &[BudgetSpec] {
    claim.limits.as_ref().map_or(&[], |limits| &limits.budgets)
}

fn price(budget: &BudgetSpec, record: &Record) -> u32 {
    let timed_out = record.cause().and_then(|cause| cause.fault()) == Some(Fault::Timeout);
    match *budget {
        BudgetSpec::Tokens { timeout_cost, .. } if timed_out => timeout_cost,
        BudgetSpec::Tokens { cost, .. } => cost,
        BudgetSpec::Ratio { .. } => 1,
    }
}

/// Whether the record is the first outcome of a call, which is when the call counts as a request.
fn begins_call(moment: &Moment<'_>) -> bool {
    let Moment { claim, past, record, is_due, .. } = *moment;
    let first = past.first_failure_ns.is_none();
    if record.is_failure() { first || is_due } else { record.is_success() && first && claim.shape == Shape::Call }
}

/// Whether a success reaches the budget: of a call each does, of a reconnecting loop the one that ends an outage, which may
/// be noticed as late as at the next failure.
fn refills(moment: &Moment<'_>) -> bool {
    let Moment { claim, past, record, is_due, .. } = *moment;
    match claim.shape {
        Shape::Call => record.is_success(),
        Shape::Streaming | Shape::Polling => {
            is_due && past.first_failure_ns.is_some() && (record.is_success() || past.successes > 0)
        }
    }
}
