//! Jitter that is too much, too little, or the same for everybody.

use core::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Jitter, Policy, Rung};
use retrylab_scenario::ClientKind;
use retrylab_sim::{BuiltIn, Draws, Entropy, build};

use super::overflow::uncapped;
use super::wait::{share, spec, with_spec};
use super::{Fault, Specimen};

const NANOS_A_SECOND: u64 = 1_000_000_000;

pub(super) const JITTER_LARGER_THAN_THE_DELAY: Specimen = Specimen {
    name: "jitter-larger-than-the-delay",
    statement: "The jitter is up to twice the delay in both directions, and a wait below zero ends the loop.",
    cite: "failsafe-lib/failsafe #115",
    fault: Fault::Jitter(|place| {
        let highest = place.rung.saturating_mul(3);
        highest.checked_sub(share(place.rung.saturating_mul(4), place.draw))
    }),
};

pub(super) const JITTER_ADDED_TO_THE_CAP: Specimen = Specimen {
    name: "jitter-added-to-the-cap",
    statement: "Up to half of the wait is added after the ceiling was applied.",
    cite: "agenda/agenda #1748",
    fault: Fault::Jitter(|place| Some(place.rung + share(place.rung / 2, place.draw))),
};

pub(super) const JITTER_AROUND_THE_CAP: Specimen = Specimen {
    name: "jitter-around-the-cap",
    statement: "The wait is drawn between half of the ceiling and one and a half times it.",
    cite: "backoff 0.4.0; cenkalti/backoff",
    fault: Fault::Jitter(|place| Some(place.rung / 2 + share(place.rung, place.draw))),
};

pub(super) const JITTER_ONLY_UP_TO_THE_CAP: Specimen = Specimen {
    name: "jitter-only-up-to-the-cap",
    statement: "The jitter is limited to what is left below the ceiling: at the ceiling, nothing.",
    cite: "tower 0.5.3",
    fault: Fault::Jitter(|place| Some(place.rung - place.taken(place.rung).min(place.ceiling - place.rung))),
};

pub(super) const JITTER_IN_WHOLE_SECONDS: Specimen = Specimen {
    name: "jitter-in-whole-seconds",
    statement: "The seconds of the jitter are scaled by themselves and truncated: for a wait of a second there are none.",
    cite: "tower 0.5.3",
    fault: Fault::Jitter(|place| {
        let (seconds, nanos) = (place.rung / NANOS_A_SECOND, place.rung % NANOS_A_SECOND);
        Some(place.rung - place.taken(seconds) * NANOS_A_SECOND - place.taken(nanos))
    }),
};

pub(super) const JITTER_LOST: Specimen = Specimen {
    name: "jitter-lost",
    statement: "The jitter is configured and never applied.",
    cite: "yoshuawuyts/exponential-backoff PR #36",
    fault: Fault::Parameters(|client| with_spec(client, |spec| spec.jitter = Jitter::None)),
};

pub(super) const MIN_AFTER_JITTER: Specimen = Specimen {
    name: "min-after-jitter",
    statement: "The ceiling is applied to the jittered wait: well above it, everybody waits the same.",
    cite: "Polly v8, cockatiel, p-retry, tenacity",
    fault: Fault::Jitter(|place| {
        let grown = uncapped(place).unwrap_or(u64::MAX);
        Some((grown - place.taken(grown)).min(place.ceiling))
    }),
};

pub(super) const JITTER_COMPOUNDS: Specimen = Specimen {
    name: "jitter-compounds",
    statement: "The jittered wait is stored and is what the next one grows from, up to the ceiling.",
    cite: "kubernetes/client-go util/flowcontrol/backoff.go",
    fault: Fault::Jitter(|place| {
        let grown = if place.number == 1 { place.base } else { place.previous.saturating_mul(2) };
        // Never more than half, with which it still climbs.
        Some((grown - share(grown, place.draw) / 2).min(place.ceiling))
    }),
};

pub(super) const DECORRELATED_CUT_AT_THE_CAP: Specimen = Specimen {
    name: "decorrelated-cut-at-the-cap",
    statement: "Decorrelated jitter is cut at the ceiling after the draw, which puts four in ten exactly on it.",
    cite: "Exponential Backoff And Jitter, AWS Architecture Blog, 2015",
    fault: Fault::Parameters(|client| {
        with_spec(client, |spec| {
            if spec.jitter != Jitter::None {
                spec.jitter = Jitter::DecorrelatedPublished;
            }
        })
    }),
};

