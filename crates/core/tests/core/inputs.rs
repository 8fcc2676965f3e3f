//! Input from outside: configured seconds, statuses, faults, a server's `retry_after`.

use std::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, Fault, Instant, Policy, Regime, Retry, RetryRules};

use crate::client::{ns, polling, s, streaming};

#[test]
fn spec_15_22_nan_is_unusable() {
    let (rules, warning) = RetryRules::streaming_from_secs_f64(f64::NAN);
    assert!(warning.is_some());
    assert_eq!(rules.bounds(Regime::Normal).initial, s(1));
    let (rules, warning) = RetryRules::polling_from_secs_f64(f64::NAN);
    assert!(warning.is_some());
    assert_eq!((rules.bounds(Regime::Normal).initial, rules.cadence()), (s(30), s(30)));
}

#[test]
fn spec_15_23_nan_and_infinity_get_past_a_clamp_and_are_caught_by_the_constructor() {
    // The larger of two floats, as languages have it where a comparison with nan is false.
    let clamped = |given: f64| if 30.0 > given { 30.0 } else { given };
    for given in [f64::NAN, f64::INFINITY] {
        let (rules, warning) = RetryRules::polling_from_secs_f64(clamped(given));
        assert!(warning.is_some(), "{given}");
        assert_eq!(rules.cadence(), s(30), "{given}");
    }
    assert_eq!(RetryRules::polling_from_secs_f64(clamped(-1.0)).1, None);
}

#[test]
fn spec_15_24_no_duration_is_too_long() {
    // The longest wait of some platforms is 9,223,372,036 s; what is stored is not cut to it.
    assert_eq!(streaming(1e10).normal(s(0)), s(10_000_000_000));
    assert_eq!(polling(1e10).succeeds(s(0)), s(10_000_000_000));
    for seconds in [1e11, 1e300, f64::MAX] {
        assert_eq!(streaming(seconds).normal(s(0)), ns(u64::MAX), "{seconds} s");
        assert_eq!(streaming(seconds).unexpected(s(0)), ns(u64::MAX), "{seconds} s");
        assert_eq!(polling(seconds).retry.next_delay(), ns(u64::MAX), "{seconds} s");
    }
    assert_eq!(Instant::MAX + Duration::MAX, Instant::MAX);
    assert_eq!(streaming(1.0).normal(Duration::MAX), s(1), "a failure at the end of time");
}

#[test]
fn spec_15_25_a_positive_delay_below_a_nanosecond_counts_as_one() {
    for seconds in [5e-324, 1e-300, 1e-10, 4e-10, 1e-9, 1.4e-9] {
        let (rules, warning) = RetryRules::streaming_from_secs_f64(seconds);
        assert_eq!(warning, None, "{seconds} s");
        assert_eq!(rules.bounds(Regime::Normal).initial, ns(1), "{seconds} s");
        assert_eq!(RetryRules::polling_from_secs_f64(seconds).0.cadence(), ns(1), "{seconds} s");
    }
    assert_eq!(RetryRules::streaming_from_secs_f64(1.6e-9).0.bounds(Regime::Normal).initial, ns(2));
}

#[test]
fn spec_15_26_tls_is_normal_and_so_is_400_but_404_405_and_410_are_not() {
    assert_eq!(FailureKind::for_source_fault(Fault::Tls), FailureKind::Normal);
    assert_eq!(FailureKind::for_source_fault(Fault::Certificate), FailureKind::Normal);
    assert_eq!(FailureKind::for_source_status(400), FailureKind::Normal);
    for status in [404, 405, 410] {
        assert_eq!(FailureKind::for_source_status(status), FailureKind::Unexpected, "{status}");
    }
}

#[test]
fn spec_15_27_redirects_204_and_whatever_is_no_status_are_normal() {
    for status in [204, 300, 301, 304, 399, 500, 599, 600, 999, 99, 0, -1, -404, i64::MIN, i64::MAX] {
        assert_eq!(FailureKind::for_source_status(status), FailureKind::Normal, "{status}");
    }
}

#[test]
fn spec_15_28_a_server_s_wish_for_a_delay_changes_nothing() {
    for wish in [None, Some(s(0)), Some(s(120)), Some(Duration::MAX)] {
        let mut policy = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
        let failure = Failure { retry_after: wish, ..FailureKind::for_source_status(429).into() };
        let answers = [0, 1, 2].map(|at| Policy::record_failure(&mut policy, failure, Instant::from_secs(at), 0));
        assert_eq!(answers, [1, 2, 4].map(|wait| Decision::RetryAfter(s(wait))), "{wish:?}");
        assert_eq!(Policy::next_delay(&policy), s(4));
    }
}

#[test]
fn a_retry_behind_the_trait_receives_successes_too() {
    let mut retry = Retry::new(RetryRules::polling(Duration::from_secs(30)));
    let failed = Policy::record_failure(&mut retry, FailureKind::Unexpected.into(), Instant::ZERO, 0);
    assert_eq!(failed, Decision::RetryAfter(s(300)));
    // The first good poll restores the interval, the second one in a row clears the state.
    Policy::record_success(&mut retry, Instant::from_secs(300));
    assert_eq!((Policy::next_delay(&retry), retry.regime()), (s(30), Regime::Extended));
    Policy::record_success(&mut retry, Instant::from_secs(330));
    assert_eq!((Policy::next_delay(&retry), retry.regime()), (s(30), Regime::Normal));
}
