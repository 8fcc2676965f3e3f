//! Limits that count the wrong thing, from the wrong time, or too late.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, Fault as Cause, GiveUp, Instant, Policy, Rung, nanos};
use retrylab_sim::{BuiltIn, build};
use retrylab_spec::{CallSpec, PolicySpec};

use super::clients;
use super::formula::with_spec;
use super::{Category, KnownFault, Making, reported};

pub(super) const AN_ATTEMPT_TOO_MANY: KnownFault = reported(
    Category::Limit,
    "an-attempt-too-many",
    "MikkoParkkola/mcp-gateway PR #394",
    "The number of attempts is used as a number of retries, which is one attempt more.",
    Making::Parameters(|client| attempts(client, |attempts| attempts.saturating_add(1))),
)
.caught("no-wait-after-the-last-attempt", clients::plain);

pub(super) const LAYERS_MULTIPLY: KnownFault = reported(
    Category::Limit,
    "layers-multiply",
    "microsoft/openaivec #186",
    "A layer below makes three attempts of each one, and the products are not limited.",
    Making::Parameters(|client| attempts(client, |attempts| attempts.saturating_mul(3))),
);

pub(super) const ELAPSED_FROM_CONSTRUCTION: KnownFault = reported(
    Category::Limit,
    "elapsed-from-construction",
    "comit-network/xmr-btc-swap PR #305; giantswarm/kvm-operator PR #243",
    "The elapsed time is counted from the start of the process, with all health before the outage.",
    Making::Parameters(|client| {
        with_spec(client, |spec| spec.deadline = spec.deadline.into_iter().chain(spec.elapsed.take()).min())
    }),
)
.caught("gives-up-exactly-when-due", clients::within_a_minute);

pub(super) const NO_LIMIT_IS_A_LIMIT_OF_ZERO: KnownFault = reported(
    Category::Limit,
    "no-limit-is-a-limit-of-zero",
    "cenkalti/backoff #156",
    "Zero, which means no limit of elapsed time, is taken as a limit.",
    Making::Parameters(|client| with_spec(client, |spec| spec.elapsed = Some(spec.elapsed.unwrap_or(Duration::ZERO)))),
);

pub(super) const ATTEMPTS_CARRY_OVER: KnownFault = reported(
    Category::Limit,
    "attempts-carry-over",
    "redis/ioredis #1463",
    "A call that is started by hand continues with the failures of the one that gave up.",
    Making::Policy(|client| Late::of(client, Answer::AsBefore, |_| {})),
);

pub(super) const SLEEP_AFTER_THE_LAST_FAILURE: KnownFault = reported(
    Category::Limit,
    "sleep-after-the-last-failure",
    "pravega/pravega #1740",
    "The loop waits after the last failure too, although the result is known.",
    Making::Policy(|client| Late::of(client, Answer::OneMoreRung, |_| {})),
);

pub(super) const WAITS_FOR_THE_DEADLINE: KnownFault = reported(
    Category::Limit,
    "waits-for-the-deadline",
    "temporalio/temporal PR #4403",
    "If the next wait does not fit before the deadline, the call waits until the deadline.",
    Making::Policy(|client| Late::of(client, Answer::UntilTheDeadline, |_| {})),
);

pub(super) const LIMIT_CHECKED_AFTER_THE_WAIT: KnownFault = reported(
    Category::Limit,
    "limit-checked-after-the-wait",
    "jd/tenacity PR #423",
    "The elapsed time is checked only between attempts, so that the last wait exceeds it.",
    Making::Policy(|client| Late::of(client, Answer::IfTimeIsLeft, |spec| spec.elapsed = None)),
)
.caught("gives-up-exactly-when-due", clients::within_a_minute);

