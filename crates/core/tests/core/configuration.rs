//! The two constructors that take seconds, and the builder.

use std::time::Duration;

use retrylab_core::{
    Bounds, BuiltInReset, ConfigOption, ConfigWarning, HealthyFor, Regime, ResetRule, RetryRules, Successes,
};

use crate::client::{Client, ms, ns, s};

const UNUSABLE: [f64; 8] = [0.0, -0.0, -1.0, -5e-324, f64::NEG_INFINITY, f64::INFINITY, f64::NAN, -f64::MAX];

#[test]
fn an_unusable_reconnect_delay_becomes_a_second_with_one_warning() {
    let (usable, none) = RetryRules::streaming_from_secs_f64(1.0);
    assert_eq!(none, None);
    for given in UNUSABLE {
        let (rules, warning) = RetryRules::streaming_from_secs_f64(given);
        assert_eq!(rules, usable, "{given}");
        let warning = warning.unwrap();
        assert_eq!((warning.option, warning.default), (ConfigOption::InitialReconnectDelay, s(1)), "{given}");
        assert_eq!(warning.given.to_bits(), given.to_bits());
    }
}

#[test]
fn an_unusable_poll_interval_becomes_half_a_minute_with_one_warning() {
    let (usable, none) = RetryRules::polling_from_secs_f64(30.0);
    assert_eq!(none, None);
    for given in UNUSABLE {
        let (rules, warning) = RetryRules::polling_from_secs_f64(given);
        assert_eq!(rules, usable, "{given}");
        let warning = warning.unwrap();
        assert_eq!((warning.option, warning.default), (ConfigOption::PollInterval, s(30)), "{given}");
    }
}

#[test]
fn a_delay_gives_the_rules_that_its_seconds_give() {
    for seconds in [1_u32, 30, 45, 600, 7200] {
        let span = s(u64::from(seconds));
        assert_eq!((RetryRules::streaming(span), None), RetryRules::streaming_from_secs_f64(seconds.into()));
        assert_eq!((RetryRules::polling(span), None), RetryRules::polling_from_secs_f64(seconds.into()));
    }
    assert_eq!(RetryRules::streaming(ns(1)).bounds(Regime::Normal).initial, ns(1));
}

#[test]
fn no_delay_at_all_counts_as_the_default() {
    assert_eq!(RetryRules::streaming(s(0)), RetryRules::streaming(s(1)));
    assert_eq!(RetryRules::polling(s(0)), RetryRules::polling(s(30)));
}

#[test]
fn a_warning_names_option_value_range_and_default() {
    let text = |warning: Option<ConfigWarning>| warning.unwrap().to_string();
    let stream = |given| text(RetryRules::streaming_from_secs_f64(given).1);
    let poll = |given| text(RetryRules::polling_from_secs_f64(given).1);
    let expected = [
        (
            stream(0.0),
            "initial_reconnect_delay must be a positive finite number of seconds, not 0; using the default of 1s",
        ),
        (
            stream(-0.0),
            "initial_reconnect_delay must be a positive finite number of seconds, not -0; using the default of 1s",
        ),
        (
            stream(-2.5),
            "initial_reconnect_delay must be a positive finite number of seconds, not -2.5; using the default of 1s",
        ),
        (
            stream(f64::NAN),
            "initial_reconnect_delay must be a positive finite number of seconds, not NaN; using the default of 1s",
        ),
        (
            poll(f64::INFINITY),
            "poll_interval must be a positive finite number of seconds, not inf; using the default of 30s",
        ),
        (
            poll(f64::NEG_INFINITY),
            "poll_interval must be a positive finite number of seconds, not -inf; using the default of 30s",
        ),
    ];
    for (got, expected) in expected {
        assert_eq!(got, expected);
    }
}

#[test]
fn every_positive_finite_number_is_kept() {
    let initial = |seconds| {
        let (rules, warning) = RetryRules::streaming_from_secs_f64(seconds);
        assert_eq!(warning, None, "{seconds}");
        rules.bounds(Regime::Normal).initial
    };
    assert_eq!(initial(0.001), ms(1));
    assert_eq!(initial(0.5), ms(500));
    assert_eq!(initial(1.5), ms(1500));
    assert_eq!(initial(45.0), s(45));
    assert_eq!(initial(59.999_999_999), ns(59_999_999_999));
    assert_eq!(initial(1e10), s(10_000_000_000));
    assert_eq!(initial(1e300), ns(u64::MAX));
    // The nearest nanosecond: half of one, and the last float below.
    assert_eq!(initial(2.5e-9), ns(3));
    assert_eq!(initial(2.499_999e-9), ns(2));
}

