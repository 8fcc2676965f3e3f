//! Budgets that calls share: what a retry costs, and who pays for it.

use core::fmt;
use core::ops::Deref;

use crate::policy::Failure;

mod bucket;
mod ratio;

#[cfg(target_has_atomic = "32")]
pub use bucket::TokenBucket;
#[cfg(target_has_atomic = "64")]
pub use ratio::RatioBudget;

/// Pays for retries. Shared between calls by choice: pass a reference (or an `Arc`) to the same one.
///
/// A budget conserves: a retry happens only after [`withdraw`](Self::withdraw) took its cost, whichever thread asks.
///
/// ```
/// use retrylab_core::{Budget, FailureKind, TokenBucket};
///
/// let shared = TokenBucket::new(10).cost(5)?;
/// let failure = FailureKind::Normal.into();
/// assert!(shared.withdraw(&failure) && shared.withdraw(&failure));
/// assert!(!shared.withdraw(&failure));
/// # Ok::<(), retrylab_core::BudgetError>(())
/// ```
pub trait Budget {
    /// Takes note that a call begins, whatever comes of it.
    fn record_request(&self);

    /// Pays for one retry after `failure`. `false`: nothing was taken, and there must be no retry.
    fn withdraw(&self, failure: &Failure) -> bool;

    /// Gives back what [`withdraw`](Self::withdraw) took for a retry that will not happen.
    fn refund(&self, failure: &Failure);

    /// Takes note that a call succeeded.
    fn record_success(&self);
}

/// Pays for every retry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unlimited;

impl Budget for Unlimited {
    #[inline]
    fn record_request(&self) {}

    #[inline]
    fn withdraw(&self, _: &Failure) -> bool {
        true
    }

    #[inline]
    fn refund(&self, _: &Failure) {}

    #[inline]
    fn record_success(&self) {}
}

/// Two budgets that both have to pay.
///
/// If the second does not, the first gets back what it paid. Until then another thread may find too little in the first
/// and be refused a retry; never is one made that was not paid for twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Both<A, B>(
    /// The one that is asked first.
    pub A,
    /// The one that is asked if the first has paid.
    pub B,
);

impl<A: Budget, B: Budget> Budget for Both<A, B> {
    #[inline]
    fn record_request(&self) {
        self.0.record_request();
        self.1.record_request();
    }

    #[inline]
    fn withdraw(&self, failure: &Failure) -> bool {
        if !self.0.withdraw(failure) {
            return false;
        }
        let paid = self.1.withdraw(failure);
        if !paid {
            self.0.refund(failure);
        }
        paid
    }

    #[inline]
    fn refund(&self, failure: &Failure) {
        self.0.refund(failure);
        self.1.refund(failure);
    }

    #[inline]
    fn record_success(&self) {
        self.0.record_success();
        self.1.record_success();
    }
}

/// References, `Arc`s and the like share what they point to.
impl<P: Deref> Budget for P
where
    P::Target: Budget,
{
    #[inline]
    fn record_request(&self) {
        (**self).record_request();
    }

    #[inline]
    fn withdraw(&self, failure: &Failure) -> bool {
        (**self).withdraw(failure)
    }

    #[inline]
    fn refund(&self, failure: &Failure) {
        (**self).refund(failure);
    }

    #[inline]
    fn record_success(&self) {
        (**self).record_success();
    }
}

/// A budget that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BudgetError {
    /// A retry that costs nothing is paid for by nobody.
    FreeRetry,
    /// A fraction without a denominator.
    ZeroDenominator {
        /// As given.
        numerator: u32,
    },
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FreeRetry => write!(f, "the cost of a retry is 0; it has to be at least 1"),
            Self::ZeroDenominator { numerator } => {
                write!(f, "the ratio of the budget is {numerator}/0; the denominator has to be at least 1")
            }
        }
    }
}

impl core::error::Error for BudgetError {}
