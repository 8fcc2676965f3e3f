//! A bucket of tokens: failures take tokens out, successes put tokens back.

#![cfg(target_has_atomic = "32")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::{Budget, BudgetError};
use crate::Fault;
use crate::policy::Failure;

/// A bucket of tokens that starts full. A retry takes its cost out, a success puts some back, never above the maximum.
///
/// The shape is that of the AWS SDKs' standard retry quota (500 tokens, 5 a retry, 10 after a timeout, 1 back for each
/// success), which are the values of [`TokenBucket::default`].
///
/// ```
/// use retrylab_core::TokenBucket;
///
/// let bucket = TokenBucket::new(100).cost(5)?.timeout_cost(10)?.refill(1);
/// assert_eq!(bucket.tokens(), 100);
/// # Ok::<(), retrylab_core::BudgetError>(())
/// ```
#[derive(Debug)]
pub struct TokenBucket {
    tokens: AtomicU32,
    maximum: u32,
    cost: u32,
    timeout_cost: u32,
    refill: u32,
}

impl TokenBucket {
    /// A full bucket of `maximum` tokens. By default a retry costs 1 token and a success returns 1.
    #[must_use]
    pub const fn new(maximum: u32) -> Self {
        Self { tokens: AtomicU32::new(maximum), maximum, cost: 1, timeout_cost: 1, refill: 1 }
    }

    /// Sets the cost of a retry, also after a timeout unless [`TokenBucket::timeout_cost`] follows.
    ///
    /// # Errors
    ///
    /// If it is 0.
    pub const fn cost(mut self, tokens: u32) -> Result<Self, BudgetError> {
        if tokens == 0 {
            return Err(BudgetError::FreeRetry);
        }
        self.cost = tokens;
        self.timeout_cost = tokens;
        Ok(self)
    }

    /// Sets the cost of a retry after a timeout, the failure that held the server's resources longest.
    ///
    /// # Errors
    ///
    /// If it is 0.
    pub const fn timeout_cost(mut self, tokens: u32) -> Result<Self, BudgetError> {
        if tokens == 0 {
            return Err(BudgetError::FreeRetry);
        }
        self.timeout_cost = tokens;
        Ok(self)
    }

    /// Sets the refill for each success.
    #[must_use]
    pub const fn refill(mut self, tokens: u32) -> Self {
        self.refill = tokens;
        self
    }

    /// The tokens in it now.
    #[must_use]
    pub fn tokens(&self) -> u32 {
        self.tokens.load(Relaxed)
    }

    /// The capacity.
    #[must_use]
    pub const fn maximum(&self) -> u32 {
        self.maximum
    }

    fn put_back(&self, tokens: u32) {
        // A full bucket is left alone, so that threads with only successes do not contend for it.
        let filled =
            |now: u32| (now < self.maximum && tokens > 0).then(|| now.saturating_add(tokens).min(self.maximum));
        let _ = self.tokens.fetch_update(Relaxed, Relaxed, filled);
    }

    const fn cost_of(&self, failure: &Failure) -> u32 {
        match failure.fault {
            Some(Fault::Timeout) => self.timeout_cost,
            _ => self.cost,
        }
    }
}

impl Default for TokenBucket {
    fn default() -> Self {
        Self { cost: 5, timeout_cost: 10, ..Self::new(500) }
    }
}

/// Equal tokens under equal rules.
impl PartialEq for TokenBucket {
    fn eq(&self, other: &Self) -> bool {
        let of = |bucket: &Self| (bucket.tokens(), bucket.maximum, bucket.cost, bucket.timeout_cost, bucket.refill);
        of(self) == of(other)
    }
}

/// Copies the tokens into a separate budget. A reference shares one.
impl Clone for TokenBucket {
    fn clone(&self) -> Self {
        Self {
            tokens: AtomicU32::new(self.tokens()),
            maximum: self.maximum,
            cost: self.cost,
            timeout_cost: self.timeout_cost,
            refill: self.refill,
        }
    }
}

impl Budget for TokenBucket {
    #[inline]
    fn record_request(&self) {}

    #[inline]
    fn withdraw(&self, failure: &Failure) -> bool {
        let cost = self.cost_of(failure);
        self.tokens.fetch_update(Relaxed, Relaxed, |now| now.checked_sub(cost)).is_ok()
    }

    #[inline]
    fn refund(&self, failure: &Failure) {
        self.put_back(self.cost_of(failure));
    }

    #[inline]
    fn record_success(&self) {
        self.put_back(self.refill);
    }
}
