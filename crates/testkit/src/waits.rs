//! An iterator of waits as a policy.

use core::time::Duration;
use std::rc::Rc;

use retrylab_core::{Decision, Failure, FailureKind, GiveUp, Instant, Policy};

/// Calls one after the other, each with waits of its own.
pub(crate) struct Waits<F, I> {
    make: Rc<F>,
    /// Those of the present call, once it has failed.
    now: Option<I>,
    wait: Duration,
}

impl<F, I> Waits<F, I> {
    pub(crate) const fn new(make: Rc<F>) -> Self {
        Self { make, now: None, wait: Duration::ZERO }
    }

    fn end_call(&mut self) {
        (self.now, self.wait) = (None, Duration::ZERO);
    }
}

impl<F: Fn() -> I, I: Iterator<Item = Duration>> Policy for Waits<F, I> {
    fn record_failure(&mut self, failure: Failure, _: Instant, _: u64) -> Decision {
        let next = match failure.kind {
            FailureKind::Unexpected => Err(GiveUp::Terminal),
            FailureKind::Normal => self.now.get_or_insert_with(|| (self.make)()).next().ok_or(GiveUp::Attempts),
        };
        match next {
            Ok(wait) => {
                self.wait = wait;
                Decision::RetryAfter(wait)
            }
            Err(why) => {
                self.end_call();
                Decision::GiveUp(why)
            }
        }
    }

    fn record_success(&mut self, _: Instant) {
        self.end_call();
    }

    fn record_abandoned(&mut self) {
        self.end_call();
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }
}
