//! A policy that decides as the real one, and waits by another formula.

use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Jitter, Policy, Rung, nanos};
use retrylab_scenario::{CallSpec, ClientKind, LadderSpec, Ratio};
use retrylab_sim::{BuiltIn, build};

/// What a formula computes a wait from. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The first rung.
    pub(super) base: u64,
    /// 1 for ladders that are not exponential.
    pub(super) ratio: Ratio,
    pub(super) ceiling: u64,
    pub(super) jitter: Jitter,
    /// How many failures of this call or outage there are, from 1.
    pub(super) number: u32,
    /// The right wait before jitter.
    pub(super) rung: u64,
    /// The wait before this one, 0 if there was none.
    pub(super) previous: u64,
    pub(super) draw: u64,
}

impl Place {
    /// What the draw takes of a wait with the client's own jitter, which is not one of the previous wait. A formula that
    /// has to be right in all but one point takes this.
    pub(super) fn taken(&self, wait: u64) -> u64 {
        let share = share(wait, self.draw);
        match self.jitter {
            Jitter::None => 0,
            Jitter::SubtractHalf => share / 2,
            Jitter::Full | Jitter::Decorrelated | Jitter::DecorrelatedPublished => share,
        }
    }
}

/// The real policy, but for the wait after a failure of which the server did not say how long to wait.
pub(super) struct WithWait {
    policy: BuiltIn,
    spec: CallSpec,
    formula: Formula,
    /// Whether the formula is that of the jitter, and not that of the rung.
    is_of_the_jitter: bool,
    wait: Duration,
}

/// A wait in nanoseconds; `None`: none, and the end of the loop.
pub(super) type Formula = fn(&Place) -> Option<u64>;

impl WithWait {
    pub(super) fn of_the_rung(client: &ClientKind, formula: Formula) -> Option<Self> {
        let spec = spec(client)?.clone();
        Some(Self { policy: build(client).ok()?.0, spec, formula, is_of_the_jitter: false, wait: Duration::ZERO })
    }

    pub(super) fn of_the_jitter(client: &ClientKind, formula: Formula) -> Option<Self> {
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
        let (Decision::RetryAfter(_), None) = (decision, failure.retry_after) else {
            self.wait = self.policy.next_delay();
            return decision;
        };
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

    /// The faulty wait stands for its own base.
    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw).map(|rung| Rung { base: self.wait, jitter: Duration::ZERO, ..rung })
    }
}

/// The share of `span` that the draw is of 2^64, rounded down.
pub(super) fn share(span: u64, draw: u64) -> u64 {
    u64::try_from((u128::from(span) * u128::from(draw)) >> 64).unwrap_or(u64::MAX)
}

/// The limits and waits of a client that is described in full.
pub(super) const fn spec(client: &ClientKind) -> Option<&CallSpec> {
    match client {
        ClientKind::Call(spec) | ClientKind::Reconnect { outage: spec, .. } => Some(spec),
        _ => None,
    }
}

/// The same client with other limits or waits.
pub(super) fn with_spec(client: &ClientKind, change: impl FnOnce(&mut CallSpec)) -> Option<ClientKind> {
    let mut client = client.clone();
    match &mut client {
        ClientKind::Call(spec) | ClientKind::Reconnect { outage: spec, .. } => change(spec),
        _ => return None,
    }
    Some(client)
}
