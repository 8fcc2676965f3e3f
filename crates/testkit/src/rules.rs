//! Strategies for the rules of a client.

use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::select;
use retrylab_core::{BuiltInReset, HealthyFor, Successes};
use retrylab_laws::model::Rules;
use retrylab_laws::vectors::Setup;

/// Rules of every sort: streaming and polling with usable and unusable values, and custom bounds in any order.
///
/// [`Setup::rules`] builds them, `Rules::from` gives the reference model of them.
pub fn rules() -> impl Strategy<Value = Setup> + Clone {
    prop_oneof![
        seconds().prop_map(|initial_reconnect_delay| Setup::Streaming { initial_reconnect_delay }),
        seconds().prop_map(|poll_interval| Setup::Polling { poll_interval }),
        (bounds(), bounds(), reset_rules(), durations()).prop_map(|(normal, extended, reset, cadence)| Setup::Custom {
            normal,
            extended,
            reset,
            cadence
        }),
    ]
}

/// Rules with each extended bound at or above its normal one.
pub fn upright_rules() -> impl Strategy<Value = Setup> + Clone {
    rules().prop_map(|setup| match setup {
        // Both ladders put the other way up, where one bound or both are the wrong way round.
        Setup::Custom { normal, extended, reset, cadence } if !Rules::from(setup).is_upright() => Setup::Custom {
            normal: (normal.0.min(extended.0), normal.1.min(extended.1)),
            extended: (normal.0.max(extended.0), normal.0.max(normal.1).max(extended.0).max(extended.1)),
            reset,
            cadence,
        },
        upright => upright,
    })
}

/// Seconds as people configure them: usual, unusual, and unusable.
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
