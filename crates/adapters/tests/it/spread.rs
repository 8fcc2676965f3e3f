//! Jitter at the ceiling, where a long outage ends: base 1 s, factor 2, ceiling 30 s, the wait after the 25th failure.
//!
//! Bands are wide enough that chance does not leave them. Of n uniform samples the lowest is above a share p of the
//! range with probability (1 - p)^n: for 20,000 samples and p = 0.2 % that is e^-40. A count that is 5 % of them on
//! average, 1,000, strays by 31 (the root of 20,000 · 0.05 · 0.95); the band is eight times as wide to either side.

use std::collections::BTreeMap;
use std::time::Duration;

use retrylab_adapters::Subject;
use retrylab_core::Instant;

use crate::{fail_with, ms, s, setting};

const CEILING: Duration = Duration::from_secs(30);
const RETRY: usize = 25;

/// The distribution of many waits.
#[derive(Debug)]
struct Spread {
    min: Duration,
    max: Duration,
    /// The number of waits in the most common millisecond.
    commonest: u32,
    /// The number of waits under 5 % of the ceiling.
    under_5_percent: usize,
}

/// The wait after the 25th failure of this many clients, each built on its own.
fn spread(name: &str, samples: u32) -> Spread {
    let subject = Subject::from_name(name).expect("a subject");
    let waits: Vec<Duration> = (1..=u64::from(samples))
        .map(|sample| {
            let mut policy = subject.build(&setting(), sample).expect("every library can double");
            // Spread over all of `u64`, for the libraries that take the first draw as their seed.
            let draw = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(sample);
            let wait = (0..RETRY).filter_map(|_| fail_with(policy.as_mut(), Instant::ZERO, draw).delay()).last();
            wait.expect("no limit is reached")
        })
        .collect();
    let mut by_millisecond = BTreeMap::new();
    for wait in &waits {
        *by_millisecond.entry(wait.as_millis()).or_insert(0) += 1;
    }
    Spread {
        min: *waits.iter().min().expect("samples"),
        max: *waits.iter().max().expect("samples"),
        commonest: *by_millisecond.values().max().expect("samples"),
        under_5_percent: waits.iter().filter(|&&wait| wait < CEILING / 20).count(),
    }
}

/// Uniform over this range, with 20,000 samples.
fn assert_even(name: &str, from: Duration, to: Duration) {
    let spread = spread(name, 20_000);
    let edge = (to - from) / 500;
    assert!(spread.min >= from && spread.min < from + edge, "{name}: {spread:?}");
    // backoff adds a nanosecond to its range, which then includes the upper end.
    assert!(spread.max <= to + Duration::from_nanos(1) && spread.max > to - edge, "{name}: {spread:?}");
    // 0.67 samples per millisecond on average; 20 in one is practically impossible (0.67^20 / 20! is 10^-22).
    assert!(spread.commonest < 20, "{name}: {spread:?}");
    let under_5_percent = if from.is_zero() { 750..=1250 } else { 0..=0 };
    assert!(under_5_percent.contains(&spread.under_5_percent), "{name}: {spread:?}");
}

/// Every wait exactly the ceiling.
fn assert_lost(name: &str, samples: u32) {
    let spread = spread(name, samples);
    assert_eq!((spread.min, spread.max, spread.commonest), (CEILING, CEILING, samples), "{name}");
}

#[test]
fn backon_exceeds_the_ceiling_up_to_twice() {
    assert_even("backon", s(30), s(60));
}

#[test]
fn backoff_exceeds_the_ceiling_by_half() {
    assert_even("backoff", s(15), s(45));
}

#[test]
fn tokio_retry2_exceeds_the_ceiling_by_half() {
    assert_even("tokio-retry2", s(15), s(45));
}

#[test]
fn tokio_retry_keeps_the_ceiling_and_spreads_below_it() {
    assert_even("tokio-retry", s(0), s(30));
}

#[test]
fn retry_policies_keeps_the_ceiling_and_spreads_below_it() {
    assert_even("retry-policies", s(0), s(30));
}

#[test]
fn google_cloud_gax_keeps_the_ceiling_and_spreads_below_it() {
    assert_even("google-cloud-gax", s(0), s(30));
}

#[test]
fn exponential_backoff_loses_its_jitter_at_the_ceiling() {
    assert_lost("exponential-backoff", 20_000);
}

#[test]
fn tower_loses_its_jitter_at_the_ceiling() {
    assert_lost("tower", 2_000);
}

/// The two that lose their jitter have it on lower rungs, so a test of the first waits alone misses the loss.
#[test]
fn jitter_lost_at_the_ceiling_exists_on_the_second_rung() {
    for name in ["exponential-backoff", "tower"] {
        let subject = Subject::from_name(name).expect("a subject");
        let second = |seed: u64| {
            let mut policy = subject.build(&setting(), seed).expect("every library can double");
            let draw = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed);
            fail_with(policy.as_mut(), Instant::ZERO, draw);
            fail_with(policy.as_mut(), Instant::ZERO, draw).delay().expect("no limit is reached")
        };
        let waits: Vec<Duration> = (1..=100).map(second).collect();
        assert!(waits.iter().any(|&wait| wait != waits[0]), "{name}: {waits:?}");
        assert!(waits.iter().all(|&wait| wait >= ms(1000) && wait <= s(4)), "{name}: {waits:?}");
    }
}
