//! How long a wait is: rung, ceiling, jitter, floor, in this order.

use std::time::Duration;

use retrylab_core::{FailureKind, HealthyFor, Policy, Regime, Retry, RetryRules, Rung};

use crate::client::{Client, HALF, ms, ns, polling, s, streaming};

const NORMAL: FailureKind = FailureKind::Normal;
const UNEXPECTED: FailureKind = FailureKind::Unexpected;

#[test]
fn spec_15_13_jitter_subtracts_up_to_half_below_the_ceiling_and_before_the_floor() {
    // The sixth rung of 1 s is 32 s, cut to 30 s. Half a draw takes a quarter of that: 7.5 s.
    let mut client = streaming(1.0);
    client.ladder(NORMAL, 5, s(0));
    assert_eq!(client.fails(NORMAL, s(0), HALF), ms(22_500));

    // The largest draw takes 15 s less a part of a nanosecond, rounded down: 14,999,999,999 ns.
    assert_eq!(client.fails(NORMAL, s(0), u64::MAX), ns(15_000_000_001));
    assert_eq!(client.fails(NORMAL, s(0), 0), s(30));

    // 300 s less half, floored at the interval: 225 s stands, 150 s does not.
    assert_eq!(polling(200.0).fails(UNEXPECTED, s(0), HALF), s(225));
    assert_eq!(polling(200.0).fails(UNEXPECTED, s(0), u64::MAX), s(200));
}

#[test]
fn spec_15_14_the_floor_is_the_cadence_not_the_initial_delay() {
    assert_eq!(streaming(1.0).fails(NORMAL, s(0), HALF), ms(750));
    // 1,000,000,000·(2^64 - 1) / 2^65 is 499,999,999 and a part.
    assert_eq!(streaming(1.0).fails(NORMAL, s(0), u64::MAX), ns(500_000_001));
    assert_eq!(polling(30.0).fails(NORMAL, s(0), u64::MAX), s(30));
}

#[test]
fn spec_15_15_one_draw_a_failure_and_none_for_anything_else() {
    // The waits of three failures follow from their three draws, whatever is done between them.
    let draws = [HALF, u64::MAX, 0];
    let waits = [ms(750), ns(1_000_000_001), s(4)];

    let mut client = streaming(1.0);
    for (draw, wait) in draws.into_iter().zip(waits) {
        client.succeeds(s(1));
        assert_eq!(client.fails(NORMAL, s(1), draw), wait);
        for _ in 0..100 {
            assert_eq!(client.retry.next_delay(), wait, "a read draws nothing");
        }
    }
}

#[test]
fn spec_15_16_the_first_delay_is_the_cadence() {
    assert_eq!(streaming(1.0).retry.next_delay(), s(0));
    assert_eq!(streaming(45.0).retry.next_delay(), s(0));
    assert_eq!(polling(30.0).retry.next_delay(), s(30));
    assert_eq!(polling(7200.0).retry.next_delay(), s(7200));
    let rules = RetryRules::builder(HealthyFor::new(s(60))).cadence(s(7)).build();
    assert_eq!(Client::new(rules).retry.next_delay(), s(7));
}

#[test]
fn spec_15_18_a_ceiling_is_never_below_its_initial() {
    let bounds = |initial| {
        let (rules, warning) = RetryRules::streaming_from_secs_f64(initial);
        assert_eq!(warning, None, "{initial} s is no mistake");
        let (normal, extended) = (rules.bounds(Regime::Normal), rules.bounds(Regime::Extended));
        [normal.initial, normal.ceiling, extended.initial, extended.ceiling].map(|bound| bound.as_secs())
    };
    assert_eq!(bounds(1.0), [1, 30, 300, 3600]);
    assert_eq!(bounds(30.0), [30, 30, 300, 3600]);
    assert_eq!(bounds(31.0), [31, 31, 300, 3600]);
    assert_eq!(bounds(300.0), [300, 300, 300, 3600]);
    assert_eq!(bounds(301.0), [301, 301, 301, 3600]);
    assert_eq!(bounds(3601.0), [3601, 3601, 3601, 3601]);

    let rules = RetryRules::builder(HealthyFor::new(s(60))).normal(s(10), s(3)).extended(s(20), s(4)).build();
    assert_eq!(rules.bounds(Regime::Normal).ceiling, s(10));
    assert_eq!(rules.bounds(Regime::Extended).ceiling, s(20));
}

#[test]
fn spec_15_19_a_long_poll_interval_hides_the_jitter_of_the_first_extended_rung() {
    for draw in [0, 1, HALF, u64::MAX] {
        assert_eq!(polling(600.0).fails(UNEXPECTED, s(0), draw), s(600));
        assert_eq!(polling(300.0).fails(UNEXPECTED, s(0), draw), s(300));
    }
    // The second rung shows it: 1200 s less half.
    let mut client = polling(600.0);
    client.unexpected(s(0));
    assert_eq!(client.fails(UNEXPECTED, s(0), HALF), s(900));
    // Below 300 s the first rung shows it too.
    assert_eq!(polling(299.0).fails(UNEXPECTED, s(0), 1 << 50), s(300) - ns(9_155_273));
}

