//! Ladders without jitter: the libraries that double when configured to.

use std::time::Duration;

use retrylab_adapters::{LONGEST, Subject};
use retrylab_core::Exponential;

use crate::{doubling, ms, s, setting, waits};

fn ladder(name: &str, setting: Exponential, rungs: usize) -> Vec<Duration> {
    let subject = Subject::from_name(name).expect("a subject");
    let mut policy = subject.build(&setting.without_jitter(), 7).expect("it can express this");
    waits(policy.as_mut(), rungs, 0)
}

/// The rungs of retry-policies, whose waits lack the time between its reading of the time of day and the adapter's. Of
/// 20 calls, at least one is not delayed there by a fifth of a second.
fn assert_nearly(setting: Exponential, exact: &[Duration]) {
    let calls: Vec<_> = (0..20).map(|_| ladder("retry-policies", setting, exact.len())).collect();
    for (rung, &exact) in exact.iter().enumerate() {
        let longest = calls.iter().map(|call| call[rung]).max().expect("20 calls");
        assert!(longest <= exact && longest > exact - ms(200), "{longest:?} instead of {exact:?}");
    }
}

#[test]
fn half_a_second_doubled_is_half_one_two_four_in_the_libraries_that_double() {
    let setting = doubling(ms(500), LONGEST);
    for name in ["backoff", "backon", "exponential-backoff", "tokio-retry", "tokio-retry2", "tower"] {
        assert_eq!(ladder(name, setting, 4), [ms(500), s(1), s(2), s(4)], "{name}");
    }
    assert_nearly(setting, &[ms(500), s(1), s(2), s(4)]);
}

/// 500 ms, 500^2 ms and 500^3 ms.
#[test]
fn from_millis_with_half_a_second_goes_on_with_four_minutes_and_a_day_and_a_half() {
    let setting = doubling(ms(500), LONGEST);
    assert_eq!(ladder("tokio-retry-from-millis", setting, 3), [ms(500), s(250), s(125_000)]);
}

#[test]
fn every_library_stops_at_the_ceiling() {
    for name in ["backoff", "backon", "exponential-backoff", "tokio-retry", "tokio-retry2", "tower"] {
        assert_eq!(ladder(name, setting(), 8), [1, 2, 4, 8, 16, 30, 30, 30].map(s), "{name}");
    }
    assert_nearly(setting(), &[1, 2, 4, 8, 16, 30, 30, 30].map(s));
    assert_eq!(ladder("tokio-retry-from-millis", setting(), 2), [s(1), s(30)]);
}

/// A factor of 3, which tower does not support, and of 1.5, which only these support.
#[test]
fn other_factors_are_exact_where_supported() {
    let thrice = doubling(s(1), s(30)).growing_by(3, 1);
    for name in ["backoff", "backon", "exponential-backoff", "tokio-retry2"] {
        assert_eq!(ladder(name, thrice, 5), [1, 3, 9, 27, 30].map(s), "{name}");
    }
    // 3^n times a third of 3 s.
    let thrice_three = doubling(s(3), s(30)).growing_by(3, 1);
    assert_eq!(ladder("tokio-retry", thrice_three, 4), [3, 9, 27, 30].map(s));
    let half_more = doubling(s(2), s(5)).growing_by(3, 2);
    for name in ["backoff", "backon", "tokio-retry2"] {
        assert_eq!(ladder(name, half_more, 4), [s(2), s(3), ms(4500), s(5)], "{name}");
    }
}

/// A tenth has no exact `f32`: the nearest is 0.100000001490116, and its double, 0.200000002980232, is 200,000,003 ns.
#[test]
fn backon_waits_a_little_more_than_two_tenths_because_it_multiplies_in_single_precision() {
    let setting = doubling(ms(100), s(30));
    assert_eq!(ladder("backon", setting, 2), [ms(100), Duration::from_nanos(200_000_003)]);
    assert_eq!(ladder("backoff", setting, 2), [ms(100), ms(200)]);
}
