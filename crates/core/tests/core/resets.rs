//! When health clears the state, and what it clears. The streaming rules reset after 60 s of health, the polling rules
//! after two successes in a row.

use retrylab_core::{BuiltInReset, FailureKind, HealthyFor, Instant, Regime, ResetRule, RetryRules, Successes};

use crate::client::{Client, ms, ns, polling, s, streaming};

#[test]
fn spec_15_01_a_due_reset_comes_before_the_reset_rule_records_the_failure() {
    let mut client = streaming(1.0);
    assert_eq!(client.normal(s(0)), s(1));
    client.succeeds(s(1));
    // With the other order the rule would have forgotten the health, and this would be the second rung.
    assert_eq!(client.normal(s(61)), s(1));
    assert_eq!(client.place(), (Regime::Normal, 1));
}

#[test]
fn spec_15_02_the_health_window_is_inclusive() {
    let second_failure_after = |health| {
        let mut client = streaming(1.0);
        client.normal(s(0));
        client.succeeds(s(1));
        client.normal(s(1) + health)
    };
    assert_eq!(second_failure_after(s(60) - ns(1)), s(2));
    assert_eq!(second_failure_after(s(60)), s(1));
    assert_eq!(second_failure_after(s(60) + ns(1)), s(1));
}

#[test]
fn spec_15_03_the_window_anchors_at_the_first_success_after_a_failure() {
    let mut client = streaming(1.0);
    client.normal(s(5));
    client.succeeds(s(10));
    client.succeeds(s(69));
    assert_eq!(client.normal(s(70)), s(1), "60 s since the first success, 1 s since the last");

    client.succeeds(s(80));
    assert_eq!(client.normal(s(90)), s(2));
    client.succeeds(s(100));
    assert_eq!(client.normal(s(159)), s(4), "a failure ends the health that began at 80 s");
}

#[test]
fn spec_15_04_health_may_begin_at_clock_zero() {
    let mut client = streaming(1.0);
    assert_eq!(client.unexpected(s(0)), s(300));
    client.succeeds(s(0));
    assert_eq!(client.normal(s(60)), s(1));
    assert_eq!(client.place(), (Regime::Normal, 1));

    let mut client = streaming(1.0);
    client.unexpected(s(0));
    client.succeeds(s(0));
    client.succeeds(s(30));
    assert_eq!(
        client.retry.state().reset_state().instant(),
        Some(Instant::ZERO),
        "the success at 30 s does not move it"
    );
}

#[test]
fn spec_15_05_health_starts_at_the_first_message_not_at_the_connection() {
    let mut client = streaming(1.0);
    assert_eq!(client.normal(s(0)), s(1));
    // Connected from 1 s to 600 s with heartbeats alone: nothing to record, and no health.
    assert_eq!(client.normal(s(600)), s(2));
    // Connected at 602 s, first message at 650 s, ended at 709 s: 107 s connected, 59 s healthy.
    client.succeeds(s(650));
    assert_eq!(client.normal(s(709)), s(4));
}

#[test]
fn spec_15_07_one_success_does_not_reset_polling_and_a_failure_starts_the_count_anew() {
    let mut client = polling(30.0);
    assert_eq!(client.unexpected(s(0)), s(300));
    client.succeeds(s(300));
    assert_eq!(client.place(), (Regime::Extended, 1), "one success is not enough");
    assert_eq!(client.normal(s(330)), s(600), "the second rung");
    client.succeeds(s(930));
    assert_eq!(client.place(), (Regime::Extended, 2), "two successes, but not in a row");
    client.succeeds(s(960));
    assert_eq!(client.place(), (Regime::Normal, 0));
}

#[test]
fn spec_15_08_a_reset_clears_the_count_the_bounds_and_the_regime() {
    let mut client = streaming(1.0);
    for wait in [300, 600, 1200] {
        assert_eq!(client.unexpected(s(0)), s(wait));
    }
    client.succeeds(s(1));
    client.succeeds(s(61));
    assert_eq!(client.place(), (Regime::Normal, 0));
    assert_eq!(client.retry.rules().rung(client.retry.state()), s(0));

    // The success at 61 s belongs to health that still lasts, so the failure after it finds the reset due once more.
    for wait in [1, 2, 4] {
        assert_eq!(client.normal(s(62)), s(wait), "the normal bounds are back");
    }
    assert_eq!(client.unexpected(s(62)), s(300), "the extended regime is entered anew");
}

#[test]
fn spec_15_43_a_reset_leaves_the_next_delay_alone() {
    let mut client = polling(30.0);
    client.unexpected(s(0));
    assert_eq!(client.succeeds(s(300)), s(30));
    assert_eq!(client.succeeds(s(330)), s(30), "this success resets");
    assert_eq!(client.place(), (Regime::Normal, 0));
    assert_eq!(client.succeeds(s(360)), s(30), "a reset that is due again changes nothing");
}

