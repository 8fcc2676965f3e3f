//! Retries as a fraction of requests.

#![cfg(target_has_atomic = "64")]

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Budget, BudgetError};
use crate::policy::Failure;

/// Allows retries up to a fraction of the requests so far, plus a reserve: at all times `retries ≤ requests · numerator
/// / denominator + reserve`, exactly. The credit is counted in `1 / denominator` of a retry, so nothing is rounded.
///
/// The idea is Finagle's `RetryBudget` (a percentage of requests and a reserve), without its time window: credit does
/// not expire.
///
/// ```
/// use retrylab_core::{Budget, FailureKind, RatioBudget};
///
/// let budget = RatioBudget::new(3, 10, 0)?;
/// let failure = FailureKind::Normal.into();
/// for _ in 0..1000 {
///     budget.record_request();
/// }
/// assert_eq!((0..1000).filter(|_| budget.withdraw(&failure)).count(), 300);
/// # Ok::<(), retrylab_core::BudgetError>(())
/// ```
#[derive(Debug)]
pub struct RatioBudget {
    credit: AtomicU64,
    numerator: u32,
    denominator: u32,
}

impl RatioBudget {
    /// A budget of `numerator / denominator` retries for each request, plus `reserve` retries.
    ///
    /// # Errors
    ///
    /// If the denominator is 0.
    pub const fn new(numerator: u32, denominator: u32, reserve: u32) -> Result<Self, BudgetError> {
        if denominator == 0 {
            return Err(BudgetError::ZeroDenominator { numerator });
        }
        let credit = AtomicU64::new(reserve as u64 * denominator as u64);
        Ok(Self { credit, numerator, denominator })
    }

    /// The number of retries that the credit pays for now.
    #[must_use]
    pub fn retries(&self) -> u64 {
        self.credit.load(Relaxed) / u64::from(self.denominator)
    }

    fn earn(&self, credit: u32) {
        let more = |now: u64| Some(now.saturating_add(u64::from(credit)));
        // The closure always returns a value, so the update cannot fail.
        let _ = self.credit.fetch_update(Relaxed, Relaxed, more);
    }
}

/// Copies the credit into a separate budget. A reference shares one.
impl Clone for RatioBudget {
    fn clone(&self) -> Self {
        let credit = AtomicU64::new(self.credit.load(Relaxed));
        Self { credit, numerator: self.numerator, denominator: self.denominator }
    }
}

/// Equal credit under equal rules.
impl PartialEq for RatioBudget {
    fn eq(&self, other: &Self) -> bool {
        let of = |budget: &Self| (budget.credit.load(Relaxed), budget.numerator, budget.denominator);
        of(self) == of(other)
    }
}

impl Budget for RatioBudget {
    #[inline]
    fn record_request(&self) {
        self.earn(self.numerator);
    }

    #[inline]
    fn withdraw(&self, _: &Failure) -> bool {
        let cost = u64::from(self.denominator);
        self.credit.fetch_update(Relaxed, Relaxed, |now| now.checked_sub(cost)).is_ok()
    }

    #[inline]
    fn refund(&self, _: &Failure) {
        self.earn(self.denominator);
    }

    #[inline]
    fn record_success(&self) {}
}
