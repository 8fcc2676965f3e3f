//! Budgets that pay for more or for less than they say.

use core::cell::Cell;

use retrylab_core::{Budget, Call, Failure};
use retrylab_scenario::{BudgetSpec, ClientKind, Ratio};

use super::wait::with_spec;
use super::{Fault, Specimen};

pub(super) const RATIO_TRUNCATED: Specimen = Specimen {
    name: "ratio-truncated",
    statement: "The ratio is kept as its truncated inverse, requests a retry, so that 0.34 pays for a half.",
    cite: "tower-rs/tower #857",
    fault: Fault::Parameters(|client| {
        with_spec(client, |spec| {
            for budget in &mut spec.budgets {
                if let BudgetSpec::Ratio { ratio, .. } = budget {
                    let requests = ratio.denominator.checked_div(ratio.numerator).unwrap_or(u32::MAX);
                    *ratio = Ratio { numerator: 1, denominator: requests.max(1) };
                }
            }
        })
    }),
};

pub(super) const BUCKET_NEVER_REFILLED: Specimen = Specimen {
    name: "bucket-never-refilled",
    statement: "Successes put nothing back into the bucket, so that it is empty for good once it was.",
    cite: "aws/aws-sdk-go-v2 #3550",
    fault: Fault::Parameters(|client| {
        with_spec(client, |spec| {
            for budget in &mut spec.budgets {
                if let BudgetSpec::Tokens { refill, .. } = budget {
                    *refill = 0;
                }
            }
        })
    }),
};

pub(super) const BUCKET_WITHOUT_BOUND: Specimen = Specimen {
    name: "bucket-without-bound",
    statement: "Successes put tokens into the bucket without a maximum, so that a good day pays for any outage.",
    cite: "grpc/proposal PR #27",
    fault: Fault::Policy(|client| {
        let ClientKind::Call(spec) = client else { return None };
        let [BudgetSpec::Tokens { tokens, cost, refill, .. }] = spec.budgets[..] else { return None };
        let bucket = Unbounded { tokens: Cell::new(tokens.into()), cost: cost.into(), refill: refill.into() };
        Some(Box::new(Call::with_budget(spec.rules().ok()?, bucket)))
    }),
};

struct Unbounded {
    tokens: Cell<u64>,
    cost: u64,
    refill: u64,
}

impl Budget for Unbounded {
    fn record_request(&self) {}

    fn withdraw(&self, _: &Failure) -> bool {
        let left = self.tokens.get().checked_sub(self.cost);
        left.inspect(|&left| self.tokens.set(left)).is_some()
    }

    fn refund(&self, _: &Failure) {
        self.tokens.set(self.tokens.get().saturating_add(self.cost));
    }

    fn record_success(&self) {
        self.tokens.set(self.tokens.get().saturating_add(self.refill));
    }
}