#[test]
fn spec_15_44_time_alone_changes_nothing() {
    let mut client = streaming(1.0);
    client.unexpected(s(0));
    client.succeeds(s(1));
    let before = client.retry;
    // Ten hours pass. The rule alone is due.
    assert!(client.retry.rules().reset_rule().is_due(client.retry.state().reset_state(), Instant::ZERO + s(36_001)));
    assert_eq!((client.retry.next_delay(), client.place()), (s(0), (Regime::Extended, 1)));
    assert_eq!(client.retry.rules().rung(client.retry.state()), s(300));
    assert_eq!(client.retry, before);
    // It is an outcome that ends the regime.
    client.succeeds(s(36_001));
    assert_eq!(client.place(), (Regime::Normal, 0));

    let mut silent = streaming(1.0);
    silent.unexpected(s(0));
    assert_eq!(silent.normal(s(36_000)), s(600), "ten hours without an outcome are no health");
}

#[test]
fn spec_15_45_success_and_failure_are_measured_on_one_clock() {
    // The same outcomes on clocks with other origins: only differences count.
    for origin in [s(0), ns(1), s(1_000_000_000)] {
        let mut client = streaming(1.0);
        assert_eq!(client.normal(origin), s(1));
        client.succeeds(origin + s(1));
        assert_eq!(client.normal(origin + s(61) - ns(1)), s(2));
        client.succeeds(origin + s(70));
        assert_eq!(client.normal(origin + s(130)), s(1));
    }

    // A clock that went back shows no health, and does no harm.
    let mut client = streaming(1.0);
    client.normal(s(0));
    client.succeeds(s(1000));
    assert_eq!(client.normal(s(10)), s(2));
}

#[test]
fn spec_15_46_without_a_first_success_there_is_no_reset_however_long_the_outage() {
    let mut client = streaming(1.0);
    let waits: Vec<_> = (0..8).map(|hour| client.normal(s(3600 * hour))).collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30, 30].map(s));
}

/// 20 streams that each end this long after their first message; the waits after each.
fn flaps(up: u64, mut end: impl FnMut(&mut Client<HealthyFor>, u64) -> u64) -> Vec<u64> {
    let mut client = streaming(1.0);
    let mut now = 0;
    let mut waits = Vec::new();
    for _ in 0..20 {
        client.succeeds(s(now));
        now += up;
        let wait = end(&mut client, now);
        waits.push(wait);
        now += wait;
    }
    waits
}

#[test]
fn spec_15_47_flaps_climb_to_the_ceiling_and_healthy_minutes_do_not() {
    let closes = |client: &mut Client<HealthyFor>, now| client.normal(s(now)).as_secs();
    let is_refused = |client: &mut Client<HealthyFor>, now| client.unexpected(s(now)).as_secs();

    assert_eq!(flaps(5, closes), [[1, 2, 4, 8, 16].to_vec(), [30; 15].to_vec()].concat());
    assert_eq!(flaps(59, closes), [[1, 2, 4, 8, 16].to_vec(), [30; 15].to_vec()].concat());
    assert_eq!(flaps(60, closes), [1; 20]);
    assert_eq!(flaps(61, closes), [1; 20]);
    assert_eq!(flaps(5, is_refused), [[300, 600, 1200, 2400].to_vec(), [3600; 16].to_vec()].concat());
}

#[test]
fn spec_15_48_after_a_healthy_extended_minute_the_extended_ladder_starts_again() {
    let mut client = streaming(1.0);
    assert_eq!(client.unexpected(s(0)), s(300));
    assert_eq!(client.unexpected(s(0)), s(600));
    client.succeeds(s(600));
    assert_eq!(client.unexpected(s(660)), s(300), "reset first, then entered again; not 1200 s");
    assert_eq!(client.place(), (Regime::Extended, 1));
}

#[test]
fn spec_15_49_a_success_that_completes_the_window_resets_at_once() {
    let mut client = streaming(1.0);
    client.unexpected(s(0));
    client.succeeds(s(10));
    client.succeeds(s(70) - ns(1));
    assert_eq!(client.place(), (Regime::Extended, 1));
    client.succeeds(s(70));
    assert_eq!(client.place(), (Regime::Normal, 0));
}

