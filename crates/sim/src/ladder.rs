//! The ladder of a policy: its waits if every attempt fails, rung by rung, for one sequence of draws or for many.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, GiveUp, Instant, Policy, Rung, nanos};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::fields::ns;

mod dispersion;
mod fit;

pub use dispersion::{Dispersion, dispersion};
pub use fit::{Fit, FitEnd, MOST, fit};

/// The waits of a policy after a series of failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Climb {
    /// One row per failure, in order.
    pub rows: Vec<Row>,
    /// The reason for fewer rows than requested, if the policy gave up.
    pub gave_up: Option<GiveUp>,
}

impl Climb {
    /// All waits together, saturating.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.rows.last().map(|row| row.total).unwrap_or_default()
    }
}

/// One failure and the wait that followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the failure, from 1.
    pub number: u32,
    /// The policy's place on its ladder, if it reports one.
    pub rung: Option<Rung>,
    /// The shortest wait after the same history, with the largest draw.
    pub shortest: Duration,
    /// The longest wait after the same history: with draw 0, or the longest for which the policy does not give up.
    pub longest: Duration,
    /// The wait.
    pub wait: Duration,
    /// This wait and all before it, saturating.
    pub total: Duration,
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Row", 7)?;
        row.serialize_field("rung", &self.number)?;
        row.serialize_field("base_ns", &self.rung.map(|rung| nanos(rung.base)))?;
        row.serialize_field("lowest_ns", &nanos(self.shortest))?;
        row.serialize_field("highest_ns", &nanos(self.longest))?;
        row.serialize_field("jitter_ns", &self.rung.map(|rung| nanos(rung.jitter)))?;
        row.serialize_field("wait_ns", &nanos(self.wait))?;
        row.serialize_field("total_ns", &nanos(self.total))?;
        row.end()
    }
}

/// Climbs a ladder: `rungs` failures of one kind, the first at the clock's origin, each at the end of the wait before
/// it. `policy` is the starting point, so it may have a history.
///
/// A policy that gives up ends the ladder early, and so does the end of the draws. Where it would give up instead of
/// the shortest or the longest wait, that end of the band is the last wait on the way there that it still makes.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{FailureKind, Retry, RetryRules};
/// use retrylab_sim::ladder;
///
/// let streaming = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
/// let climbed = ladder::climb(&streaming, FailureKind::Normal, 6, std::iter::repeat(0));
/// let waits: Vec<u64> = climbed.rows.iter().map(|row| row.wait.as_secs()).collect();
/// assert_eq!(waits, [1, 2, 4, 8, 16, 30]);
/// assert_eq!(climbed.rows[5].total, Duration::from_secs(61));
/// ```
pub fn climb<P: Policy + Clone>(
    policy: &P,
    kind: FailureKind,
    rungs: u32,
    draws: impl IntoIterator<Item = u64>,
) -> Climb {
    let mut policy = policy.clone();
    let mut rows = Vec::new();
    let mut now = Instant::ZERO;
    let mut total = Duration::ZERO;
    for (number, draw) in (1..=rungs).zip(draws) {
        let before = policy.clone();
        let wait = match policy.record_failure(Failure::from(kind), now, draw) {
            Decision::RetryAfter(wait) => wait,
            Decision::GiveUp(why) => return Climb { rows, gave_up: Some(why) },
        };
        let with = |draw| before.clone().record_failure(Failure::from(kind), now, draw).delay();
        let [shortest, longest] = [u64::MAX, 0].map(|end| with(last_waited(draw, end, with)).unwrap_or(wait));
        total = total.saturating_add(wait);
        rows.push(Row { number, rung: policy.explain(draw), shortest, longest, wait, total });
        now = now + wait;
    }
    Climb { rows, gave_up: None }
}

/// The draw nearest to `end` with which the policy still waits, starting from `draw`, with which it does: beyond some
/// draw the wait exceeds a limit.
fn last_waited(draw: u64, end: u64, with: impl Fn(u64) -> Option<Duration>) -> u64 {
    if with(end).is_some() {
        return end;
    }
    let (mut waits, mut gives_up) = (draw, end);
    while waits.abs_diff(gives_up) > 1 {
        let middle = waits.midpoint(gives_up);
        *(if with(middle).is_some() { &mut waits } else { &mut gives_up }) = middle;
    }
    waits
}

