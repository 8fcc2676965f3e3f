//! exponential-backoff, and its use of the thread's generator.

use std::collections::BTreeSet;

use retrylab_adapters::{Client, ExponentialBackoff, Library};
use retrylab_core::{Instant, Policy};

use crate::{s, setting, waits};

#[test]
fn a_seeded_call_restores_the_generator_of_the_thread() {
    fastrand::seed(42);
    let undisturbed = (fastrand::u64(..), fastrand::u64(..));
    fastrand::seed(42);
    let first = fastrand::u64(..);
    let mut policy = Client::new(ExponentialBackoff::new(&setting(), 0).expect("it can double"));
    waits(&mut policy, 5, 7);
    assert_eq!((first, fastrand::u64(..)), undisturbed);
}

#[test]
fn the_draw_decides_and_not_the_generator_of_the_thread() {
    let of_draw_7 = |seed| {
        fastrand::seed(seed);
        waits(&mut Client::new(ExponentialBackoff::new(&setting(), 0).expect("it can double")), 5, 7)
    };
    assert_eq!(of_draw_7(1), of_draw_7(2));
}

/// Of 2 s, the second rung: 60 equally likely draws, of which 0 to 29 are as many percent less, and 30 to 59 half as many
/// percent more, rounded down: 15 to 29.
#[test]
fn jitter_comes_in_whole_percents_and_leaves_a_gap() {
    let mut policy = Client::new(ExponentialBackoff::new(&setting(), 0).expect("it can double"));
    let seen: BTreeSet<_> = (1..=2_000_u64)
        .map(|draw| {
            let second = waits(&mut policy, 2, 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(draw))[1];
            policy.record_success(Instant::ZERO);
            second
        })
        .collect();
    let percents = (71..=100).chain(115..=129);
    // One of them is missed with probability (59/60)^2000, which is e^-33.
    assert_eq!(seen, percents.map(|percent| s(2) * percent / 100).collect());
}