#[test]
fn spec_15_50_delays_and_windows_are_exact_to_the_nanosecond() {
    // 1/512 s is 1,953,125 ns, which no whole number of milliseconds or microseconds is.
    let tick = ns(1_953_125);
    let mut client = streaming(1.0);
    client.unexpected(tick);
    client.succeeds(tick * 3);
    assert_eq!(client.normal(tick * 3 + s(60) - ns(1)), s(600));
    client.succeeds(tick * 5 + s(60));
    assert_eq!(client.normal(tick * 5 + s(120)), s(1));

    // 1/512 of the draws: 1 s less half of 1/512 s is 1 s - 976,562.5 ns; what is subtracted is rounded down.
    let mut client = streaming(1.0);
    let wait = client.fails(retrylab_core::FailureKind::Normal, s(0), 1 << 55);
    assert_eq!(wait, ns(1_000_000_000 - 976_562));
}

#[test]
fn counting_successes_ignores_time() {
    let mut client = polling(30.0);
    client.unexpected(s(0));
    client.succeeds(s(0));
    client.succeeds(s(0));
    assert_eq!(client.place(), (Regime::Normal, 0), "both at the instant of the failure");

    let mut client = polling(30.0);
    client.unexpected(s(0));
    client.succeeds(s(1));
    assert_eq!(client.normal(s(1_000_000)), s(600), "a success for eleven days is still one success");
}

#[test]
fn zero_successes_make_every_failure_a_first_one() {
    let rules = RetryRules::builder(Successes::new(0)).build();
    let mut client = Client::new(rules);
    assert_eq!(client.normal(s(0)), s(1));
    assert_eq!(client.normal(s(0)), s(1));
    assert_eq!(client.unexpected(s(0)), s(300));
    assert_eq!(client.unexpected(s(0)), s(300));
    assert_eq!(client.normal(s(0)), s(1));
}

#[test]
fn a_window_of_no_time_makes_one_success_enough() {
    let rules = RetryRules::builder(HealthyFor::new(s(0))).build();
    let mut client = Client::new(rules);
    assert_eq!(client.normal(s(7)), s(1));
    assert_eq!(client.normal(s(7)), s(2), "no success, no health");
    client.succeeds(s(7));
    assert_eq!(client.place(), (Regime::Normal, 0));
    assert_eq!(client.normal(s(7)), s(1));
}

#[test]
fn a_reset_rule_of_ones_own_decides_like_a_built_in_one() {
    /// Due after this many failures, healthy or not: a rule that no built-in one resembles.
    #[derive(Clone, Copy)]
    struct EveryThird;

    impl ResetRule for EveryThird {
        type State = u8;
        fn record_success(&self, _: &mut u8, _: Instant) {}
        fn record_failure(&self, failures: &mut u8, _: Instant) {
            *failures = *failures % 3 + 1;
        }
        fn is_due(&self, failures: &u8, _: Instant) -> bool {
            *failures == 3
        }
    }

    let mut client = Client::new(RetryRules::builder(EveryThird).build());
    let waits: Vec<_> = (0..7).map(|_| client.normal(s(0))).collect();
    assert_eq!(waits, [1, 2, 4, 1, 2, 4, 1].map(s));
}

#[test]
fn the_memory_of_a_reset_rule_can_be_read() {
    let mut stream = streaming(1.0);
    assert_eq!(stream.retry.state().reset_state().instant(), None);
    stream.succeeds(ms(1500));
    assert_eq!(stream.retry.state().reset_state().instant(), Some(Instant::ZERO + ms(1500)));
    stream.normal(s(2));
    assert_eq!(stream.retry.state().reset_state().instant(), None);

    let mut poller = polling(30.0);
    poller.succeeds(s(0));
    poller.succeeds(s(0));
    assert_eq!(poller.retry.state().reset_state().count(), 2);
    poller.normal(s(0));
    assert_eq!(poller.retry.state().reset_state().count(), 0);
}

#[test]
fn a_failure_ends_health_also_where_the_rule_is_chosen_at_run_time() {
    // 60 s of health have to be unbroken: 30 s, a failure, 40 s are not enough, so the third failure is rung three.
    let rules = RetryRules::<BuiltInReset>::from(RetryRules::streaming(s(1)));
    let mut state = rules.start();
    for (success, failure, wait) in [(0, 1, s(1)), (10, 40, s(2)), (50, 90, s(4))] {
        rules.record_success(&mut state, Instant::from_secs(success));
        rules.record_failure(&mut state, FailureKind::Normal, Instant::from_secs(failure), 0);
        assert_eq!(state.next_delay(), wait, "failure at {failure} s");
    }

    // Two successes in a row: with a failure between them the extended regime lasts.
    let rules = RetryRules::<BuiltInReset>::from(RetryRules::polling(s(30)));
    let mut state = rules.start();
    for (second, wait) in [(0, s(300)), (400, s(600))] {
        rules.record_failure(&mut state, FailureKind::Unexpected, Instant::from_secs(second), 0);
        assert_eq!(state.next_delay(), wait);
        rules.record_success(&mut state, Instant::from_secs(second + 350));
        assert_eq!(state.regime(), Regime::Extended);
    }
}
