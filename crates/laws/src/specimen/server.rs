//! The wait that a server asks for, taken too far or not at all.

use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Policy, Rung, ServerDelay};
use retrylab_scenario::ClientKind;
use retrylab_sim::{BuiltIn, build};

use super::wait::{spec, with_spec};
use super::{Fault, Specimen};

pub(super) const SERVER_DELAY_UNCAPPED: Specimen = Specimen {
    name: "server-delay-uncapped",
    statement: "The server's wait is returned before the maximum is applied.",
    cite: "hashicorp/go-retryablehttp #247, #295",
    fault: Fault::Parameters(uncapped),
};

pub(super) const SERVER_DELAY_IGNORED: Specimen = Specimen {
    name: "server-delay-ignored",
    statement: "The server's wait is not understood, and the ladder decides.",
    cite: "acmesh-official/acme.sh #7201",
    fault: Fault::Parameters(|client| with_spec(client, |spec| spec.retry_after = ServerDelay::Ignore)),
};

pub(super) const SERVER_DELAY_WITHOUT_SPREAD: Specimen = Specimen {
    name: "server-delay-without-spread",
    statement: "Everybody who is told the same wait returns at the same instant.",
    cite: "openai/openai-java #853",
    fault: Fault::Parameters(|client| {
        with_spec(client, |spec| {
            if let ServerDelay::Clamp { spread, .. } | ServerDelay::Refuse { spread, .. } = &mut spec.retry_after {
                *spread = Duration::ZERO;
            }
        })
    }),
};

pub(super) const SERVER_DELAY_PAST_THE_LIMIT: Specimen = Specimen {
    name: "server-delay-past-the-limit",
    statement: "A server's wait is waited without asking whether it fits into the elapsed time.",
    cite: "ihrwein/backoff src/retry.rs",
    fault: Fault::Policy(|client| Directed::of(client, false)),
};

pub(super) const SERVER_DELAY_STICKS: Specimen = Specimen {
    name: "server-delay-sticks",
    statement: "What the server asked for once is every later wait, also of the next stream.",
    cite: "modelcontextprotocol/typescript-sdk PR #2673",
    fault: Fault::Policy(|client| Directed::of(client, true)),
};

pub(super) fn uncapped(client: &ClientKind) -> Option<ClientKind> {
    with_spec(client, |spec| {
        let spread = match spec.retry_after {
            ServerDelay::Ignore => Duration::ZERO,
            ServerDelay::Clamp { spread, .. } | ServerDelay::Refuse { spread, .. } => spread,
        };
        spec.retry_after = ServerDelay::Clamp { most: Duration::MAX, spread };
    })
}

/// The real policy, whose waits the server overrules.
struct Directed {
    policy: BuiltIn,
    sticks: bool,
    /// What the server asked for, if it still counts.
    asked: Option<Duration>,
    wait: Duration,
}

impl Directed {
    fn of(client: &ClientKind, sticks: bool) -> Option<Box<dyn Policy>> {
        let policy = build(client).ok().filter(|_| spec(client).is_some())?.0;
        Some(Box::new(Self { policy, sticks, asked: None, wait: Duration::ZERO }))
    }
}

impl Policy for Directed {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let decision = self.policy.record_failure(failure, now, draw);
        self.asked = match (failure.retry_after, decision) {
            (Some(asked), Decision::GiveUp(GiveUp::Elapsed)) if !self.sticks => Some(asked),
            (Some(_), _) => decision.delay(),
            (None, Decision::RetryAfter(_)) if self.sticks => self.asked,
            _ => None,
        };
        let decision = self.asked.map_or(decision, Decision::RetryAfter);
        self.wait = decision.delay().unwrap_or_else(|| self.policy.next_delay());
        decision
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
        self.wait = self.policy.next_delay();
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}
