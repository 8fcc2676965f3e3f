//! Jitter kinds: exact waits for given draws, and how a fleet is spread at the ceiling.

use std::collections::BTreeMap;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use retrylab_core::{Backoff, Jitter, Ladder};

use crate::client::{HALF, ms, ns, s};

const QUARTER: u64 = 1 << 62;

#[test]
fn no_jitter_leaves_the_rung_as_it_is() {
    for draw in [0, 1, HALF, u64::MAX] {
        assert_eq!(Jitter::None.wait(s(8), s(1), s(4), s(30), draw), s(8));
    }
}

#[test]
fn subtract_half_leaves_half_to_all_of_the_rung() {
    let wait = |rung, draw| Jitter::SubtractHalf.wait(rung, s(1), s(4), s(30), draw);
    assert_eq!(wait(s(8), 0), s(8));
    assert_eq!(wait(s(8), QUARTER), s(7));
    assert_eq!(wait(s(8), HALF), s(6));
    // 8,000,000,000·(2^64 - 1) >> 65 = 3,999,999,999.
    assert_eq!(wait(s(8), u64::MAX), ns(4_000_000_001));
    // 7·(2^64 - 1) >> 65 = 3; 1·… >> 65 = 0.
    assert_eq!(wait(ns(7), u64::MAX), ns(4));
    assert_eq!(wait(ns(1), u64::MAX), ns(1));
    assert_eq!(wait(s(0), u64::MAX), s(0));
}

#[test]
fn full_jitter_leaves_something_to_all_of_the_rung() {
    let wait = |rung, draw| Jitter::Full.wait(rung, s(1), s(4), s(30), draw);
    assert_eq!(wait(s(8), 0), s(8));
    assert_eq!(wait(s(8), QUARTER), s(6));
    assert_eq!(wait(s(8), HALF), s(4));
    assert_eq!(wait(s(8), u64::MAX), ns(1));
    assert_eq!(wait(s(0), u64::MAX), s(0));
}

#[test]
fn decorrelated_jitter_draws_below_the_ceiling() {
    let wait = |ceiling, draw| Jitter::Decorrelated.wait(s(8), s(1), s(4), ceiling, draw);
    // From the base, 1 s, to three times the previous wait, 12 s.
    assert_eq!(wait(s(30), 0), s(12));
    assert_eq!(wait(s(30), HALF), ms(6_500));
    assert_eq!(wait(s(30), u64::MAX), ns(1_000_000_001));
    // From the base to the ceiling.
    assert_eq!(wait(s(10), 0), s(10));
    assert_eq!(wait(s(10), QUARTER), ms(7_750));
    assert_eq!(wait(s(10), HALF), ms(5_500));
    assert_eq!(wait(s(10), u64::MAX), ns(1_000_000_001));
}

#[test]
fn the_published_form_cuts_after_the_draw() {
    let wait = |ceiling, draw| Jitter::DecorrelatedPublished.wait(s(8), s(1), s(4), ceiling, draw);
    assert_eq!(wait(s(30), 0), s(12));
    assert_eq!(wait(s(30), HALF), ms(6_500));
    // 12 s and 12 s - 11/8 s are both cut to 10 s; 12 s - 11/4 s is not.
    assert_eq!(wait(s(10), 0), s(10));
    assert_eq!(wait(s(10), 1 << 61), s(10));
    assert_eq!(wait(s(10), QUARTER), ms(9_250));
    assert_eq!(wait(s(10), u64::MAX), ns(1_000_000_001));
}

#[test]
fn decorrelated_jitter_never_waits_less_than_the_base_after_a_short_wait() {
    // Three times the previous wait is below the base, so nothing is left to draw from.
    for kind in [Jitter::Decorrelated, Jitter::DecorrelatedPublished] {
        for draw in [0, HALF, u64::MAX] {
            assert_eq!(kind.wait(s(1), s(7), s(2), s(30), draw), s(7), "{kind}");
        }
    }
}

#[test]
fn no_kind_exceeds_the_ceiling_for_any_input() {
    for kind in Jitter::ALL {
        for draw in [0, HALF, u64::MAX] {
            let wait = kind.wait(s(50), s(40), s(60), s(30), draw);
            assert!(wait <= s(30), "{kind}, {draw}: {wait:?}");
            let longest = kind.wait(Duration::MAX, Duration::MAX, Duration::MAX, Duration::MAX, draw);
            assert!(longest <= ns(u64::MAX), "{kind}");
        }
        assert_eq!(kind.wait(s(50), s(40), s(60), s(30), 0), s(30), "{kind}: draw 0 is the longest wait");
    }
}

