//! tower: jitter that is shared and comes in whole seconds, and a budget that truncates.

use std::collections::BTreeSet;
use std::time::Duration;

use retrylab_adapters::{Client, Library, Tower};
use retrylab_core::{Budget as _, Exponential, FailureKind, Instant, Policy, RatioBudget};
use tokio::runtime::Builder;
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::{doubling, fail, ms, s, setting, waits};

fn tower(setting: &Exponential, seed: u64) -> Client<Tower> {
    Client::new(Tower::new(setting, seed).expect("it doubles"))
}

#[test]
fn two_thousand_sessions_of_one_maker_have_one_first_wait() {
    let setting = doubling(ms(1500), s(30));
    let first = Tower::new(&setting, 7).expect("it doubles");
    let of_one_maker: BTreeSet<_> =
        (0..2_000).map(|_| fail(&mut Client::new(first.sibling()), Instant::ZERO).delay()).collect();
    assert_eq!(of_one_maker.len(), 1);
    // Each with a maker of its own, which shows that there is jitter: 495 million values for 2,000 clients, which makes
    // 0.004 collisions (2,000^2 / 2 / 495,000,000).
    let of_their_own: BTreeSet<_> =
        (0..2_000).map(|seed| fail(&mut tower(&setting, seed), Instant::ZERO).delay()).collect();
    assert!(of_their_own.len() > 1_990, "{}", of_their_own.len());
}

#[test]
fn every_call_of_a_client_replays_the_jitter_of_the_first() {
    let mut policy = tower(&doubling(ms(1500), s(30)), 7);
    let first = waits(&mut policy, 4, 1);
    policy.record_success(Instant::ZERO);
    assert_eq!(waits(&mut policy, 4, 2), first);
}

/// It spreads the whole seconds of a rung by whole seconds, rounded down: 0.99 of 1 s is none, of 2 s one at most, of 4
/// s three at most.
#[test]
fn whole_seconds_are_spread_by_whole_seconds() {
    let mut seen = [(); 3].map(|()| BTreeSet::new());
    for seed in 0..1_000 {
        for (seen, wait) in seen.iter_mut().zip(waits(&mut tower(&setting(), seed), 3, 0)) {
            seen.insert(wait);
        }
    }
    let expected: [&[u64]; 3] = [&[1], &[2, 3], &[4, 5, 6, 7]];
    assert_eq!(seen.map(Vec::from_iter), expected.map(|seconds| seconds.iter().copied().map(s).collect::<Vec<_>>()));
}

/// 1,000 requests and no reserve: how many retries each fraction allows. tower divides 1 by the fraction and cuts the
/// result to a whole number: 0.3 costs 3 deposits a retry, 0.4 costs 2, 0.6 to 1 costs 1, and 1.5 costs 666 thousandths.
#[test]
fn its_budget_allows_more_than_the_fraction_and_ours_exactly_that() {
    let fractions: [(f32, (u32, u32), usize, usize); 7] = [
        (0.3, (3, 10), 333, 300),
        (0.34, (34, 100), 500, 340),
        (0.4, (4, 10), 500, 400),
        (0.6, (6, 10), 1000, 600),
        (0.7, (7, 10), 1000, 700),
        (0.9, (9, 10), 1000, 900),
        (1.5, (15, 10), 1501, 1500),
    ];
    for (fraction, (numerator, denominator), of_tower, of_ours) in fractions {
        // Inside of a runtime whose clock stands still, nothing expires.
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
        let withdrawn = runtime.block_on(async {
            let budget = TpsBudget::new(Duration::from_secs(60), 0, fraction);
            (0..1_000).for_each(|_| budget.deposit());
            (0..2_000).filter(|_| budget.withdraw()).count()
        });
        assert_eq!(withdrawn, of_tower, "{fraction}");

        let budget = RatioBudget::new(numerator, denominator, 0).expect("a fraction");
        (0..1_000).for_each(|_| budget.record_request());
        let failure = FailureKind::Normal.into();
        assert_eq!((0..2_000).filter(|_| budget.withdraw(&failure)).count(), of_ours, "{fraction}");
    }
}
