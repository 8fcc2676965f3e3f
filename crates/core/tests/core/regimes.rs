//! The two regimes: how the extended one is entered, and what happens in it.

use retrylab_core::{FailureKind, Regime, RetryRules};

use crate::client::{polling, s, streaming};

#[test]
fn spec_15_06_a_success_restores_the_cadence_even_while_extended() {
    let mut poller = polling(30.0);
    for wait in [300, 600, 1200] {
        assert_eq!(poller.unexpected(s(0)), s(wait));
    }
    assert_eq!(poller.succeeds(s(2100)), s(30), "the interval, not twenty minutes");
    assert_eq!(poller.place(), (Regime::Extended, 3), "and no reset");

    let mut stream = streaming(1.0);
    stream.unexpected(s(0));
    assert_eq!(stream.succeeds(s(300)), s(0));
    assert_eq!(stream.place(), (Regime::Extended, 1));
}

#[test]
fn spec_15_09_only_the_move_into_the_extended_regime_restarts_the_count() {
    let mut client = streaming(1.0);
    assert_eq!(client.ladder(FailureKind::Unexpected, 6, s(0)), [300, 600, 1200, 2400, 3600, 3600]);
    assert_eq!(client.place(), (Regime::Extended, 6));
}

#[test]
fn spec_15_10_the_move_counts_as_the_first_failure_of_its_regime() {
    let mut client = streaming(1.0);
    client.ladder(FailureKind::Normal, 5, s(0));
    assert_eq!(client.place(), (Regime::Normal, 5));
    assert_eq!(client.unexpected(s(0)), s(300));
    assert_eq!(client.place(), (Regime::Extended, 1), "neither 0 nor 6");
}

#[test]
fn spec_15_11_a_normal_failure_after_an_unexpected_one_stays_on_the_extended_ladder() {
    let mut client = streaming(1.0);
    assert_eq!(client.unexpected(s(0)), s(300));
    assert_eq!(client.normal(s(0)), s(600));
    assert_eq!(client.unexpected(s(0)), s(1200));
    assert_eq!(client.normal(s(0)), s(2400));
    assert_eq!(client.place(), (Regime::Extended, 4));
}

#[test]
fn spec_15_12_the_regime_is_kept_not_guessed_from_the_bounds() {
    // From 300 s on, both ladders of a poller start at the interval.
    let mut client = polling(300.0);
    assert_eq!(client.normal(s(0)), s(300));
    assert_eq!(client.place(), (Regime::Normal, 1));
    assert_eq!(client.unexpected(s(0)), s(300));
    assert_eq!(client.place(), (Regime::Extended, 1));
    assert_eq!(client.unexpected(s(0)), s(600));

    // From 3600 s on, the ladders are the same all the way.
    let mut client = polling(7200.0);
    client.unexpected(s(0));
    assert_eq!(client.retry.regime(), Regime::Extended);
    client.succeeds(s(0));
    client.succeeds(s(0));
    assert_eq!(client.retry.regime(), Regime::Normal);
}

#[test]
fn spec_15_17_normal_failures_of_polling_never_escalate() {
    let mut client = polling(30.0);
    assert_eq!(client.ladder(FailureKind::Normal, 12, s(0)), [30; 12]);
    assert_eq!(client.place(), (Regime::Normal, 12), "they count all the same");
    assert_eq!(client.unexpected(s(0)), s(300));
    assert_eq!(client.place(), (Regime::Extended, 1));
}

#[test]
fn a_rejected_key_between_flaps_climbs_to_an_hour() {
    // Up for 5 s, closed; then 401: twenty times.
    let mut client = streaming(1.0);
    let mut waits = Vec::new();
    let mut now = 0;
    for _ in 0..20 {
        client.succeeds(s(now));
        now += 5;
        let wait = client.normal(s(now)).as_secs();
        now += wait;
        waits.push(wait);
        let wait = client.unexpected(s(now)).as_secs();
        now += wait;
        waits.push(wait);
    }
    assert_eq!(waits, [[1, 300, 600, 1200, 2400].to_vec(), [3600; 35].to_vec()].concat());
}

#[test]
fn the_ladders_of_streaming_are_these() {
    let ladders = [
        (1.0, FailureKind::Normal, [1, 2, 4, 8, 16, 30, 30]),
        (8.0, FailureKind::Normal, [8, 16, 30, 30, 30, 30, 30]),
        (45.0, FailureKind::Normal, [45; 7]),
        (600.0, FailureKind::Normal, [600; 7]),
        (7200.0, FailureKind::Normal, [7200; 7]),
        (1.0, FailureKind::Unexpected, [300, 600, 1200, 2400, 3600, 3600, 3600]),
        (45.0, FailureKind::Unexpected, [300, 600, 1200, 2400, 3600, 3600, 3600]),
        (600.0, FailureKind::Unexpected, [600, 1200, 2400, 3600, 3600, 3600, 3600]),
        (7200.0, FailureKind::Unexpected, [7200; 7]),
    ];
    for (initial, kind, waits) in ladders {
        assert_eq!(streaming(initial).ladder(kind, 7, s(0)), waits, "{initial} s, {kind}");
    }
}

#[test]
fn the_ladders_of_polling_are_these() {
    let ladders = [
        (30.0, FailureKind::Normal, [30; 6]),
        (600.0, FailureKind::Normal, [600; 6]),
        (3000.0, FailureKind::Normal, [3000; 6]),
        (7200.0, FailureKind::Normal, [7200; 6]),
        (30.0, FailureKind::Unexpected, [300, 600, 1200, 2400, 3600, 3600]),
        (600.0, FailureKind::Unexpected, [600, 1200, 2400, 3600, 3600, 3600]),
        (3000.0, FailureKind::Unexpected, [3000, 3600, 3600, 3600, 3600, 3600]),
        (7200.0, FailureKind::Unexpected, [7200; 6]),
    ];
    for (interval, kind, waits) in ladders {
        assert_eq!(polling(interval).ladder(kind, 6, s(0)), waits, "{interval} s, {kind}");
    }
}

#[test]
fn a_client_resumes_where_it_was_last_seen() {
    let rules = RetryRules::polling(s(30));
    assert_eq!(rules.resume(Regime::Normal, 0), rules.start());

    let mut client = polling(30.0);
    *client.retry.state_mut() = rules.resume(Regime::Extended, 3);
    assert_eq!(client.retry.next_delay(), s(30), "the cadence");
    assert_eq!(client.place(), (Regime::Extended, 3));
    client.succeeds(s(0));
    assert_eq!(client.place(), (Regime::Extended, 3), "health starts anew: one success is not enough");
    assert_eq!(client.normal(s(30)), s(2400), "the fourth rung");

    let mut client = streaming(1.0);
    *client.retry.state_mut() = client.retry.rules().resume(Regime::Normal, 4);
    assert_eq!(client.normal(s(0)), s(16), "the fifth rung");
    assert_eq!(client.unexpected(s(0)), s(300));
}

#[test]
fn a_resumed_extended_regime_has_had_a_failure() {
    let rules = RetryRules::streaming(s(1));
    let state = rules.resume(Regime::Extended, 0);
    assert_eq!((state.regime(), state.attempts()), (Regime::Extended, 1));
    assert_eq!(rules.rung(&state), s(300));
}