pub(super) const JITTER_FLOORED_TO_NOTHING: Specimen = Specimen {
    name: "jitter-floored-to-nothing",
    statement: "The factor between 1 and 1.5 is rounded down before it is used.",
    cite: "mastodon/mastodon PR #22165 (review)",
    fault: Fault::Jitter(|place| {
        let halves = 2 + share(1, place.draw);
        Some(place.rung.saturating_mul(halves / 2))
    }),
};

pub(super) const FULL_JITTER_IN_WHOLE_SECONDS: Specimen = Specimen {
    name: "full-jitter-in-whole-seconds",
    statement: "Full jitter draws a whole number of seconds: half of the first retries do not wait at all.",
    cite: "failsafe 1.3.0",
    fault: Fault::Jitter(|place| Some(share(place.rung / NANOS_A_SECOND + 1, place.draw) * NANOS_A_SECOND)),
};

pub(super) const NO_JITTER_ADDS_A_FRACTION: Specimen = Specimen {
    name: "no-jitter-adds-a-fraction",
    statement: "No jitter is a random number below zero, for which the generator gives a fraction of a second.",
    cite: "rails/rails #37990",
    fault: Fault::Rung(|place| {
        let none = place.jitter == Jitter::None;
        Some(place.rung + if none { share(NANOS_A_SECOND, place.draw) } else { 0 })
    }),
};

pub(super) const ONE_SEED_FOR_ALL: Specimen = Specimen {
    name: "one-seed-for-all",
    statement: "The generator is built with a constant seed, so that all clients draw the same.",
    cite: "heroiclabs/nakama-dotnet PR #105",
    fault: Fault::Policy(|client| Shared::of(client, Some(Entropy::new(1_000_003).client(0)))),
};

pub(super) const SAME_JITTER_EACH_CALL: Specimen = Specimen {
    name: "same-jitter-each-call",
    statement: "Each call begins with the same state of the generator, so that all calls draw the same.",
    cite: "tower 0.5.3",
    fault: Fault::Policy(|client| Shared::of(client, None)),
};

/// The real policy with draws of its own.
struct Shared {
    policy: BuiltIn,
    /// A constant generator; `None`: what the first call drew is drawn by every other.
    constant: Option<Draws>,
    drawn: Vec<u64>,
    next: usize,
}

impl Shared {
    fn of(client: &ClientKind, constant: Option<Draws>) -> Option<Box<dyn Policy>> {
        let policy = build(client).ok().filter(|_| spec(client).is_some())?.0;
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
    use retrylab_scenario::{CallSpec, LadderSpec, Ratio};

    use super::super::SPECIMENS;
    use super::*;

    const CEILING: Duration = Duration::from_secs(30);

    /// The wait after 25 failures of a ladder that is at its ceiling of 30 s from the sixth on, the last with this draw.
    fn at_the_ceiling(specimen: &Specimen, draw: u64) -> Duration {
        let two = Ratio { numerator: 2, denominator: 1 };
        let ladder = LadderSpec::Exponential { base: Duration::from_secs(1), ratio: two, ceiling: CEILING };
        let calls = CallSpec { ladder, jitter: Jitter::EQUAL, attempts: None, ..CallSpec::default() };
        let mut policy = specimen.build(&ClientKind::Call(calls)).expect("a call has jitter");
        for failure in 1..=25 {
            let draw = if failure == 25 { draw } else { 0 };
            policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, draw);
        }
        policy.next_delay()
    }

    #[test]
    fn jitter_that_vanishes_leaves_every_wait_at_the_ceiling() {
        let vanishing = [JITTER_ONLY_UP_TO_THE_CAP, JITTER_LOST, MIN_AFTER_JITTER, JITTER_COMPOUNDS];
        for specimen in vanishing {
            for draw in [0, 1 << 62, 1 << 63, u64::MAX] {
                assert_eq!(at_the_ceiling(&specimen, draw), CEILING, "{}", specimen.name);
            }
        }
    }

    #[test]
    fn jitter_that_exceeds_the_cap_comes_up_to_half_of_it_above() {
        for specimen in [JITTER_ADDED_TO_THE_CAP, JITTER_AROUND_THE_CAP] {
            // 45 s less what rounding down takes.
            assert_eq!(at_the_ceiling(&specimen, u64::MAX), Duration::from_nanos(44_999_999_999), "{}", specimen.name);
        }
        assert_eq!(at_the_ceiling(&JITTER_AROUND_THE_CAP, 0), Duration::from_secs(15));
    }

    #[test]
    fn no_specimen_can_be_built_of_what_only_its_owner_can_build() {
        let theirs = ClientKind::External { name: "theirs".into(), played_as: retrylab_scenario::Shape::Call };
        assert!(SPECIMENS.iter().all(|specimen| specimen.build(&theirs).is_none()));
    }
}