#[test]
fn spec_15_20_doubling_saturates_and_so_does_the_count() {
    let mut client = streaming(1.0);
    for failure in 1..=10_000 {
        let wait = client.normal(s(0));
        assert_eq!(client.place(), (Regime::Normal, failure));
        if failure > 5 {
            assert_eq!(wait, s(30), "failure {failure}");
        }
    }

    // Every doubling that 64 bits hold, and then the longest wait there is.
    let rules = RetryRules::builder(HealthyFor::new(s(60))).normal(ns(1), Duration::MAX).build();
    let mut client = Client::new(rules);
    for doublings in 0..64 {
        assert_eq!(client.normal(s(0)), ns(1 << doublings));
    }
    for _ in 0..3 {
        assert_eq!(client.normal(s(0)), ns(u64::MAX));
    }

    // An initial that is not a power of two stops at the last doubling that fits, and does not lose its high bits.
    let rules = RetryRules::builder(HealthyFor::new(s(60))).normal(ns(3), Duration::MAX).build();
    let mut client = Client::new(rules);
    for doublings in 0..63 {
        assert_eq!(client.normal(s(0)), ns(3 << doublings));
    }
    assert_eq!(client.normal(s(0)), ns(u64::MAX));

    for regime in [Regime::Normal, Regime::Extended] {
        let mut client = streaming(1.0);
        *client.retry.state_mut() = client.retry.rules().resume(regime, u32::MAX);
        let ceiling = client.retry.rules().bounds(regime).ceiling;
        for _ in 0..3 {
            assert_eq!(client.normal(s(0)), ceiling);
            assert_eq!(client.place(), (regime, u32::MAX));
        }
    }
}

#[test]
fn spec_15_21_nothing_caps_the_exponent_but_the_ceiling() {
    // 1 ns doubled 30 times is 1.073741824 s, where a capped exponent would stay for ever.
    let mut client = streaming(1e-9);
    let waits: Vec<_> = (1..=37).map(|_| client.normal(s(0))).collect();
    assert_eq!(waits[30], ns(1 << 30));
    assert_eq!(waits[31], ns(1 << 31));
    assert_eq!(waits[34], ns(1 << 34), "17.179869184 s");
    assert_eq!(waits[35..], [s(30), s(30)]);
}

#[test]
fn a_wait_is_zero_only_if_a_bound_is_zero() {
    let zero = Duration::ZERO;
    let rules = RetryRules::builder(HealthyFor::new(s(60))).normal(zero, s(30)).extended(zero, zero).build();
    let mut client = Client::new(rules);
    assert_eq!(client.normal(s(0)), zero);
    assert_eq!(client.normal(s(0)), zero, "zero doubled is zero, whatever the ceiling");
    assert_eq!(client.unexpected(s(0)), zero);
    *client.retry.state_mut() = rules.resume(Regime::Normal, u32::MAX);
    assert_eq!(client.normal(s(0)), zero, "also when the doublings do not fit 64 bits");

    // One nanosecond has no half to lose.
    let rules = RetryRules::builder(HealthyFor::new(s(60))).normal(ns(1), ns(1)).build();
    assert_eq!(Client::new(rules).fails(NORMAL, s(0), u64::MAX), ns(1));
}

#[test]
fn a_custom_floor_stands_above_short_rungs_and_below_long_ones() {
    let rules = RetryRules::builder(HealthyFor::new(s(60))).normal(s(1), s(30)).cadence(s(5)).build();
    let mut client = Client::new(rules);
    assert_eq!(client.ladder(NORMAL, 7, s(0)), [5, 5, 5, 8, 16, 30, 30]);
    assert_eq!(client.succeeds(s(0)), s(5));
}

#[test]
fn a_policy_explains_where_it_stands() {
    let mut policy: Retry<_> = Retry::new(RetryRules::polling(s(30)));
    let fresh = Rung { regime: Regime::Normal, number: 0, base: s(0), jitter: s(0) };
    assert_eq!(policy.explain(HALF), Some(fresh));

    policy.wait_after(UNEXPECTED, retrylab_core::Instant::ZERO, HALF);
    policy.wait_after(NORMAL, retrylab_core::Instant::ZERO, HALF);
    // 600 s less a quarter.
    let second = Rung { regime: Regime::Extended, number: 2, base: s(600), jitter: s(150) };
    assert_eq!(policy.explain(HALF), Some(second));
    assert_eq!(Policy::next_delay(&policy), s(450));
    // The jitter is explained even where the floor hides it.
    policy = Retry::new(*policy.rules());
    policy.wait_after(NORMAL, retrylab_core::Instant::ZERO, HALF);
    assert_eq!(Policy::next_delay(&policy), s(30));
    assert_eq!(policy.explain(HALF).map(|rung| rung.jitter), Some(ms(7_500)));
}
