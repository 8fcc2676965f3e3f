//! Ladders that start over too early, too late, or never.

use core::time::Duration;

use retrylab_core::{Call, Decision, Failure, Fault as Cause, Instant, Policy, ResetBy, ResetRule, Rung, nanos};
use retrylab_scenario::{ClientKind, ResetSpec};
use retrylab_sim::{Budgets, BuiltIn, build};

use super::{Fault, Specimen};

pub(super) const RESET_ON_CONNECT: Specimen = Specimen {
    name: "reset-on-connect",
    statement: "A connection that is accepted ends the outage, before it was of any use.",
    cite: "grpc/grpc-go #1525; eclipse-mosquitto/mosquitto #737; jitsi/jitsi-videobridge PR #2415",
    fault: Fault::Policy(|client| {
        let eager = reset_by(client, |_| ResetSpec::Successes(1))?;
        Some(Box::new(OnConnect(build(&eager).ok()?.0)))
    }),
};

pub(super) const RESET_ON_FIRST_MESSAGE: Specimen = Specimen {
    name: "reset-on-first-message",
    statement: "The first message ends the outage, however short the stream.",
    cite: "eclipse-paho/paho.mqtt.golang #589; jupyterhub/kubespawner PR #920",
    fault: Fault::Parameters(|client| reset_by(client, |_| ResetSpec::Successes(1))),
};

pub(super) const CLEAN_CLOSE_IS_SUCCESS: Specimen = Specimen {
    name: "clean-close-is-success",
    statement: "A stream that the server ends cleanly is a success, which is followed by the next one at once.",
    cite: "jupyterhub/kubespawner PR #920",
    fault: Fault::Policy(|client| {
        reset_by(client, |reset| reset)?;
        Some(Box::new(CleanClose(build(client).ok()?.0)))
    }),
};

pub(super) const THRESHOLD_FROM_THE_LAST_CONNECT: Specimen = Specimen {
    name: "threshold-from-the-last-connect",
    statement: "Health is measured from the last connect to now, at every failure: an outage longer than the window \
                counts as health.",
    cite: "launchdarkly/swift-eventsource PR #14",
    fault: Fault::Policy(|client| match client {
        ClientKind::Reconnect { reset: ResetSpec::HealthyFor(window), .. } => with_rule(client, SinceConnect(*window)),
        _ => None,
    }),
};

pub(super) const RESET_BEFORE_EACH_ATTEMPT: Specimen = Specimen {
    name: "reset-before-each-attempt",
    statement: "Each attempt cleans up after the one before, and what it cleans is the ladder.",
    cite: "jamiepine/voicebox PR #1061 (review)",
    fault: Fault::Parameters(|client| reset_by(client, |_| ResetSpec::Successes(0))),
};

pub(super) const NEVER_RESET: Specimen = Specimen {
    name: "never-reset",
    statement: "Failures are counted over the whole life, with whatever health between them.",
    cite: "moby/moby #22283; EmbarkStudios/quilkin #734; vueuse/vueuse PR #5518",
    fault: Fault::Parameters(|client| reset_by(client, |_| ResetSpec::Successes(u32::MAX))),
};

pub(super) const FIXED_THRESHOLD: Specimen = Specimen {
    name: "fixed-threshold",
    statement: "Ten seconds are health, whatever it takes to fail.",
    cite: "moby/moby #15623",
    fault: Fault::Parameters(|client| reset_by(client, |_| ResetSpec::HealthyFor(Duration::from_secs(10)))),
};

pub(super) const THRESHOLD_EXCLUSIVE: Specimen = Specimen {
    name: "threshold-exclusive",
    statement: "Health of exactly the window is not enough.",
    cite: "moby/moby #15623",
    fault: Fault::Parameters(|client| {
        reset_by(client, |reset| match reset {
            ResetSpec::HealthyFor(window) => ResetSpec::HealthyFor(window + Duration::from_nanos(1)),
            successes @ ResetSpec::Successes(_) => successes,
        })
    }),
};

pub(super) const SHARED_WITH_ANOTHER_CHANNEL: Specimen = Specimen {
    name: "shared-with-another-channel",
    statement: "Another channel shares the ladder, and succeeds every five seconds.",
    cite: "TheSpaghettiDetective/OctoPrint-Obico #20",
    fault: Fault::Policy(|client| with_rule(client, EveryFiveSeconds)),
};

fn reset_by(client: &ClientKind, change: impl FnOnce(ResetSpec) -> ResetSpec) -> Option<ClientKind> {
    match client {
        ClientKind::Reconnect { outage, reset } => {
            Some(ClientKind::Reconnect { outage: outage.clone(), reset: change(*reset) })
        }
        _ => None,
    }
}

fn with_rule(client: &ClientKind, rule: impl ResetRule + 'static) -> Option<Box<dyn Policy>> {
    let ClientKind::Reconnect { outage, .. } = client else { return None };
    let calls = Call::with_budget(outage.rules().ok()?, Budgets::new(&outage.budgets));
    Some(Box::new(ResetBy::new(rule, calls)))
}

/// Due when the last success is this long ago, whatever came since.
#[derive(Clone, Copy)]
struct SinceConnect(Duration);

impl ResetRule for SinceConnect {
    type State = Option<Instant>;

    fn record_success(&self, last: &mut Option<Instant>, now: Instant) {
        *last = Some(now);
    }

    fn record_failure(&self, _: &mut Option<Instant>, _: Instant) {}

    fn is_due(&self, last: &Option<Instant>, now: Instant) -> bool {
        last.is_some_and(|last| now.nanos_since(last) >= nanos(self.0))
    }
}

/// Due when a multiple of five seconds has passed since the last failure.
#[derive(Clone, Copy)]
struct EveryFiveSeconds;

impl ResetRule for EveryFiveSeconds {
    type State = Option<Instant>;

    fn record_success(&self, _: &mut Option<Instant>, _: Instant) {}

    fn record_failure(&self, last: &mut Option<Instant>, now: Instant) {
        *last = Some(now);
    }

    fn is_due(&self, last: &Option<Instant>, now: Instant) -> bool {
        let round = |at: Instant| at.as_nanos() / 5_000_000_000;
        last.is_some_and(|last| round(now) > round(last))
    }
}

struct OnConnect(BuiltIn);

impl Policy for OnConnect {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.0.record_failure(failure, now, draw)
    }

    fn record_success(&mut self, now: Instant) {
        self.0.record_success(now);
    }

    fn record_connected(&mut self, now: Instant) {
        self.0.record_success(now);
    }

    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.0.explain(draw)
    }
}

struct CleanClose(BuiltIn);

impl Policy for CleanClose {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        if failure.fault == Some(Cause::Close) {
            self.0.record_success(now);
            return Decision::RetryAfter(self.0.next_delay());
        }
        self.0.record_failure(failure, now, draw)
    }

    fn record_success(&mut self, now: Instant) {
        self.0.record_success(now);
    }

    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.0.explain(draw)
    }
}
