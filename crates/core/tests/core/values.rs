//! The small values: points in time, names, printed forms.

use std::mem::size_of;
use std::time::Duration;

use retrylab_core::{
    BuiltInReset, Decision, FailureKind, GiveUp, HealthyFor, Instant, Regime, RetryRules, RetryState, Successes, nanos,
};

use crate::client::{ms, ns, s, streaming};

#[test]
fn an_instant_counts_nanoseconds_from_the_origin_and_saturates() {
    assert_eq!(Instant::ZERO.as_nanos(), 0);
    assert_eq!(Instant::default(), Instant::ZERO);
    assert_eq!(Instant::from_nanos(7).as_nanos(), 7);
    assert_eq!(Instant::from_secs(3).as_nanos(), 3_000_000_000);
    assert_eq!(Instant::from_secs(3).since_origin(), s(3));
    assert_eq!(Instant::MAX.as_nanos(), u64::MAX - 1);
    assert_eq!(Instant::from_nanos(u64::MAX), Instant::MAX);
    assert_eq!(Instant::from_nanos(u64::MAX - 1), Instant::MAX);
    assert_eq!(Instant::from_secs(u64::MAX), Instant::MAX);
    assert_eq!(size_of::<Option<Instant>>(), 8);
}

#[test]
fn the_time_between_two_instants_is_never_negative() {
    let (early, late) = (Instant::from_nanos(5), Instant::from_secs(60));
    assert_eq!(late.since(early), s(60) - ns(5));
    assert_eq!(late.nanos_since(early), 59_999_999_995);
    assert_eq!(early.since(late), s(0));
    assert_eq!(early.nanos_since(late), 0);
    assert_eq!(Instant::MAX.nanos_since(Instant::ZERO), u64::MAX - 1);
}

#[test]
fn adding_to_an_instant_saturates() {
    assert_eq!(Instant::ZERO + ms(1500), Instant::from_nanos(1_500_000_000));
    assert_eq!(Instant::from_nanos(u64::MAX - 3) + ns(2), Instant::MAX);
    assert_eq!(Instant::from_nanos(u64::MAX - 3) + ns(3), Instant::MAX);
    assert_eq!(Instant::from_nanos(1) + Duration::MAX, Instant::MAX);
}

#[test]
fn a_duration_in_nanoseconds_saturates() {
    assert_eq!(nanos(s(1)), 1_000_000_000);
    assert_eq!(nanos(ns(u64::MAX)), u64::MAX);
    assert_eq!(nanos(ns(u64::MAX) + ns(1)), u64::MAX);
    assert_eq!(nanos(Duration::MAX), u64::MAX);
}

#[test]
fn names_are_lower_case_and_fill_their_column() {
    assert_eq!(format!("{:9}|{:>9}", Regime::Normal, Regime::Extended), "normal   | extended");
    let reasons = [GiveUp::Attempts, GiveUp::Elapsed, GiveUp::Budget, GiveUp::Terminal];
    assert_eq!(reasons.map(|why| why.to_string()), ["attempts", "elapsed", "budget", "terminal"]);
    assert_eq!(format!("[{:8}]", GiveUp::Budget), "[budget  ]");
    let option = retrylab_core::ConfigOption::PollInterval;
    assert_eq!(format!("[{option:14}]"), "[poll_interval ]");
}

#[test]
fn a_decision_has_a_delay_unless_it_gives_up() {
    assert_eq!(Decision::RetryAfter(s(3)).delay(), Some(s(3)));
    assert_eq!(Decision::GiveUp(GiveUp::Attempts).delay(), None);
}

#[test]
fn values_have_readable_debug_forms() {
    assert_eq!(format!("{:?}", Instant::from_secs(90)), "Instant(90s)");

    let mut client = streaming(1.0);
    client.unexpected(s(0));
    client.succeeds(s(90));
    let shown = format!("{:?}", client.retry.state());
    assert_eq!(
        shown,
        "RetryState { regime: Extended, attempts: 1, next_delay: 0ns, reset: HealthySince(Some(Instant(90s))) }"
    );
}

#[test]
fn a_state_is_small_and_compares_by_every_field() {
    assert!(size_of::<RetryState<HealthyFor>>() <= 24);
    assert!(size_of::<RetryState<Successes>>() <= 24);
    assert!(size_of::<RetryState<BuiltInReset>>() <= 24);

    let rules = RetryRules::streaming(Duration::from_secs(1));
    let failed = |kind, draw| {
        let mut state = rules.start();
        rules.record_failure(&mut state, kind, Instant::ZERO, draw);
        state
    };
    let one = failed(FailureKind::Normal, 0);
    assert_eq!(one, failed(FailureKind::Normal, 0));
    assert_ne!(one, failed(FailureKind::Normal, u64::MAX), "another delay");

    // The same delay, and only the number of attempts, the regime, or the health differs.
    assert_ne!(rules.resume(Regime::Normal, 1), rules.resume(Regime::Normal, 2));
    assert_ne!(rules.resume(Regime::Normal, 1), rules.resume(Regime::Extended, 1));
    let mut healthy = rules.start();
    rules.record_success(&mut healthy, Instant::ZERO);
    assert_ne!(healthy, rules.start());
}

#[test]
fn a_state_reads_in_nanoseconds_too() {
    let (rules, _) = RetryRules::streaming_from_secs_f64(1.5);
    let mut state = rules.start();
    assert_eq!(state.next_delay_nanos(), 0);
    rules.record_failure(&mut state, FailureKind::Normal, Instant::ZERO, 0);
    assert_eq!((state.next_delay_nanos(), state.next_delay()), (1_500_000_000, ms(1500)));
    assert_eq!(rules.rung(&state), ms(1500));
    assert_eq!(rules.jitter(&state, 1 << 63), ms(375), "a quarter of it");
}
