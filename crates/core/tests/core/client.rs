//! One client, which receives outcomes at points counted from the clock's origin.

use std::time::Duration;

use retrylab_core::{FailureKind, HealthyFor, Instant, Regime, ResetRule, Retry, RetryRules, Successes};

/// The draw in the middle: a quarter of the rung is subtracted.
pub(crate) const HALF: u64 = 1 << 63;

pub(crate) const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) const fn ns(nanoseconds: u64) -> Duration {
    Duration::from_nanos(nanoseconds)
}

pub(crate) struct Client<R: ResetRule> {
    pub(crate) retry: Retry<R>,
}

pub(crate) fn streaming(initial: f64) -> Client<HealthyFor> {
    Client::new(RetryRules::streaming_from_secs_f64(initial).0)
}

pub(crate) fn polling(interval: f64) -> Client<Successes> {
    Client::new(RetryRules::polling_from_secs_f64(interval).0)
}

impl<R: ResetRule> Client<R> {
    pub(crate) fn new(rules: RetryRules<R>) -> Self {
        Self { retry: Retry::new(rules) }
    }

    /// Records a normal failure with draw 0 and returns the wait.
    pub(crate) fn normal(&mut self, at: Duration) -> Duration {
        self.fails(FailureKind::Normal, at, 0)
    }

    /// Records an unexpected failure with draw 0 and returns the wait.
    pub(crate) fn unexpected(&mut self, at: Duration) -> Duration {
        self.fails(FailureKind::Unexpected, at, 0)
    }

    pub(crate) fn fails(&mut self, kind: FailureKind, at: Duration, draw: u64) -> Duration {
        let answer = self.retry.wait_after(kind, Instant::ZERO + at, draw);
        assert_eq!(answer, self.retry.next_delay(), "the returned wait is the next delay");
        answer
    }

    /// Records a success and returns the wait.
    pub(crate) fn succeeds(&mut self, at: Duration) -> Duration {
        self.retry.record_success(Instant::ZERO + at);
        self.retry.next_delay()
    }

    /// The waits of this many failures of a kind, all at one instant, with draw 0, in seconds that have to be whole.
    pub(crate) fn ladder(&mut self, kind: FailureKind, rungs: usize, at: Duration) -> Vec<u64> {
        let waits = (0..rungs).map(|_| self.fails(kind, at, 0));
        waits.inspect(|wait| assert_eq!(wait.subsec_nanos(), 0)).map(|wait| wait.as_secs()).collect()
    }

    pub(crate) fn place(&self) -> (Regime, u32) {
        (self.retry.regime(), self.retry.attempts())
    }
}
