//! The budgets of a file's client: any number of them, all of which must pay.

use retrylab_core::{Budget, Failure, RatioBudget, TokenBucket};
use retrylab_spec::BudgetSpec;

/// Budgets that must all pay, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budgets(Vec<Either>);

#[derive(Clone, Debug, PartialEq)]
enum Either {
    Tokens(TokenBucket),
    Ratio(RatioBudget),
}

impl Budgets {
    /// The budgets of the file. An invalid description, which a checked timeline cannot contain, is left out.
    #[must_use]
    pub fn new(specs: &[BudgetSpec]) -> Self {
        let build = |spec: &BudgetSpec| match *spec {
            BudgetSpec::Tokens { tokens, cost, timeout_cost, refill } => {
                let bucket = TokenBucket::new(tokens).cost(cost).and_then(|bucket| bucket.timeout_cost(timeout_cost));
                bucket.ok().map(|bucket| Either::Tokens(bucket.refill(refill)))
            }
            BudgetSpec::Ratio { ratio, reserve } => {
                RatioBudget::new(ratio.numerator, ratio.denominator, reserve).ok().map(Either::Ratio)
            }
        };
        Self(specs.iter().filter_map(build).collect())
    }
}

impl Either {
    fn budget(&self) -> &dyn Budget {
        match self {
            Self::Tokens(bucket) => bucket,
            Self::Ratio(ratio) => ratio,
        }
    }
}

impl Budget for Budgets {
    fn record_request(&self) {
        self.0.iter().for_each(|one| one.budget().record_request());
    }

    fn withdraw(&self, failure: &Failure) -> bool {
        let unpaid = self.0.iter().position(|one| !one.budget().withdraw(failure));
        if let Some(unpaid) = unpaid {
            self.0.iter().take(unpaid).for_each(|one| one.budget().refund(failure));
        }
        unpaid.is_none()
    }

    fn refund(&self, failure: &Failure) {
        self.0.iter().for_each(|one| one.budget().refund(failure));
    }

    fn record_success(&self) {
        self.0.iter().for_each(|one| one.budget().record_success());
    }
}