pub(super) const TIMEOUTS_ARE_TERMINAL: KnownFault = reported(
    Category::Limit,
    "timeouts-are-terminal",
    "open-telemetry/opentelemetry-collector-contrib #39041",
    "A timeout is classified as a permanent failure.",
    Making::Policy(|client| {
        Judged::of(client, |failure| match failure.fault {
            Some(Cause::Timeout) => FailureKind::Unexpected,
            _ => failure.kind,
        })
    }),
);

pub(super) const IDEMPOTENCY_IGNORED: KnownFault = reported(
    Category::Limit,
    "idempotency-ignored",
    "adamcavendish/aioduct #79",
    "Every transport fault is retried, even if the server may already have acted.",
    Making::Policy(|client| {
        Judged::of(client, |failure| if failure.fault.is_some() { FailureKind::Normal } else { failure.kind })
    }),
);

fn attempts(client: &PolicySpec, change: fn(u32) -> u32) -> Option<PolicySpec> {
    with_spec(client, |spec| spec.attempts = spec.attempts.map(change))
}

/// The effect of a faulty limit on a failure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Once it has given up, it keeps giving up.
    AsBefore,
    OneMoreRung,
    UntilTheDeadline,
    IfTimeIsLeft,
}

/// The real policy, and a misplaced limit.
struct Late {
    policy: BuiltIn,
    spec: CallSpec,
    answer: Answer,
    first_failure: Option<Instant>,
    gave_up: bool,
    /// The superfluous wait.
    wait: Option<Duration>,
}

impl Late {
    fn of(client: &PolicySpec, answer: Answer, change: fn(&mut CallSpec)) -> Option<Box<dyn Policy>> {
        let policy = build(&with_spec(client, change)?).ok()?.0;
        let spec = client.call()?.clone();
        Some(Box::new(Self { policy, spec, answer, first_failure: None, gave_up: false, wait: None }))
    }

    fn instead(&self, decision: Decision, now: Instant) -> Decision {
        let elapsed = now.nanos_since(self.first_failure.unwrap_or(now));
        let (spec, over) = (&self.spec, matches!(decision, Decision::GiveUp(_)));
        match self.answer {
            Answer::AsBefore if self.gave_up => Decision::GiveUp(GiveUp::Attempts),
            Answer::IfTimeIsLeft if spec.elapsed.is_some_and(|limit| elapsed >= nanos(limit)) => {
                Decision::GiveUp(GiveUp::Elapsed)
            }
            Answer::OneMoreRung if over => {
                let rung = spec.ladder.ladder().map(|ladder| ladder.rung(spec.attempts.unwrap_or(1)));
                rung.map_or(decision, Decision::RetryAfter)
            }
            Answer::UntilTheDeadline if over => {
                let left = spec.deadline.map_or(0, |deadline| nanos(deadline).saturating_sub(now.as_nanos()));
                Decision::RetryAfter(Duration::from_nanos(left))
            }
            _ => decision,
        }
    }
}

impl Policy for Late {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let decided = self.policy.record_failure(failure, now, draw);
        self.first_failure.get_or_insert(now);
        let decision = self.instead(decided, now);
        self.wait = decision.delay().filter(|_| decision != decided);
        self.gave_up |= matches!(decision, Decision::GiveUp(_));
        decision
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
        (self.first_failure, self.gave_up, self.wait) = (None, false, None);
    }

    fn next_delay(&self) -> Duration {
        self.wait.unwrap_or_else(|| self.policy.next_delay())
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}

/// The real policy, which receives another kind of failure.
struct Judged {
    policy: BuiltIn,
    judge: fn(&Failure) -> FailureKind,
}

impl Judged {
    fn of(client: &PolicySpec, judge: fn(&Failure) -> FailureKind) -> Option<Box<dyn Policy>> {
        Some(Box::new(Self { policy: build(client).ok()?.0, judge }))
    }
}

impl Policy for Judged {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let kind = (self.judge)(&failure);
        self.policy.record_failure(Failure { kind, ..failure }, now, draw)
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
    }

    fn next_delay(&self) -> Duration {
        self.policy.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}
