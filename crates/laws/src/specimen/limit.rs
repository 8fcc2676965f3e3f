//! Limits that count the wrong thing, from the wrong moment, or too late.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, Fault as Cause, GiveUp, Instant, Policy, Rung, nanos};
use retrylab_scenario::{CallSpec, ClientKind};
use retrylab_sim::{BuiltIn, build};

use super::wait::{spec, with_spec};
use super::{Fault, Specimen};

pub(super) const ATTEMPTS_COUNT_RETRIES: Specimen = Specimen {
    name: "attempts-count-retries",
    statement: "The number of attempts is passed on as a number of retries, which is one attempt more.",
    cite: "MikkoParkkola/mcp-gateway PR #394",
    fault: Fault::Parameters(|client| attempts(client, |attempts| attempts.saturating_add(1))),
};

pub(super) const LAYERS_MULTIPLY: Specimen = Specimen {
    name: "layers-multiply",
    statement: "A layer below makes three attempts of each, and nobody has multiplied.",
    cite: "microsoft/openaivec #186",
    fault: Fault::Parameters(|client| attempts(client, |attempts| attempts.saturating_mul(3))),
};

pub(super) const ELAPSED_FROM_CONSTRUCTION: Specimen = Specimen {
    name: "elapsed-from-construction",
    statement: "The elapsed time is counted from the start of the process, with all the health before the outage.",
    cite: "comit-network/xmr-btc-swap PR #305; giantswarm/kvm-operator PR #243",
    fault: Fault::Parameters(|client| with_spec(client, |spec| spec.deadline = spec.elapsed.take())),
};

pub(super) const NO_LIMIT_IS_A_LIMIT_OF_ZERO: Specimen = Specimen {
    name: "no-limit-is-a-limit-of-zero",
    statement: "No limit of elapsed time is written as zero, and zero is taken for a limit.",
    cite: "cenkalti/backoff #156",
    fault: Fault::Parameters(|client| {
        with_spec(client, |spec| spec.elapsed = Some(spec.elapsed.unwrap_or(Duration::ZERO)))
    }),
};

pub(super) const ATTEMPTS_CARRY_OVER: Specimen = Specimen {
    name: "attempts-carry-over",
    statement: "A call that is started by hand goes on with the failures of the one that gave up.",
    cite: "redis/ioredis #1463",
    fault: Fault::Policy(|client| Late::of(client, Answer::AsBefore, |_| {})),
};

pub(super) const SLEEP_AFTER_THE_LAST_FAILURE: Specimen = Specimen {
    name: "sleep-after-the-last-failure",
    statement: "The loop waits after the last failure too, for a result that is already known.",
    cite: "pravega/pravega #1740",
    fault: Fault::Policy(|client| Late::of(client, Answer::OneMoreRung, |_| {})),
};

pub(super) const WAITS_FOR_THE_DEADLINE: Specimen = Specimen {
    name: "waits-for-the-deadline",
    statement: "Where the next wait does not fit before the deadline, the deadline is waited for.",
    cite: "temporalio/temporal PR #4403",
    fault: Fault::Policy(|client| Late::of(client, Answer::UntilTheDeadline, |_| {})),
};

pub(super) const LIMIT_CHECKED_AFTER_THE_WAIT: Specimen = Specimen {
    name: "limit-checked-after-the-wait",
    statement: "The elapsed time is looked at between attempts only, so that the last wait goes past it.",
    cite: "jd/tenacity PR #423",
    fault: Fault::Policy(|client| Late::of(client, Answer::IfTimeIsLeft, |spec| spec.elapsed = None)),
};

pub(super) const TIMEOUTS_ARE_TERMINAL: Specimen = Specimen {
    name: "timeouts-are-terminal",
    statement: "An attempt that timed out is taken for a permanent failure.",
    cite: "open-telemetry/opentelemetry-collector-contrib #39041",
    fault: Fault::Policy(|client| {
        Judged::of(client, |failure| match failure.fault {
            Some(Cause::Timeout) => FailureKind::Unexpected,
            _ => failure.kind,
        })
    }),
};

pub(super) const IDEMPOTENCY_IGNORED: Specimen = Specimen {
    name: "idempotency-ignored",
    statement: "Every transport fault is retried, whether or not the server may have acted already.",
    cite: "adamcavendish/aioduct #79",
    fault: Fault::Policy(|client| {
        Judged::of(client, |failure| if failure.fault.is_some() { FailureKind::Normal } else { failure.kind })
    }),
};

fn attempts(client: &ClientKind, change: fn(u32) -> u32) -> Option<ClientKind> {
    with_spec(client, |spec| spec.attempts = spec.attempts.map(change))
}

/// What a faulty limit does with a failure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Once it has given up, it gives up.
    AsBefore,
    OneMoreRung,
    UntilTheDeadline,
    IfTimeIsLeft,
}

/// The real policy, and a limit that is not where it belongs.
struct Late {
    policy: BuiltIn,
    spec: CallSpec,
    answer: Answer,
    first_failure: Option<Instant>,
    gave_up: bool,
    /// The wait that there should not be.
    wait: Option<Duration>,
}

impl Late {
    fn of(client: &ClientKind, answer: Answer, change: fn(&mut CallSpec)) -> Option<Box<dyn Policy>> {
        let policy = build(&with_spec(client, change)?).ok()?.0;
        let spec = spec(client)?.clone();
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

/// The real policy, told of another kind of failure.
struct Judged {
    policy: BuiltIn,
    judge: fn(&Failure) -> FailureKind,
}

impl Judged {
    fn of(client: &ClientKind, judge: fn(&Failure) -> FailureKind) -> Option<Box<dyn Policy>> {
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
