//! Every input is handled: no panic, no wrap, no unexpected zero.

use std::time::Duration;

use retrylab_core::{Backoff, FailureKind, HealthyFor, Instant, Jitter, Ladder, Regime, RetryRules, Successes, nanos};

use crate::client::{HALF, ns, s};

const DURATIONS: [Duration; 9] =
    [Duration::ZERO, ns(1), ns(3), s(1), s(3600), ns(1 << 63), ns(u64::MAX - 1), ns(u64::MAX), Duration::MAX];

const DRAWS: [u64; 5] = [0, 1, HALF, u64::MAX - 1, u64::MAX];

#[test]
fn every_bound_every_draw_and_every_count_has_a_wait_between_its_bounds() {
    for (initial, ceiling) in pairs(&DURATIONS) {
        for cadence in [Duration::ZERO, ns(1), s(30), Duration::MAX] {
            let rules = RetryRules::builder(HealthyFor::new(s(60))).normal(initial, ceiling).cadence(cadence).build();
            for (attempts, draw) in [0, 1, 30, 62, 63, 64, 65, 1 << 31, u32::MAX - 1, u32::MAX]
                .into_iter()
                .flat_map(|attempts| DRAWS.map(|draw| (attempts, draw)))
            {
                let mut state = rules.resume(Regime::Normal, attempts);
                rules.record_failure(&mut state, FailureKind::Normal, Instant::ZERO, draw);
                let bounds = rules.bounds(Regime::Normal);
                let (wait, floor) = (state.next_delay(), rules.cadence());
                let context = format!("{initial:?} {ceiling:?} {cadence:?} {attempts} {draw}: {wait:?}");
                assert!(wait >= floor && wait <= bounds.ceiling.max(floor), "{context}");
                assert!(wait >= bounds.initial / 2, "{context}");
                assert!(!wait.is_zero() || bounds.initial.is_zero(), "{context}");
                assert_eq!(state.attempts(), attempts.saturating_add(1), "{context}");
            }
        }
    }
}

#[test]
fn every_instant_is_taken_in_any_order() {
    let instants = [Instant::ZERO, Instant::from_nanos(1), Instant::from_secs(60), Instant::MAX];
    for (first, second) in pairs(&instants) {
        for window in DURATIONS {
            let rules = RetryRules::builder(HealthyFor::new(window)).build();
            let mut state = rules.start();
            rules.record_failure(&mut state, FailureKind::Normal, first, 0);
            rules.record_success(&mut state, first);
            rules.record_failure(&mut state, FailureKind::Normal, second, 0);
            let is_due = second.nanos_since(first) >= nanos(window);
            assert_eq!(state.attempts(), if is_due { 1 } else { 2 }, "{first:?} {second:?} {window:?}");
        }
    }
}

#[test]
fn the_whole_range_of_the_clock_is_less_than_the_longest_window() {
    let rules = RetryRules::builder(HealthyFor::new(Duration::MAX)).build();
    let mut state = rules.start();
    rules.record_failure(&mut state, FailureKind::Unexpected, Instant::ZERO, 0);
    rules.record_success(&mut state, Instant::ZERO);
    rules.record_success(&mut state, Instant::MAX);
    assert_eq!(state.regime(), Regime::Extended);
}

#[test]
fn the_largest_number_of_successes_is_counted_without_wrapping() {
    let rules = RetryRules::builder(Successes::new(u32::MAX)).build();
    let mut state = rules.start();
    rules.record_failure(&mut state, FailureKind::Unexpected, Instant::ZERO, 0);
    for _ in 0..100_000 {
        rules.record_success(&mut state, Instant::ZERO);
    }
    assert_eq!((state.regime(), state.reset_state().count()), (Regime::Extended, 100_000));
}

#[test]
fn every_ladder_with_every_jitter_and_draw_stays_at_or_below_its_ceiling() {
    for (base, ceiling) in pairs(&DURATIONS) {
        let ladders = [
            Ladder::exponential(base, 2, 1, ceiling).unwrap(),
            Ladder::exponential(base, u32::MAX, 1, ceiling).unwrap(),
            Ladder::exponential(base, u32::MAX, u32::MAX - 1, ceiling).unwrap(),
            Ladder::constant(base),
            Ladder::linear(base, ceiling, ceiling),
            Ladder::fibonacci(base, ceiling),
            Ladder::list(&[base, ceiling]).unwrap(),
        ];
        for (ladder, jitter) in ladders.into_iter().flat_map(|ladder| Jitter::ALL.map(|jitter| (ladder, jitter))) {
            for draw in DRAWS {
                let backoff = Backoff::new(ladder, jitter);
                let mut state = backoff.start();
                for _ in 0..100 {
                    let wait = backoff.next_wait(&mut state, draw);
                    assert!(wait <= ladder.ceiling(), "{ladder:?} {jitter} {draw}: {wait:?}");
                }
            }
        }
    }
}

fn pairs<T: Copy>(all: &[T]) -> impl Iterator<Item = (T, T)> {
    all.iter().flat_map(|first| all.iter().map(|second| (*first, *second)))
}
