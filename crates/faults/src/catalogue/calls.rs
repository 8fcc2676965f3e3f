//! The bounded call in plain steps, each of which a fault can replace.

use core::time::Duration;

use retrylab_core::{
    Beyond, Decision, Failure, FailureKind, Fault, GiveUp, Instant, Jitter, Least, Policy, Regime, Rung, ServerDelay,
    nanos,
};
use retrylab_spec::{BudgetSpec, CallSpec};

use super::machine::{half, share};
use retrylab_laws::rungs;

/// The memory of a client that makes calls. Times are in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    steps: CallSteps,
    pub(crate) spec: CallSpec,
    /// Failures of the present call.
    pub(crate) failures: u32,
    pub(crate) first_failure: Option<u64>,
    /// The ladder's previous wait.
    pub(crate) previous: Option<u64>,
    /// The remaining tokens of each bucket.
    pub(crate) tokens: Vec<u64>,
    pub(crate) now: u64,
    /// The longest possible wait.
    longest: u64,
    delay: u64,
}

/// The longest and the actual wait, or none; or the reason to give up.
type Granted = Result<Option<(u64, u64)>, GiveUp>;

/// The steps. Each fault replaces one of [`RIGHT`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSteps {
    pub(crate) is_terminal: fn(&Failure) -> bool,
    pub(crate) is_last: fn(&Calls) -> bool,
    /// The longest and the actual wait of the ladder for this draw.
    pub(crate) ladder: fn(&Calls, u64) -> (u64, u64),
    /// The same for a `retry_after`; `None` if it is ignored.
    pub(crate) asked: fn(&Calls, u64, u64) -> Granted,
    /// Whether this wait ends too late.
    pub(crate) is_late: fn(&Calls, u64) -> bool,
    /// The cost of a retry, in each bucket.
    pub(crate) price: fn(&BudgetSpec, &Failure) -> u32,
    /// The refill of a success.
    pub(crate) refill: fn(&mut Calls),
    pub(crate) end: fn(&mut Calls),
}

/// The correct steps.
pub(crate) const RIGHT: CallSteps = CallSteps {
    is_terminal: |failure| failure.kind == FailureKind::Unexpected,
    is_last: |calls| calls.spec.attempts.is_some_and(|attempts| calls.failures >= attempts),
    ladder: |calls, draw| {
        let base = nanos(rungs::base(&calls.spec.ladder, calls.failures));
        let first = nanos(rungs::base(&calls.spec.ladder, 1));
        let most = nanos(rungs::ceiling(&calls.spec.ladder)).min(calls.previous.unwrap_or(first).saturating_mul(3));
        match calls.spec.jitter {
            Jitter::None => (base, base),
            Jitter::SubtractHalf => (base, base - half(base, draw)),
            Jitter::Full => (base, base - share(base, draw)),
            Jitter::Decorrelated | Jitter::DecorrelatedPublished => {
                let most = most.max(first);
                (most, most - share(most - first, draw))
            }
        }
    },
    asked: |calls, asked, draw| {
        let ServerDelay::Honour { most, beyond, spread, least } = calls.spec.retry_after else { return Ok(None) };
        if beyond == Beyond::Refuse && asked > nanos(most) {
            return Err(GiveUp::RetryAfter(Duration::from_nanos(asked)));
        }
        let shortest = asked.min(nanos(most));
        let longest = shortest.saturating_add(nanos(spread));
        let wait = longest - share(longest - shortest, draw);
        let rung = if least == Least::Rung { (calls.steps.ladder)(calls, draw) } else { (0, 0) };
        Ok(Some((longest.max(rung.0), wait.max(rung.1))))
    },
    is_late: |calls, wait| {
        let elapsed = calls.now - calls.first_failure.unwrap_or(calls.now);
        calls.spec.elapsed.is_some_and(|most| elapsed.saturating_add(wait) > nanos(most))
            || calls.spec.deadline.is_some_and(|deadline| calls.now.saturating_add(wait) > nanos(deadline))
    },
    price: |budget, failure| match *budget {
        BudgetSpec::Tokens { timeout_cost, .. } if failure.fault == Some(Fault::Timeout) => timeout_cost,
        BudgetSpec::Tokens { cost, .. } => cost,
        BudgetSpec::Ratio { .. } => 0,
    },
    refill: |calls| {
        for (left, budget) in calls.tokens.iter_mut().zip(&calls.spec.budgets) {
            if let BudgetSpec::Tokens { tokens, refill, .. } = *budget {
                *left = left.saturating_add(u64::from(refill)).min(u64::from(tokens));
            }
        }
    },
    end: |calls| {
        (calls.failures, calls.first_failure, calls.previous, calls.delay, calls.longest) = (0, None, None, 0, 0)
    },
};

impl Calls {
    /// A client with this description and these steps. It supports only buckets as budgets.
    pub(crate) fn new(spec: CallSpec, steps: CallSteps) -> Self {
        let full = |budget: &BudgetSpec| match *budget {
            BudgetSpec::Tokens { tokens, .. } => u64::from(tokens),
            BudgetSpec::Ratio { .. } => 0,
        };
        let tokens = spec.budgets.iter().map(full).collect();
        Self { steps, spec, failures: 0, first_failure: None, previous: None, tokens, now: 0, longest: 0, delay: 0 }
    }

    fn wait(&mut self, failure: &Failure, draw: u64) -> Result<(), GiveUp> {
        let steps = self.steps;
        self.first_failure = self.first_failure.or(Some(self.now));
        self.failures = self.failures.saturating_add(1);
        if (steps.is_terminal)(failure) {
            return Err(GiveUp::Terminal);
        }
        if (steps.is_last)(self) {
            return Err(GiveUp::Attempts);
        }
        let ladder = (steps.ladder)(self, draw);
        let asked = match failure.retry_after {
            Some(asked) => (steps.asked)(self, nanos(asked), draw)?,
            None => None,
        };
        let (longest, wait) = asked.unwrap_or(ladder);
        if (steps.is_late)(self, wait) {
            return Err(GiveUp::Elapsed);
        }
        let prices: Vec<u64> =
            self.spec.budgets.iter().map(|budget| u64::from((steps.price)(budget, failure))).collect();
        if self.tokens.iter().zip(&prices).any(|(left, price)| left < price) {
            return Err(GiveUp::Budget);
        }
        self.tokens.iter_mut().zip(prices).for_each(|(left, price)| *left -= price);
        self.previous = Some(ladder.1);
        (self.longest, self.delay) = (longest, wait);
        Ok(())
    }
}

impl Policy for Calls {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.now = now.as_nanos();
        match self.wait(&failure, draw) {
            Ok(()) => Decision::RetryAfter(Duration::from_nanos(self.delay)),
            Err(why) => {
                (self.steps.end)(self);
                Decision::GiveUp(why)
            }
        }
    }

    fn record_success(&mut self, now: Instant) {
        self.now = now.as_nanos();
        (self.steps.refill)(self);
        (self.steps.end)(self);
    }

    fn record_abandoned(&mut self) {
        (self.steps.end)(self);
    }

    fn next_delay(&self) -> Duration {
        Duration::from_nanos(self.delay)
    }

    fn explain(&self, _: u64) -> Option<Rung> {
        Some(Rung {
            regime: Regime::Normal,
            number: self.failures,
            base: Duration::from_nanos(self.longest),
            jitter: Duration::from_nanos(self.longest.saturating_sub(self.delay)),
        })
    }
}