#[test]
fn streaming_rules_are_these() {
    let rules = RetryRules::streaming(s(2));
    assert_eq!(rules.bounds(Regime::Normal), Bounds { initial: s(2), ceiling: s(30) });
    assert_eq!(rules.bounds(Regime::Extended), Bounds { initial: s(300), ceiling: s(3600) });
    assert_eq!(rules.cadence(), s(0));
    assert_eq!(rules.reset_rule().window(), s(60));
}

#[test]
fn polling_rules_are_these() {
    let rules = RetryRules::polling(s(40));
    assert_eq!(rules.bounds(Regime::Normal), Bounds { initial: s(40), ceiling: s(40) });
    assert_eq!(rules.bounds(Regime::Extended), Bounds { initial: s(300), ceiling: s(3600) });
    assert_eq!(rules.cadence(), s(40));
    assert_eq!(rules.reset_rule().count(), 2);

    let long = RetryRules::polling(s(4000));
    assert_eq!(long.bounds(Regime::Extended), Bounds { initial: s(4000), ceiling: s(4000) });
}

#[test]
fn the_builder_starts_from_the_shipped_bounds() {
    let rules = RetryRules::builder(Successes::new(1)).build();
    assert_eq!(rules.bounds(Regime::Normal), Bounds { initial: s(1), ceiling: s(30) });
    assert_eq!(rules.bounds(Regime::Extended), Bounds { initial: s(300), ceiling: s(3600) });
    assert_eq!(rules.cadence(), s(0));
}

#[test]
fn the_builder_takes_everything_as_given_but_raises_a_low_ceiling() {
    let rules = RetryRules::builder(HealthyFor::new(ms(1)))
        .normal(s(600), s(30))
        .extended(s(300), s(3600))
        .cadence(s(9))
        .build();
    assert_eq!(rules.bounds(Regime::Normal), Bounds { initial: s(600), ceiling: s(600) });
    assert_eq!(rules.bounds(Regime::Extended), Bounds { initial: s(300), ceiling: s(3600) }, "below the normal one");
    assert_eq!(rules.cadence(), s(9));
    assert_eq!(rules.reset_rule().window(), ms(1));

    let longest = RetryRules::builder(HealthyFor::new(Duration::MAX)).normal(Duration::MAX, s(0)).build();
    assert_eq!(longest.bounds(Regime::Normal), Bounds { initial: ns(u64::MAX), ceiling: ns(u64::MAX) });
    assert_eq!(longest.reset_rule().window(), ns(u64::MAX));
}

#[test]
fn rules_with_a_reset_rule_chosen_at_run_time_behave_the_same() {
    fn waits<R: ResetRule>(rules: RetryRules<R>) -> Vec<Duration> {
        let mut client = Client::new(rules);
        let mut waits = vec![client.unexpected(s(0)), client.normal(s(1))];
        waits.extend([client.succeeds(s(0)), client.normal(s(59))]);
        waits.extend([client.succeeds(s(60)), client.succeeds(s(61)), client.normal(s(120))]);
        waits
    }

    let stream = RetryRules::streaming(s(1));
    let stream_waits = [300, 600, 0, 1200, 0, 0, 1].map(s);
    assert_eq!(waits(stream), stream_waits);
    assert_eq!(waits(RetryRules::<BuiltInReset>::from(stream)), stream_waits);

    let poll = RetryRules::polling(s(30));
    let poll_waits = [300, 600, 30, 1200, 30, 30, 30].map(s);
    assert_eq!(waits(poll), poll_waits);
    assert_eq!(waits(RetryRules::<BuiltInReset>::from(poll)), poll_waits);
}

#[test]
fn health_at_clock_zero_counts_for_a_reset_rule_chosen_at_run_time() {
    let rules = RetryRules::<BuiltInReset>::from(RetryRules::streaming(s(1)));
    let mut client = Client::new(rules);
    client.unexpected(s(0));
    client.succeeds(s(0));
    client.succeeds(s(30));
    assert_eq!(client.normal(s(60)), s(1));
}