/// A policy that receives draw 0 in place of every draw: its longest waits, without jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unjittered<P>(pub P);

impl<P: Policy> Policy for Unjittered<P> {
    fn record_failure(&mut self, failure: Failure, now: Instant, _: u64) -> Decision {
        self.0.record_failure(failure, now, 0)
    }

    fn record_success(&mut self, now: Instant) {
        self.0.record_success(now);
    }

    fn record_connected(&mut self, now: Instant) {
        self.0.record_connected(now);
    }

    fn record_cancelled_retry(&mut self, failure: Failure) {
        self.0.record_cancelled_retry(failure);
    }

    fn record_abandoned(&mut self) {
        self.0.record_abandoned();
    }

    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }

    fn explain(&self, _: u64) -> Option<Rung> {
        self.0.explain(0)
    }
}

/// The spread of one rung over many sequences of draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The number of the failure, from 1.
    #[serde(rename = "rung")]
    pub number: u32,
    /// The number of runs that reached it.
    pub runs: usize,
    /// Percentiles of the wait.
    pub wait: Percentiles,
    /// Percentiles of the sum of this wait and all before it.
    pub total: Percentiles,
}

/// Four percentiles by nearest rank: the p-th of n sorted values is number ceil(n·p/100), from 1, so each is a value
/// that occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Percentiles {
    /// A tenth of the values are at or below it.
    #[serde(rename = "p10_ns", serialize_with = "ns")]
    pub p10: Duration,
    /// The median.
    #[serde(rename = "p50_ns", serialize_with = "ns")]
    pub p50: Duration,
    /// Nine tenths of the values are at or below it.
    #[serde(rename = "p90_ns", serialize_with = "ns")]
    pub p90: Duration,
    /// All but a hundredth of the values are at or below it.
    #[serde(rename = "p99_ns", serialize_with = "ns")]
    pub p99: Duration,
}

/// The spread of every rung over many climbs, up to the longest of them.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{FailureKind, Retry, RetryRules};
/// use retrylab_sim::ladder;
///
/// let streaming = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
/// // A hundred runs whose only draw is 0/100, 1/100, … 99/100 of the whole range.
/// let runs = (0..100).map(|k| ladder::climb(&streaming, FailureKind::Normal, 1, [u64::MAX / 100 * k]));
/// let spread = ladder::spread(runs);
/// assert_eq!(spread[0].wait.p99.as_millis(), 995); // 1 s less half of 1/100
/// ```
pub fn spread(climbs: impl IntoIterator<Item = Climb>) -> Vec<Spread> {
    let mut columns: Vec<(Vec<Duration>, Vec<Duration>)> = Vec::new();
    for climb in climbs {
        columns.resize_with(columns.len().max(climb.rows.len()), Default::default);
        for ((waits, totals), row) in columns.iter_mut().zip(&climb.rows) {
            waits.push(row.wait);
            totals.push(row.total);
        }
    }
    (1..)
        .zip(columns)
        .filter_map(|(number, (waits, totals))| {
            let runs = waits.len();
            Some(Spread { number, runs, wait: Percentiles::of(waits)?, total: Percentiles::of(totals)? })
        })
        .collect()
}

