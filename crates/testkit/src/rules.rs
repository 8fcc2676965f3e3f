//! Strategies for the rules of a client.

use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::select;
use retrylab_core::{BuiltInReset, HealthyFor, Successes};
use retrylab_laws::model::Rules;
use retrylab_spec::wire::shape_of;
use retrylab_spec::{PolicySpec, TwoRegimes};

/// Rules of every sort: streaming and polling with usable and unusable values, and custom bounds in any order.
///
/// [`PolicySpec::rules`] builds them, `Rules::of` gives the reference model of them.
pub fn rules() -> impl Strategy<Value = PolicySpec> + Clone {
    prop_oneof![
        seconds().prop_map(PolicySpec::streaming_from_secs_f64),
        seconds().prop_map(PolicySpec::polling_from_secs_f64),
        (bounds(), bounds(), reset_rules(), durations()).prop_map(|(normal, extended, reset, cadence)| {
            TwoRegimes { shape: shape_of(cadence), normal, extended, reset: reset.into(), cadence }.into()
        }),
    ]
}

/// Rules with each extended bound at or above its normal one.
pub fn upright_rules() -> impl Strategy<Value = PolicySpec> + Clone {
    rules().prop_map(|spec| match spec {
        // Both ladders put the other way up, where one bound or both are the wrong way round.
        PolicySpec::TwoRegimes(regimes) if !Rules::of(&spec).is_some_and(|rules| rules.is_upright()) => {
            let TwoRegimes { normal, extended, .. } = regimes;
            let normal_ladder = (normal.0.min(extended.0), normal.1.min(extended.1));
            let extended_ladder = (normal.0.max(extended.0), normal.0.max(normal.1).max(extended.0).max(extended.1));
            TwoRegimes { normal: normal_ladder, extended: extended_ladder, ..regimes }.into()
        }
        upright => upright,
    })
}

/// Seconds as configured: usual, unusual, and unusable.
pub fn seconds() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        4 => select(vec![1.0, 0.5, 8.0, 30.0, 45.0, 200.0, 300.0, 600.0, 3000.0, 3600.0, 7200.0]),
        2 => 0.001..100_000.0,
        1 => select(vec![0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
        1 => select(vec![5e-324, 1e-10, 1e-9, 0.001, 1e6, 1e10, 1e300, f64::MAX]),
    ]
}

/// First wait and ceiling, in any order.
fn bounds() -> impl Strategy<Value = (Duration, Duration)> + Clone {
    (durations(), durations())
}

/// Durations from none to the longest.
pub fn durations() -> impl Strategy<Value = Duration> + Clone {
    prop_oneof![
        4 => (0_u64..10_000).prop_map(Duration::from_secs),
        2 => (0_u64..100_000).prop_map(Duration::from_millis),
        1 => any::<u64>().prop_map(Duration::from_nanos),
        1 => select(vec![
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_nanos(1 << 63),
            Duration::from_nanos(u64::MAX),
            Duration::MAX,
        ]),
    ]
}

/// Either built-in reset rule: a window from none to the longest, or up to four successes.
pub fn reset_rules() -> impl Strategy<Value = BuiltInReset> + Clone {
    prop_oneof![
        durations().prop_map(|window| HealthyFor::new(window).into()),
        (0_u32..5).prop_map(|count| Successes::new(count).into()),
    ]
}
