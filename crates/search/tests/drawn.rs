//! Policies that draw for themselves: the distributions of their waits are judged, over 200 clients.

#![expect(clippy::float_arithmetic, reason = "policies of other people compute in floating point")]

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Jitter, Policy};
use retrylab_laws::{Claim, Drawing, LAWS};
use retrylab_search::{Search, Searched};
use retrylab_sim::{Draws, Entropy};
use retrylab_spec::LadderSpec;

const BAND: &str = "drawn-waits-fill-the-band";
const INDEPENDENT: &str = "draws-are-independent";

/// The wait for the number of the failure, from 1, the previous wait in seconds, and shares drawn by the client.
type Wait = fn(u32, f64, &mut dyn FnMut() -> f64) -> f64;

struct Client {
    draws: Draws,
    wait: Wait,
    failures: u32,
    delay: f64,
}

impl Client {
    fn next_delay(&self) -> Duration {
        Duration::from_secs_f64(self.delay)
    }
}

impl Policy for Client {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        self.failures += 1;
        let draws = &mut self.draws;
        let mut share = || (draws.next_draw() >> 11) as f64 / (1_u64 << 53) as f64;
        self.delay = (self.wait)(self.failures, self.delay, &mut share);
        Decision::RetryAfter(Client::next_delay(self))
    }

    fn record_success(&mut self, _: Instant) {
        (self.failures, self.delay) = (0, 0.0);
    }

    fn next_delay(&self) -> Duration {
        Client::next_delay(self)
    }
}

/// The search of a ladder of 0.5 s doubling to 30 s, without end, each of whose clients has a generator of its own.
fn searched(jitter: Jitter, seed: u64, wait: Wait) -> Searched {
    let ladder = LadderSpec::doubling(Duration::from_millis(500), Duration::from_secs(30));
    let claim = Claim::ladder().with_ladder(ladder).with_jitter(jitter).without_end().without_reasons();
    let claim = claim.with_drawing(Drawing::Own).with_tolerance_ns(1_000_000);
    let clients = Cell::new(0);
    let fresh = || {
        clients.set(clients.get() + 1);
        Client { draws: Entropy::new(seed).client(clients.get()), wait, failures: 0, delay: 0.0 }
    };
    Search::new("drawing", claim, LAWS).cases(200).run(&fresh, |_| ControlFlow::Continue(()))
}

fn broken(jitter: Jitter, wait: Wait) -> Vec<&'static str> {
    searched(jitter, 1, wait).broken().map(|found| found.law.name).collect()
}

fn rung(failures: u32) -> f64 {
    (0.5 * f64::from(1 << (failures - 1).min(6))).min(30.0)
}

const FULL: Wait = |failures, _, share| rung(failures) * share();
const EQUAL: Wait = |failures, _, share| rung(failures) / 2.0 * (1.0 + share());
const DECORRELATED: Wait = |_, before, share| 0.5 + share() * ((3.0 * before.max(0.5)).min(30.0) - 0.5);
const FULL_IN_MILLISECONDS: Wait = |failures, _, share| (rung(failures) * share() * 1000.0).floor() / 1000.0;

/// The chance that one of these is condemned is below 10^-9 each, as the laws state.
#[test]
fn right_policies_that_draw_for_themselves_are_clean() {
    for (jitter, wait) in [
        (Jitter::Full, FULL),
        (Jitter::SubtractHalf, EQUAL),
        (Jitter::Decorrelated, DECORRELATED),
        (Jitter::Full, FULL_IN_MILLISECONDS),
    ] {
        for seed in 1..=3 {
            let searched = searched(jitter, seed, wait);
            assert_eq!(searched.broken().count(), 0, "{jitter} with seed {seed}: {:?}", searched.broken().next());
            for law in [BAND, INDEPENDENT] {
                let verdict = searched.verdicts.iter().find(|verdict| verdict.law.name == law).expect("its verdict");
                assert!(verdict.tested > 0, "{law} of {jitter}");
            }
        }
    }
}

#[test]
fn a_ladder_that_never_climbs_is_caught_by_its_longest_waits() {
    // The second rung is 1 s, of which four fifths are 0.8 s.
    let searched = searched(Jitter::Full, 1, |_, _, share| 0.5 * share());
    let found: Vec<_> = searched.broken().collect();
    assert_eq!(found.iter().map(|found| found.law.name).collect::<Vec<_>>(), [BAND]);
    assert_eq!(found[0].breach.expected, "of 200 clients at failure 2 a wait above 800ms");
    assert_eq!(retrylab_search::events(&found[0].timeline), 2);
}

#[test]
fn every_distribution_that_is_not_the_claimed_one_is_caught() {
    let wrong: [(&str, Jitter, Wait); 7] = [
        ("shrinking", Jitter::Full, |failures, _, share| 0.5 / f64::from(failures) * share()),
        ("tiny", Jitter::Full, |_, _, share| 0.001 * share()),
        ("half of what is claimed", Jitter::Full, |failures, _, share| rung(failures) / 2.0 * share()),
        ("no jitter to speak of", Jitter::Full, |failures, _, share| rung(failures) * share().mul_add(0.01, 0.99)),
        ("always the upper half", Jitter::Full, |failures, _, share| {
            rung(failures) * share().max(share()).max(share()).max(share())
        }),
        ("the upper half of the upper half", Jitter::SubtractHalf, |failures, _, share| {
            rung(failures) * share().mul_add(0.25, 0.75)
        }),
        ("half of the decorrelated growth", Jitter::Decorrelated, |_, before, share| {
            0.5 + share() * ((1.5 * before.max(1.0)).min(30.0) - 0.5)
        }),
    ];
    for (name, jitter, wait) in wrong {
        assert!(broken(jitter, wait).contains(&BAND), "{name}");
    }
}

/// Drawn once: the share of the first wait is that of every later one.
#[test]
fn one_draw_for_a_whole_process_is_caught_by_dependence_alone() {
    let once: Wait = |failures, before, share| {
        let share = if failures == 1 { share() } else { before / rung(failures - 1) };
        rung(failures) * share
    };
    assert_eq!(broken(Jitter::Full, once), [INDEPENDENT]);
}

/// A short wait follows a long one: the sides take turns.
#[test]
fn waits_that_take_turns_are_caught_by_dependence_alone() {
    let turns: Wait = |failures, before, share| {
        if failures == 1 {
            return rung(1) * share();
        }
        let was_above = before > rung(failures - 1) / 2.0;
        rung(failures) / 2.0 * (share() + if was_above { 0.0 } else { 1.0 })
    };
    assert_eq!(broken(Jitter::Full, turns), [INDEPENDENT]);
}
