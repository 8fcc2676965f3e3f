//! Faults of a server's `retry_after`.

use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Least, Policy, Rung, ServerDelay};
use retrylab_sim::{BuiltIn, build};
use retrylab_spec::PolicySpec;

use super::clients;
use super::formula::with_spec;
use super::{Category, KnownFault, Making, reported};

pub(super) const SERVER_DELAY_UNCAPPED: KnownFault = reported(
    Category::Server,
    "server-delay-uncapped",
    "hashicorp/go-retryablehttp #247, #295",
    "The retry_after is returned before the maximum is applied.",
    Making::Parameters(uncapped),
)
.caught("server-delay-honoured-and-bounded", clients::listening);

pub(super) const SERVER_DELAY_IGNORED: KnownFault = reported(
    Category::Server,
    "server-delay-ignored",
    "acmesh-official/acme.sh #7201",
    "The retry_after is not parsed, so the ladder decides.",
    Making::Parameters(|client| with_spec(client, |spec| spec.retry_after = ServerDelay::Ignore)),
)
.caught("server-delay-honoured-and-bounded", clients::listening);

pub(super) const SERVER_DELAY_WITHOUT_SPREAD: KnownFault = reported(
    Category::Server,
    "server-delay-without-spread",
    "openai/openai-java #853",
    "All clients with the same retry_after return at the same instant.",
    Making::Parameters(|client| {
        with_spec(client, |spec| {
            spec.retry_after = spec.retry_after.spread(Duration::ZERO);
        })
    }),
);

pub(super) const SERVER_DELAY_OF_ZERO_OBEYED: KnownFault = reported(
    Category::Server,
    "server-delay-of-zero-obeyed",
    "launchdarkly/rust-eventsource-client PR #135",
    "A retry_after replaces the ladder even where it is shorter, so that zero makes a hot loop.",
    Making::Parameters(|client| with_spec(client, |spec| spec.retry_after = spec.retry_after.least(Least::Zero))),
)
.caught("server-delay-honoured-and-bounded", clients::listening);

pub(super) const SERVER_DELAY_PAST_THE_LIMIT: KnownFault = reported(
    Category::Server,
    "server-delay-past-the-limit",
    "ihrwein/backoff src/retry.rs",
    "A retry_after is waited for even if it does not fit into the elapsed time.",
    Making::Policy(|client| Directed::of(client, false)),
);

pub(super) const SERVER_DELAY_STICKS: KnownFault = reported(
    Category::Server,
    "server-delay-sticks",
    "modelcontextprotocol/typescript-sdk PR #2673",
    "A retry_after is kept as every later wait, also of the next stream.",
    Making::Policy(|client| Directed::of(client, true)),
);

/// Of a policy that honours it at all.
pub(super) fn uncapped(client: &PolicySpec) -> Option<PolicySpec> {
    let ServerDelay::Honour { spread, .. } = client.call()?.retry_after else { return None };
    with_spec(client, |spec| spec.retry_after = ServerDelay::clamp(Duration::MAX).spread(spread))
}

/// The real policy, whose waits `retry_after` replaces.
struct Directed {
    policy: BuiltIn,
    sticks: bool,
    /// The `retry_after` in effect, if any.
    asked: Option<Duration>,
    wait: Duration,
}

impl Directed {
    fn of(client: &PolicySpec, sticks: bool) -> Option<Box<dyn Policy>> {
        let policy = build(client).ok().filter(|_| client.call().is_some())?.0;
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