impl Percentiles {
    /// Of these values in any order; `None` if there are none.
    #[must_use]
    pub fn of(mut values: Vec<Duration>) -> Option<Self> {
        values.sort_unstable();
        let rank = |percent: usize| values.get((values.len() * percent).div_ceil(100).checked_sub(1)?).copied();
        Some(Self { p10: rank(10)?, p50: rank(50)?, p90: rank(90)?, p99: rank(99)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::iter::repeat;
    use retrylab_core::{Backoff, Call, CallRules, Jitter, Ladder, Regime, Retry, RetryRules};

    const HALF: u64 = 1 << 63;

    fn secs(values: &[u64]) -> Vec<Duration> {
        values.iter().copied().map(Duration::from_secs).collect()
    }

    fn waits(ladder: &Climb) -> Vec<Duration> {
        ladder.rows.iter().map(|row| row.wait).collect()
    }

    #[test]
    fn an_unexpected_climb_takes_the_extended_ladder() {
        let streaming = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
        let ladder = climb(&streaming, FailureKind::Unexpected, 6, repeat(0));
        assert_eq!(waits(&ladder), secs(&[300, 600, 1200, 2400, 3600, 3600]));
        assert_eq!(ladder.rows[5].rung.map(|rung| (rung.regime, rung.number)), Some((Regime::Extended, 6)));
    }

    #[test]
    fn the_band_is_half_of_the_base_to_the_base_and_the_wait_lies_in_it() {
        let streaming = Retry::new(RetryRules::streaming(Duration::from_secs(8)));
        let ladder = climb(&streaming, FailureKind::Normal, 2, repeat(HALF));
        // 8 s and 16 s. The largest draw is one 2^64th short of the whole half, so it leaves one nanosecond more.
        let found: Vec<_> = ladder.rows.iter().map(|row| (row.shortest.as_nanos(), row.wait, row.longest)).collect();
        assert_eq!(
            found,
            [
                (4_000_000_001, Duration::from_secs(6), Duration::from_secs(8)),
                (8_000_000_001, Duration::from_secs(12), Duration::from_secs(16)),
            ]
        );
    }

    #[test]
    fn the_cadence_is_the_lower_end_of_the_band() {
        let polling = Retry::new(RetryRules::polling(Duration::from_secs(200)));
        let row = climb(&polling, FailureKind::Unexpected, 1, repeat(0)).rows[0];
        assert_eq!((row.shortest, row.longest), (Duration::from_secs(200), Duration::from_secs(300)));
    }

    #[test]
    fn the_band_ends_where_the_policy_gives_up_for_any_draw() {
        let rules = CallRules::builder().elapsed(Duration::from_secs(5));
        let thirty = Ladder::constant(Duration::from_secs(30));
        let call = Call::new(rules.backoff(Backoff::new(thirty, Jitter::Full)).build().unwrap());
        // 30 s less 29/30 or 28/30 of it: 1 s, and 2 s. Up to 5 s may be waited, and after a second up to 4 s.
        let part = |thirtieths| u64::MAX / 30 * thirtieths;
        for draw in [part(29), part(28)] {
            let row = climb(&call, FailureKind::Normal, 1, [draw]).rows[0];
            assert_eq!((row.shortest.as_nanos(), row.longest), (1, Duration::from_secs(5)));
        }
        let rows = climb(&call, FailureKind::Normal, 2, [part(29), part(29)]).rows;
        assert_eq!(rows[0].wait.as_millis(), 1000);
        assert_eq!(rows[0].wait + rows[1].longest, Duration::from_secs(5));
    }

    #[test]
    fn without_jitter_the_band_is_the_base_for_any_draw() {
        let streaming = Unjittered(Retry::new(RetryRules::streaming(Duration::from_secs(8))));
        let row = climb(&streaming, FailureKind::Normal, 1, repeat(HALF)).rows[0];
        let base = Duration::from_secs(8);
        assert_eq!((row.shortest, row.wait, row.longest), (base, base, base));
        assert_eq!(row.rung.map(|rung| rung.jitter), Some(Duration::ZERO));
    }

    #[test]
    fn without_jitter_a_policy_still_receives_all_other_inputs() {
        /// Waits 1 s for a connection, 10 s for a success, 100 s for a failure, and so on, all together.
        struct Listener(u64);
        impl Policy for Listener {
            fn record_failure(&mut self, _: Failure, _: Instant, draw: u64) -> Decision {
                self.0 += 100 + draw;
                Decision::RetryAfter(self.next_delay())
            }
            fn record_success(&mut self, _: Instant) {
                self.0 += 10;
            }
            fn record_connected(&mut self, _: Instant) {
                self.0 += 1;
            }
            fn record_cancelled_retry(&mut self, _: Failure) {
                self.0 += 1000;
            }
            fn record_abandoned(&mut self) {
                self.0 += 10_000;
            }
            fn next_delay(&self) -> Duration {
                Duration::from_secs(self.0)
            }
        }
        let mut policy = Unjittered(Listener(0));
        policy.record_connected(Instant::ZERO);
        policy.record_success(Instant::ZERO);
        policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, HALF);
        policy.record_cancelled_retry(FailureKind::Normal.into());
        policy.record_abandoned();
        assert_eq!(policy.next_delay(), Duration::from_secs(11_111));
    }

    #[test]
    fn totals_add_up_the_waits() {
        let polling = Retry::new(RetryRules::polling(Duration::from_secs(30)));
        let ladder = climb(&polling, FailureKind::Normal, 3, repeat(HALF));
        assert_eq!(ladder.rows.iter().map(|row| row.total).collect::<Vec<_>>(), secs(&[30, 60, 90]));
    }

    #[test]
    fn a_policy_that_gives_up_ends_the_ladder_with_its_reason() {
        #[derive(Clone)]
        struct Twice(u32);
        impl Policy for Twice {
            fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
                self.0 += 1;
                if self.0 > 2 {
                    return Decision::GiveUp(GiveUp::Attempts);
                }
                Decision::RetryAfter(Duration::from_secs(5))
            }
            fn record_success(&mut self, _: Instant) {}
            fn next_delay(&self) -> Duration {
                Duration::ZERO
            }
        }
        let ladder = climb(&Twice(0), FailureKind::Normal, 10, repeat(0));
        assert_eq!(waits(&ladder), secs(&[5, 5]));
        assert_eq!(ladder.gave_up, Some(GiveUp::Attempts));
        assert_eq!(ladder.rows[0].rung, None);
    }

    #[test]
    fn each_failure_comes_one_wait_after_the_one_before() {
        #[derive(Clone)]
        struct Clock;
        impl Policy for Clock {
            fn record_failure(&mut self, _: Failure, now: Instant, draw: u64) -> Decision {
                Decision::RetryAfter(now.since_origin() + Duration::from_nanos(draw))
            }
            fn record_success(&mut self, _: Instant) {}
            fn next_delay(&self) -> Duration {
                Duration::ZERO
            }
        }
        // Waits: 0 + 1, then at 1 ns 1 + 2, then at 4 ns 4 + 3.
        let ladder = climb(&Clock, FailureKind::Normal, 10, [1, 2, 3]);
        assert_eq!(ladder.rows.iter().map(|row| row.wait.as_nanos()).collect::<Vec<_>>(), [1, 3, 7]);
        assert_eq!(ladder.gave_up, None);
    }

    #[test]
    fn percentiles_are_values_that_occurred_by_nearest_rank() {
        let of =
            |values: &[u64]| Percentiles::of(secs(values)).map(|p| [p.p10, p.p50, p.p90, p.p99].map(|d| d.as_secs()));
        let to_ten: Vec<u64> = (1..=10).rev().collect();
        assert_eq!(of(&to_ten), Some([1, 5, 9, 10]));
        // ceil(11 / 10) = 2, ceil(11 / 2) = 6, ceil(9.9) = 10, ceil(10.89) = 11.
        let to_eleven: Vec<u64> = (1..=11).collect();
        assert_eq!(of(&to_eleven), Some([2, 6, 10, 11]));
        assert_eq!(of(&[7]), Some([7, 7, 7, 7]));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_spread_reaches_as_far_as_the_longest_ladder() {
        let polling = Retry::new(RetryRules::polling(Duration::from_secs(30)));
        let found = spread([1, 3, 2].map(|rungs| climb(&polling, FailureKind::Normal, rungs, repeat(0))));
        let found: Vec<_> = found.iter().map(|s| (s.number, s.runs, s.total.p99.as_secs())).collect();
        assert_eq!(found, [(1, 3, 30), (2, 2, 60), (3, 1, 90)]);
    }
}
