//! Contenders timed round by round, so that a ratio of two holds on a busy machine too.

#![expect(clippy::float_arithmetic, reason = "reports measured times; nothing depends on them")]

use std::time::Duration;

use criterion::measurement::{Measurement, WallTime};
use criterion::{Criterion, Throughput};

use crate::contender::Contender;

/// Reports each contender of a group with criterion. `elements` is the number of elements per repeat.
pub(crate) fn report<'a>(
    criterion: &mut Criterion,
    group: &str,
    elements: u64,
    contenders: impl IntoIterator<Item = &'a mut Contender>,
) {
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(elements));
    for contender in contenders {
        group.bench_function(contender.name.clone(), |bencher| bencher.iter_custom(|times| time(contender, times)));
    }
    group.finish();
}

/// Times each contender in turn, for `rounds` rounds of about `slice` each, and returns the median time of one repeat
/// of each, in nanoseconds.
///
/// A disturbance affects neighbours in a round alike, and the median leaves out disturbed rounds.
pub(crate) fn medians_ns(contenders: &mut [&mut Contender], rounds: usize, slice: Duration) -> Vec<f64> {
    let repeats: Vec<u64> = contenders.iter_mut().map(|contender| repeats_in(contender, slice)).collect();
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for ((contender, &repeats), times) in contenders.iter_mut().zip(&repeats).zip(&mut times) {
            times.push(time(contender, repeats).as_secs_f64() * 1e9 / repeats as f64);
        }
    }
    times.into_iter().map(median).collect()
}

/// Whether the binary was started to measure. `cargo test --all-targets` runs every bench once, without `--bench`.
pub(crate) fn is_timed() -> bool {
    let given = |name| std::env::args().any(|argument| argument == name);
    given("--bench") && !given("--test") && !given("--list")
}

/// Doubles the repeats until they fill the slice.
fn repeats_in(contender: &mut Contender, slice: Duration) -> u64 {
    let mut repeats = 1;
    while time(contender, repeats) < slice {
        repeats *= 2;
    }
    repeats
}

/// By criterion's own clock, so that its estimates and a table use the same time.
fn time(contender: &mut Contender, times: u64) -> Duration {
    let start = WallTime.start();
    contender.run(times);
    WallTime.end(start)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
