//! Jitter that is too much, too little, or the same for all clients.

use core::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Jitter, Policy, Rung};
use retrylab_sim::{BuiltIn, Draws, Entropy, build};
use retrylab_spec::PolicySpec;

use super::formula::{share, with_spec};
use super::jitter;
use super::overflow::uncapped;
use super::{Category, KnownFault, Making, reported};

const NANOS_A_SECOND: u64 = 1_000_000_000;

pub(super) const JITTER_LARGER_THAN_THE_DELAY: KnownFault = reported(
    Category::Jitter,
    "jitter-larger-than-the-delay",
    "failsafe-lib/failsafe #115",
    "The jitter is up to twice the delay in both directions, and a wait below zero ends the loop.",
    Making::Jitter(|place| {
        let highest = place.rung.saturating_mul(3);
        highest.checked_sub(share(place.rung.saturating_mul(4), place.draw))
    }),
);

pub(super) const JITTER_ADDED_TO_THE_CAP: KnownFault = jitter::JITTER_ADDED
    .reported("agenda/agenda #1748")
    .made(Making::Jitter(|place| Some(place.rung + share(place.rung / 2, place.draw))));

pub(super) const JITTER_AROUND_THE_CAP: KnownFault = reported(
    Category::Jitter,
    "jitter-around-the-cap",
    "backoff 0.4.0; cenkalti/backoff",
    "The wait is drawn between half of the ceiling and one and a half times it.",
    Making::Jitter(|place| Some(place.rung / 2 + share(place.rung, place.draw))),
);

pub(super) const JITTER_ONLY_UP_TO_THE_CAP: KnownFault = reported(
    Category::Jitter,
    "jitter-only-up-to-the-cap",
    "tower 0.5.3",
    "The jitter is limited to the room below the ceiling, so there is none at the ceiling.",
    Making::Jitter(|place| Some(place.rung - place.taken(place.rung).min(place.ceiling - place.rung))),
);

pub(super) const JITTER_IN_WHOLE_SECONDS: KnownFault =
    jitter::JITTER_IN_WHOLE_SECONDS.reported("tower 0.5.3").made(Making::Jitter(|place| {
        let (seconds, nanos) = (place.rung / NANOS_A_SECOND, place.rung % NANOS_A_SECOND);
        Some(place.rung - place.taken(seconds) * NANOS_A_SECOND - place.taken(nanos))
    }));

pub(super) const JITTER_LOST: KnownFault = jitter::JITTER_LOST
    .reported("yoshuawuyts/exponential-backoff PR #36")
    .made(Making::Parameters(|client| with_spec(client, |spec| spec.jitter = Jitter::None)));

pub(super) const MIN_AFTER_JITTER: KnownFault = reported(
    Category::Jitter,
    "min-after-jitter",
    "Polly v8, cockatiel, p-retry, tenacity",
    "The ceiling is applied after the jitter, so that far above it all waits are equal.",
    Making::Jitter(|place| {
        let grown = uncapped(place).unwrap_or(u64::MAX);
        Some((grown - place.taken(grown)).min(place.ceiling))
    }),
);

pub(super) const JITTER_COMPOUNDS: KnownFault = reported(
    Category::Jitter,
    "jitter-compounds",
    "kubernetes/client-go util/flowcontrol/backoff.go",
    "The jittered wait is stored, and the next one grows from it, up to the ceiling.",
    Making::Jitter(|place| {
        let grown = if place.number == 1 { place.base } else { place.previous.saturating_mul(2) };
        // Never more than half, so that it still climbs.
        Some((grown - share(grown, place.draw) / 2).min(place.ceiling))
    }),
);

pub(super) const DECORRELATED_CUT_AT_THE_CAP: KnownFault = reported(
    Category::Jitter,
    "decorrelated-cut-at-the-cap",
    "Exponential Backoff And Jitter, AWS Architecture Blog, 2015",
    "Decorrelated jitter is cut at the ceiling after the draw, which puts four in ten exactly on it.",
    Making::Parameters(|client| {
        with_spec(client, |spec| {
            if spec.jitter != Jitter::None {
                spec.jitter = Jitter::DecorrelatedPublished;
            }
        })
    }),
);

pub(super) const JITTER_FLOORED_TO_NOTHING: KnownFault = reported(
    Category::Jitter,
    "jitter-floored-to-nothing",
    "mastodon/mastodon PR #22165 (review)",
    "The factor between 1 and 1.5 is rounded down before use.",
    Making::Jitter(|place| {
        let halves = 2 + share(1, place.draw);
        Some(place.rung.saturating_mul(halves / 2))
    }),
);

pub(super) const FULL_JITTER_IN_WHOLE_SECONDS: KnownFault = reported(
    Category::Jitter,
    "full-jitter-in-whole-seconds",
    "failsafe 1.3.0",
    "Full jitter draws a whole number of seconds, so that half of the first retries do not wait.",
    Making::Jitter(|place| Some(share(place.rung / NANOS_A_SECOND + 1, place.draw) * NANOS_A_SECOND)),
);

