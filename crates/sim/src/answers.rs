//! Whether a policy has one answer to a failure: what it decides, and what it says when it is asked again.

use core::cell::Cell;
use core::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Policy, Rung};
use retrylab_scenario::duration::Text;

use crate::judge::Unmet;
use crate::record::Record;

/// A policy that is asked for its stored delay after each decision. The first pair that differs is kept outside, where
/// whoever plays the policy sees it.
#[derive(Debug)]
pub(crate) struct Asked<'a, P> {
    pub(crate) policy: P,
    pub(crate) first: &'a Cell<Option<TwoAnswers>>,
}

/// What a policy said of one failure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoAnswers {
    decided: Duration,
    stored: Duration,
}

impl TwoAnswers {
    /// As what does not hold; `record` is that of the failure, and `index` its number.
    pub(crate) fn unmet(self, record: &Record, index: u64) -> Unmet {
        Unmet {
            key: "client".to_string(),
            nth: None,
            expected: format!("next_delay() to be the decided {}", Text(self.decided)),
            got: Text(self.stored).to_string(),
            record: index,
            attempt: record.attempt,
            at: Duration::from_nanos(record.time_ns),
        }
    }
}

impl<P: Policy> Policy for Asked<'_, P> {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let decision = self.policy.record_failure(failure, now, draw);
        if let Decision::RetryAfter(decided) = decision
            && self.first.get().is_none()
        {
            let stored = self.policy.next_delay();
            self.first.set((decided != stored).then_some(TwoAnswers { decided, stored }));
        }
        decision
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
    }

    fn record_connected(&mut self, now: Instant) {
        self.policy.record_connected(now);
    }

    fn record_unmade(&mut self, failure: Failure) {
        self.policy.record_unmade(failure);
    }

    fn record_abandoned(&mut self) {
        self.policy.record_abandoned();
    }

    fn next_delay(&self) -> Duration {
        self.policy.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}