#[test]
fn kinds_have_these_names_and_equal_is_another() {
    let names = ["none", "subtract-half", "full", "decorrelated", "decorrelated-published"];
    assert_eq!(Jitter::ALL.map(Jitter::name), names);
    assert_eq!(Jitter::ALL.map(|kind| kind.to_string()), names);
    for kind in Jitter::ALL {
        assert_eq!(Jitter::from_name(kind.name()), Some(kind));
    }
    assert_eq!(Jitter::from_name("equal"), Some(Jitter::SubtractHalf));
    assert_eq!(Jitter::EQUAL, Jitter::SubtractHalf);
    assert_eq!(Jitter::from_name("Full"), None);
    assert_eq!(Jitter::from_name(""), None);
    assert_eq!(format!("[{:6}]", Jitter::Full), "[full  ]");
}

fn doubling(jitter: Jitter) -> Backoff {
    Backoff::new(Ladder::exponential(s(1), 2, 1, s(30)).expect("a ratio of at least 1"), jitter)
}

#[test]
fn a_backoff_climbs_its_ladder_with_each_failure() {
    let backoff = doubling(Jitter::None);
    let mut state = backoff.start();
    let waits: Vec<_> = (0..7).map(|_| backoff.next_wait(&mut state, u64::MAX)).collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30].map(s));

    let backoff = doubling(Jitter::Full);
    let mut state = backoff.start();
    let waits: Vec<_> = (0..7).map(|_| backoff.next_wait(&mut state, HALF)).collect();
    assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000].map(ms));
}

#[test]
fn a_decorrelated_backoff_remembers_its_previous_wait() {
    let backoff = doubling(Jitter::Decorrelated);
    let mut state = backoff.start();
    // From 1 s to 3 s: the middle is 2 s. To 6 s: 3.5 s. To 10.5 s: 5.75 s. To 17.25 s: 9.125 s. To 27.375 s: 14.1875 s.
    let waits: Vec<_> = (0..4).map(|_| backoff.next_wait(&mut state, HALF)).collect();
    assert_eq!(waits, [2_000, 3_500, 5_750, 9_125].map(ms));
    assert_eq!(backoff.next_wait(&mut state, HALF), ns(14_187_500_000));
    // To the ceiling, 30 s, since three times the previous is above: 15.5 s.
    assert_eq!(backoff.next_wait(&mut state, HALF), ms(15_500));
}

#[test]
fn decorrelated_jitter_has_no_room_from_nothing_and_none_at_a_base_that_is_the_ceiling() {
    for kind in [Jitter::Decorrelated, Jitter::DecorrelatedPublished] {
        let waits = |ladder| {
            let backoff = Backoff::new(ladder, kind);
            let mut state = backoff.start();
            [0, HALF, u64::MAX].map(|draw| backoff.next_wait(&mut state, draw))
        };
        assert_eq!(waits(Ladder::linear(s(0), s(1), s(30))), [s(0); 3], "{kind}");
        assert_eq!(waits(Ladder::constant(s(7))), [s(7); 3], "{kind}");
    }
}

#[test]
fn a_backoff_shows_its_parts() {
    let backoff = doubling(Jitter::Full);
    assert_eq!(backoff.jitter(), Jitter::Full);
    assert_eq!(backoff.ladder().ceiling(), s(30));
    assert_eq!(backoff.ladder().rung(3), s(4));
}

/// The waits of one client on its way through 20,000 failures, the first hundred left out, with the draws that a run
/// with seed 0 gives its client 0: the same key, the low 11 bits cleared.
fn waits_at_the_ceiling(jitter: Jitter) -> Vec<Duration> {
    let backoff = doubling(jitter);
    let mut state = backoff.start();
    let mut entropy = ChaCha8Rng::from_seed([0; 32]);
    let waits = (0..20_100).map(|_| backoff.next_wait(&mut state, entropy.next_u64() & !0x7ff));
    waits.skip(100).collect()
}

/// How often the commonest wait occurs, and which it is.
fn commonest(waits: &[Duration]) -> (usize, Duration) {
    let mut counts = BTreeMap::new();
    for wait in waits {
        *counts.entry(*wait).or_insert(0) += 1;
    }
    counts.into_iter().map(|(wait, count)| (count, wait)).max().expect("20,000 waits")
}

#[test]
fn at_the_ceiling_waits_are_spread() {
    // 20,000 draws from at least 15 thousand million nanoseconds: two alike are rare, three next to impossible.
    for kind in [Jitter::SubtractHalf, Jitter::Full, Jitter::Decorrelated] {
        let (count, wait) = commonest(&waits_at_the_ceiling(kind));
        assert!(count <= 2, "{kind}: {count} of 20000 waits are {wait:?}");
    }
}

#[test]
fn without_jitter_and_in_the_published_form_many_wait_exactly_the_ceiling() {
    assert_eq!(commonest(&waits_at_the_ceiling(Jitter::None)), (20_000, s(30)));

    // 38 % in the long run; the standard error of 20,000 waits is below 1 %.
    let (count, wait) = commonest(&waits_at_the_ceiling(Jitter::DecorrelatedPublished));
    assert_eq!(wait, s(30));
    assert!((7_200..=8_000).contains(&count), "{count} of 20000");
}