pub(super) const NO_JITTER_ADDS_A_FRACTION: KnownFault = reported(
    Category::Jitter,
    "no-jitter-adds-a-fraction",
    "rails/rails #37990",
    "Without jitter the code draws a number below zero, for which the generator returns a fraction of a second.",
    Making::Rung(|place| {
        let none = place.jitter == Jitter::None;
        Some(place.rung + if none { share(NANOS_A_SECOND, place.draw) } else { 0 })
    }),
);

pub(super) const ONE_SEED_FOR_ALL: KnownFault = jitter::SAME_DRAW_FOR_ALL
    .reported("heroiclabs/nakama-dotnet PR #105")
    .made(Making::Policy(|client| Shared::of(client, Some(Entropy::new(1_000_003).client(0)))));

pub(super) const SAME_JITTER_EACH_CALL: KnownFault = reported(
    Category::Jitter,
    "same-jitter-each-call",
    "tower 0.5.3",
    "Each call starts from the same state of the generator, so that all calls draw the same.",
    Making::Policy(|client| Shared::of(client, None)),
);

/// The real policy with draws of its own.
struct Shared {
    policy: BuiltIn,
    /// A constant generator; `None`: what the first call drew is drawn by every other.
    constant: Option<Draws>,
    drawn: Vec<u64>,
    next: usize,
}

impl Shared {
    fn of(client: &PolicySpec, constant: Option<Draws>) -> Option<Box<dyn Policy>> {
        let policy = build(client).ok().filter(|_| client.call().is_some())?.0;
        Some(Box::new(Self { policy, constant, drawn: Vec::new(), next: 0 }))
    }

    fn draw(&mut self, own: u64) -> u64 {
        if let Some(constant) = &mut self.constant {
            return constant.next_draw();
        }
        let draw = *self.drawn.get(self.next).unwrap_or(&own);
        if self.next == self.drawn.len() {
            self.drawn.push(own);
        }
        self.next += 1;
        draw
    }
}

impl Policy for Shared {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let draw = self.draw(draw);
        let decision = self.policy.record_failure(failure, now, draw);
        if matches!(decision, Decision::GiveUp(_)) {
            self.next = 0;
        }
        decision
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
        self.next = 0;
    }

    fn next_delay(&self) -> Duration {
        self.policy.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}

#[cfg(test)]
mod tests {
    use retrylab_core::FailureKind;
    use retrylab_spec::{CallSpec, LadderSpec, Ratio};

    use super::super::FAULTS;
    use super::*;

    const CEILING: Duration = Duration::from_secs(30);

    /// The wait after 25 failures of a ladder that is at its ceiling of 30 s from the sixth on, the last with this draw.
    fn at_the_ceiling(fault: &KnownFault, draw: u64) -> Duration {
        let two = Ratio { numerator: 2, denominator: 1 };
        let ladder = LadderSpec::Exponential { base: Duration::from_secs(1), ratio: two, ceiling: CEILING };
        let calls = CallSpec { ladder, jitter: Jitter::EQUAL, attempts: None, ..CallSpec::default() };
        let mut policy = fault.build(&PolicySpec::Call(calls)).expect("a call has jitter");
        for failure in 1..=25 {
            let draw = if failure == 25 { draw } else { 0 };
            policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, draw);
        }
        policy.next_delay()
    }

    #[test]
    fn jitter_that_vanishes_leaves_every_wait_at_the_ceiling() {
        let vanishing = [JITTER_ONLY_UP_TO_THE_CAP, JITTER_LOST, MIN_AFTER_JITTER, JITTER_COMPOUNDS];
        for fault in vanishing {
            for draw in [0, 1 << 62, 1 << 63, u64::MAX] {
                assert_eq!(at_the_ceiling(&fault, draw), CEILING, "{}", fault.name);
            }
        }
    }

    #[test]
    fn jitter_that_exceeds_the_cap_comes_up_to_half_of_it_above() {
        for fault in [JITTER_ADDED_TO_THE_CAP, JITTER_AROUND_THE_CAP] {
            // 45 s less what rounding down takes.
            assert_eq!(at_the_ceiling(&fault, u64::MAX), Duration::from_nanos(44_999_999_999), "{}", fault.name);
        }
        assert_eq!(at_the_ceiling(&JITTER_AROUND_THE_CAP, 0), Duration::from_secs(15));
    }

    #[test]
    fn no_fault_can_be_built_for_an_external_policy() {
        let theirs = PolicySpec::external("theirs", retrylab_spec::Shape::Call);
        assert!(FAULTS.iter().all(|fault| fault.build(&theirs).is_none()));
    }
}
