//! The spread that a rung gives to clients that failed together.

use core::time::Duration;
use std::collections::BTreeMap;

use retrylab_core::nanos;

use super::Climb;

/// The dispersion of the waits on one rung, over many runs of draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispersion {
    /// The number of the failure, from 1.
    pub number: u32,
    /// The number of runs that reached it.
    pub runs: usize,
    /// The number of those that wait within one millisecond, the most common one. Without jitter that is all of them.
    pub together: usize,
    /// The number of different waits, to the nanosecond.
    pub distinct: usize,
}

/// The dispersion of every rung over many climbs, as far as the longest of them reaches.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{FailureKind, Retry, RetryRules};
/// use retrylab_sim::ladder::{climb, dispersion};
///
/// // A poller's cadence hides its jitter: a hundred clients come back as one.
/// let polling = Retry::new(RetryRules::polling(Duration::from_secs(30)));
/// let climbs: Vec<_> = (0..100).map(|k| climb(&polling, FailureKind::Normal, 1, [u64::MAX / 100 * k])).collect();
/// assert_eq!((dispersion(&climbs)[0].together, dispersion(&climbs)[0].distinct), (100, 1));
/// ```
pub fn dispersion<'a>(climbs: impl IntoIterator<Item = &'a Climb>) -> Vec<Dispersion> {
    let mut columns: Vec<Vec<Duration>> = Vec::new();
    for climb in climbs {
        columns.resize_with(columns.len().max(climb.rows.len()), Default::default);
        for (waits, row) in columns.iter_mut().zip(&climb.rows) {
            waits.push(row.wait);
        }
    }
    (1..).zip(columns).map(|(number, waits)| of(number, waits)).collect()
}

fn of(number: u32, mut waits: Vec<Duration>) -> Dispersion {
    let runs = waits.len();
    let mut milliseconds: BTreeMap<u64, usize> = BTreeMap::new();
    for wait in &waits {
        *milliseconds.entry(nanos(*wait) / 1_000_000).or_default() += 1;
    }
    let together = milliseconds.into_values().max().unwrap_or(0);
    waits.sort_unstable();
    waits.dedup();
    Dispersion { number, runs, together, distinct: waits.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_together_in_one_millisecond_and_distinct_to_the_nanosecond() {
        let micros = [1_000, 1_999, 1_999, 2_000, 7_500].map(Duration::from_micros);
        // The millisecond from 1 to 2 ms has three of the five, two of which are the same.
        assert_eq!(of(3, micros.to_vec()), Dispersion { number: 3, runs: 5, together: 3, distinct: 4 });
    }
}
