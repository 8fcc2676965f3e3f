//! Ladders that restart too early, too late, or never.

use core::time::Duration;

use retrylab_core::{Call, Decision, Failure, Fault as Cause, Instant, Policy, ResetBy, ResetRule, Rung, nanos};
use retrylab_sim::{Budgets, BuiltIn, build};
use retrylab_spec::{PolicySpec, ResetSpec};

use super::health;
use super::{Category, KnownFault, Making, reported};

pub(super) const RESET_ON_CONNECT: KnownFault = health::RESET_AT_THE_CONNECTION
    .reported("grpc/grpc-go #1525; eclipse-mosquitto/mosquitto #737; jitsi/jitsi-videobridge PR #2415")
    .made(Making::Policy(|client| {
        let eager = reset_by(client, |_| ResetSpec::Successes(1))?;
        Some(Box::new(OnConnect(build(&eager).ok()?.0)))
    }));

pub(super) const RESET_ON_FIRST_MESSAGE: KnownFault = health::ANY_HEALTH_RESETS
    .reported("eclipse-paho/paho.mqtt.golang #589; jupyterhub/kubespawner PR #920")
    .made(Making::Parameters(|client| reset_by(client, |_| ResetSpec::Successes(1))));

pub(super) const CLEAN_CLOSE_IS_SUCCESS: KnownFault = reported(
    Category::Health,
    "clean-close-is-success",
    "jupyterhub/kubespawner PR #920",
    "A clean end of a stream counts as a success, so that the next one follows at once.",
    Making::Policy(|client| {
        reset_by(client, |reset| reset)?;
        Some(Box::new(CleanClose(build(client).ok()?.0)))
    }),
);

pub(super) const THRESHOLD_FROM_THE_LAST_CONNECT: KnownFault = reported(
    Category::Health,
    "threshold-from-the-last-connect",
    "launchdarkly/swift-eventsource PR #14",
    "Health is measured from the last connect to now, at every failure: an outage longer than the window \
                counts as health.",
    Making::Policy(|client| match client {
        PolicySpec::Reconnect { reset: ResetSpec::HealthyFor(window), .. } => with_rule(client, SinceConnect(*window)),
        _ => None,
    }),
);

pub(super) const RESET_BEFORE_EACH_ATTEMPT: KnownFault = reported(
    Category::Health,
    "reset-before-each-attempt",
    "jamiepine/voicebox PR #1061 (review)",
    "Each attempt cleans up after the one before, and clears the ladder with it.",
    Making::Parameters(|client| reset_by(client, |_| ResetSpec::Successes(0))),
);

pub(super) const NEVER_RESET: KnownFault = health::NEVER_RESETS
    .reported("moby/moby #22283; EmbarkStudios/quilkin #734; vueuse/vueuse PR #5518")
    .made(Making::Parameters(|client| reset_by(client, |_| ResetSpec::Successes(u32::MAX))));

pub(super) const FIXED_THRESHOLD: KnownFault = reported(
    Category::Health,
    "fixed-threshold",
    "moby/moby #15623",
    "Ten seconds count as health, even if a failure takes longer.",
    Making::Parameters(|client| reset_by(client, |_| ResetSpec::HealthyFor(Duration::from_secs(10)))),
);

pub(super) const THRESHOLD_EXCLUSIVE: KnownFault =
    health::WINDOW_IS_EXCLUSIVE.reported("moby/moby #15623").made(Making::Parameters(|client| {
        reset_by(client, |reset| match reset {
            ResetSpec::HealthyFor(window) => ResetSpec::HealthyFor(window + Duration::from_nanos(1)),
            successes @ ResetSpec::Successes(_) => successes,
        })
    }));

pub(super) const SHARED_WITH_ANOTHER_CHANNEL: KnownFault = reported(
    Category::Health,
    "shared-with-another-channel",
    "TheSpaghettiDetective/OctoPrint-Obico #20",
    "Another channel shares the ladder, and succeeds every five seconds.",
    Making::Policy(|client| with_rule(client, EveryFiveSeconds)),
);

fn reset_by(client: &PolicySpec, change: impl FnOnce(ResetSpec) -> ResetSpec) -> Option<PolicySpec> {
    match client {
        PolicySpec::Reconnect { outage, reset } => {
            Some(PolicySpec::Reconnect { outage: outage.clone(), reset: change(*reset) })
        }
        _ => None,
    }
}

fn with_rule(client: &PolicySpec, rule: impl ResetRule + 'static) -> Option<Box<dyn Policy>> {
    let PolicySpec::Reconnect { outage, .. } = client else { return None };
    let calls = Call::with_budget(outage.rules().ok()?, Budgets::new(&outage.budgets));
    Some(Box::new(ResetBy::new(rule, calls)))
}

/// Due when the last success is this long ago, whatever happened since.
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
