//! Budgets that calls share: the cost of a retry, and its payment.

use core::fmt;
use core::ops::Deref;

use crate::policy::Failure;

mod bucket;
mod ratio;

#[cfg(target_has_atomic = "32")]
pub use bucket::TokenBucket;
#[cfg(target_has_atomic = "64")]
pub use ratio::RatioBudget;

/// Pays for retries. Calls share a budget by a reference (or an `Arc`) to it.
///
/// A budget conserves: a retry happens only after [`withdraw`](Self::withdraw) took its cost, on whichever thread.
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
    /// Records that a call begins.
    fn record_request(&self);

    /// Pays for one retry after `failure`. `false` means that nothing was taken and that the retry is not allowed.
    fn withdraw(&self, failure: &Failure) -> bool;

    /// Returns the amount that [`withdraw`](Self::withdraw) took for a retry that will not happen.
    fn refund(&self, failure: &Failure);

    /// Records that a call succeeded.
    fn record_success(&self);
}

/// Pays for every retry.
///
/// ```
/// use retrylab_core::{Budget, FailureKind, Unlimited};
///
/// assert!(Unlimited.withdraw(&FailureKind::Normal.into()));
/// ```
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

/// Two budgets that must both pay.
///
/// If the second cannot pay, the first is refunded. Until then another thread may find too little in the first and be
/// refused. No retry happens that only one has paid for.
///
/// ```
/// use retrylab_core::{Both, Budget, FailureKind, TokenBucket};
///
/// let (mine, shared) = (TokenBucket::new(9).cost(1)?, TokenBucket::new(1).cost(1)?);
/// let budget = Both(&mine, &shared);
/// let failure = FailureKind::Normal.into();
/// assert!(budget.withdraw(&failure) && !budget.withdraw(&failure));
/// assert_eq!((mine.tokens(), shared.tokens()), (8, 0));
/// # Ok::<(), retrylab_core::BudgetError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Both<A, B>(
    /// The budget that pays first.
    pub A,
    /// The budget that pays second.
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

/// References, `Arc`s and the like share the budget behind them.
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

/// The reason why a budget cannot be built.
///
/// ```
/// use retrylab_core::{BudgetError, TokenBucket};
///
/// assert_eq!(TokenBucket::new(9).cost(0).err(), Some(BudgetError::FreeRetry));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BudgetError {
    /// A retry that costs nothing, which would make the budget unlimited.
    FreeRetry,
    /// A fraction without a denominator.
    ZeroDenominator {
        /// The numerator given.
        numerator: u32,
    },
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FreeRetry => write!(f, "the cost of a retry is 0; it must be at least 1"),
            Self::ZeroDenominator { numerator } => {
                write!(f, "the ratio of the budget is {numerator}/0; the denominator must be at least 1")
            }
        }
    }
}

impl core::error::Error for BudgetError {}
