//! Contenders timed side by side, so that a ratio between two of them holds on a busy machine too.

#![expect(clippy::float_arithmetic, reason = "measured times are reported, not decided by")]

use std::time::Duration;

use criterion::measurement::{Measurement, WallTime};
use criterion::{Criterion, Throughput};

use crate::contender::Contender;

/// Lets criterion report each contender of a group. `elements` is what doing its thing once amounts to.
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

/// Times everyone in turn, `rounds` times over, for about `slice` each, and returns the median time that each needs to
/// do its thing once, in nanoseconds.
///
/// What disturbs a round disturbs neighbours alike, and the median leaves out what a round lost to other programs.
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

/// Whether the binary was started to time. `cargo test --all-targets` runs every bench once, without `--bench`.
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

/// By criterion's own clock, so that its estimates and a table agree on what time is.
fn time(contender: &mut Contender, times: u64) -> Duration {
    let start = WallTime.start();
    contender.run(times);
    WallTime.end(start)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
