//! A policy with the decisions of the real one and another formula for the wait.

use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Jitter, Policy, Rung, ServerDelay, nanos};
use retrylab_sim::{BuiltIn, build};
use retrylab_spec::{CallSpec, LadderSpec, PolicySpec, Ratio};

/// The inputs of a formula. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The first rung.
    pub(crate) base: u64,
    /// 1 for ladders that are not exponential.
    pub(crate) ratio: Ratio,
    pub(crate) ceiling: u64,
    pub(crate) jitter: Jitter,
    /// The number of failures of this call or outage, from 1.
    pub(crate) number: u32,
    /// The correct wait before jitter.
    pub(crate) rung: u64,
    /// The previous wait, 0 if there was none.
    pub(crate) previous: u64,
    pub(crate) draw: u64,
}

impl Place {
    /// The jitter of the client's own kind for a wait, unless that is decorrelated. A formula with a fault elsewhere
    /// uses this.
    pub(crate) fn taken(&self, wait: u64) -> u64 {
        let share = share(wait, self.draw);
        match self.jitter {
            Jitter::None => 0,
            Jitter::SubtractHalf => share / 2,
            Jitter::Full | Jitter::Decorrelated | Jitter::DecorrelatedPublished => share,
        }
    }
}

/// The real policy, except for the wait after a failure whose `retry_after` it does not honour.
pub(crate) struct WithWait {
    policy: BuiltIn,
    spec: CallSpec,
    formula: WaitFormula,
    /// Whether the formula replaces the jitter, not the rung.
    is_of_the_jitter: bool,
    wait: Duration,
}

/// A wait in nanoseconds; `None`: none, and the end of the loop.
pub(crate) type WaitFormula = fn(&Place) -> Option<u64>;

impl WithWait {
    pub(crate) fn of_the_rung(client: &PolicySpec, formula: WaitFormula) -> Option<Self> {
        let spec = client.call()?.clone();
        Some(Self { policy: build(client).ok()?.0, spec, formula, is_of_the_jitter: false, wait: Duration::ZERO })
    }

    pub(crate) fn of_the_jitter(client: &PolicySpec, formula: WaitFormula) -> Option<Self> {
        Some(Self { is_of_the_jitter: true, ..Self::of_the_rung(client, formula)? })
    }

    fn computed(&self, draw: u64) -> Option<u64> {
        let place = self.place(draw)?;
        match (self.is_of_the_jitter, place.jitter) {
            (true, Jitter::None) => Some(place.rung),
            (true, _) => (self.formula)(&place),
            (false, _) => (self.formula)(&place).map(|rung| rung - place.taken(rung)),
        }
    }

    fn place(&self, draw: u64) -> Option<Place> {
        let ladder = self.spec.ladder.ladder().ok()?;
        let number = self.policy.explain(draw)?.number;
        let ratio = match self.spec.ladder {
            LadderSpec::Exponential { ratio, .. } => ratio,
            _ => Ratio { numerator: 1, denominator: 1 },
        };
        Some(Place {
            base: nanos(ladder.wait(ladder.first())),
            ratio,
            ceiling: nanos(ladder.ceiling()),
            jitter: self.spec.jitter,
            number,
            rung: nanos(ladder.rung(number)),
            previous: nanos(self.wait),
            draw,
        })
    }
}

impl Policy for WithWait {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let decision = self.policy.record_failure(failure, now, draw);
        let obeys = failure.retry_after.is_some() && self.spec.retry_after != ServerDelay::Ignore;
        if obeys || !matches!(decision, Decision::RetryAfter(_)) {
            self.wait = self.policy.next_delay();
            return decision;
        }
        match self.computed(draw) {
            Some(wait) => {
                self.wait = Duration::from_nanos(wait);
                Decision::RetryAfter(self.wait)
            }
            None => Decision::GiveUp(GiveUp::Attempts),
        }
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
        self.wait = self.policy.next_delay();
    }

    fn record_connected(&mut self, now: Instant) {
        self.policy.record_connected(now);
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }

    /// The faulty wait is its own base.
    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw).map(|rung| Rung { base: self.wait, jitter: Duration::ZERO, ..rung })
    }
}

/// `span` times the draw as a fraction of 2^64, rounded down.
pub(crate) fn share(span: u64, draw: u64) -> u64 {
    u64::try_from((u128::from(span) * u128::from(draw)) >> 64).unwrap_or(u64::MAX)
}

/// The same client with other limits or waits.
pub(crate) fn with_spec(client: &PolicySpec, change: impl FnOnce(&mut CallSpec)) -> Option<PolicySpec> {
    let mut client = client.clone();
    change(client.call_mut()?);
    Some(client)
}
