//! The balances of the claimed budgets, counted from outside.

use retrylab_core::Fault;
use retrylab_sim::Record;
use retrylab_spec::{BudgetSpec, Shape};

use crate::claim::Claim;
use crate::past::{Moment, Past};

/// One account for each budget, in the order of the claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Accounts(Box<[Account]>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Account {
    Tokens(u32),
    Ratio { requests: u64, retries: u64 },
}

/// What a record brings to the budgets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credit {
    /// The record is the first outcome of a call, which is when the call counts as a request.
    request: bool,
    /// A success reaches the budgets: of a call each does, of a reconnecting loop the one that ends an outage, which may be
    /// noticed as late as at the next failure.
    refill: bool,
}

impl Past {
    /// The credit of the next record.
    pub(crate) fn credit(&self, claim: &Claim, record: &Record, is_due: bool) -> Credit {
        let (first, success) = (self.first_failure_ns.is_none(), record.is_success());
        let is_call = claim.shape() == Shape::Call;
        let request = if record.is_failure() { first || is_due } else { success && first && is_call };
        let refill = if is_call { success } else { is_due && !first && (success || self.successes > 0) };
        Credit { request, refill }
    }
}

impl Accounts {
    pub(crate) fn new(claim: &Claim) -> Self {
        let open = |budget: &BudgetSpec| match *budget {
            BudgetSpec::Tokens { tokens, .. } => Account::Tokens(tokens),
            BudgetSpec::Ratio { .. } => Account::Ratio { requests: 0, retries: 0 },
        };
        Self(claim.budgets().iter().map(open).collect())
    }

    /// Whether each budget can pay for a retry after this failure.
    pub(crate) fn can_pay(&self, moment: &Moment<'_>) -> bool {
        let credit = moment.past.credit(moment.claim, moment.record, moment.is_due);
        self.0.iter().zip(moment.claim.budgets()).all(|(account, budget)| {
            match (account.credited(budget, credit), *budget) {
                (Account::Tokens(left), budget) => left >= price(&budget, moment.record),
                (Account::Ratio { requests, retries }, BudgetSpec::Ratio { ratio, reserve }) => {
                    let parts = u128::from(requests) * u128::from(ratio.numerator);
                    u128::from(retries) < parts / u128::from(ratio.denominator.max(1)) + u128::from(reserve)
                }
                (Account::Ratio { .. }, BudgetSpec::Tokens { .. }) => true,
            }
        })
    }

    /// Books the credit and the cost of a record. A retry that was made is booked whether or not it could be paid.
    pub(crate) fn settle(&mut self, claim: &Claim, record: &Record, credit: Credit) {
        let is_retried = record.is_failure() && record.wait_ns().is_some();
        for (account, budget) in self.0.iter_mut().zip(claim.budgets()) {
            *account = match account.credited(budget, credit) {
                Account::Tokens(left) if is_retried => Account::Tokens(left.saturating_sub(price(budget, record))),
                Account::Ratio { requests, retries } if is_retried => {
                    Account::Ratio { requests, retries: retries.saturating_add(1) }
                }
                credited => credited,
            };
        }
    }
}

impl Account {
    const fn credited(self, budget: &BudgetSpec, credit: Credit) -> Self {
        match (self, budget) {
            (Self::Tokens(left), BudgetSpec::Tokens { tokens, refill, .. }) if credit.refill => {
                let full = left.saturating_add(*refill);
                Self::Tokens(if full < *tokens { full } else { *tokens })
            }
            (Self::Ratio { requests, retries }, _) if credit.request => {
                Self::Ratio { requests: requests.saturating_add(1), retries }
            }
            _ => self,
        }
    }
}

fn price(budget: &BudgetSpec, record: &Record) -> u32 {
    let timed_out = record.cause().and_then(|cause| cause.fault()) == Some(Fault::Timeout);
    match *budget {
        BudgetSpec::Tokens { timeout_cost, .. } if timed_out => timeout_cost,
        BudgetSpec::Tokens { cost, .. } => cost,
        BudgetSpec::Ratio { .. } => 1,
    }
}
