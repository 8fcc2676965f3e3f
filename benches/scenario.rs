//! Scenarios a second: twenty outages of ten failures each, a healthy minute apart, from end to end, beside the same
//! outages slept through by backon on tokio's paused clock.

#![expect(clippy::float_arithmetic, reason = "measured times are reported, not decided by")]

mod compare;
mod contender;

use std::hint::black_box;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use criterion::Criterion;
use retrylab_core::{FailureKind, Instant, RetryRules};
use retrylab_scenario::{File, Timeline, parse};
use retrylab_sim::{Entropy, examine, play};
use tokio::runtime::Builder;

use compare::{is_timed, medians_ns, report};
use contender::Contender;

const OUTAGES: u32 = 20;
const FAILURES: u32 = 10;
const HEALTHY: Duration = Duration::from_secs(60);
const SEED: u64 = 7;

/// The tenth failure of an outage is the end of the stream that the one before had led to.
const TIMELINE: &str = r#"
why = "Twenty outages of ten failures each, a healthy minute apart."
client.kind = "streaming"

[[timeline]]
repeat = 20
play = [{ up = "1m", end = "close" }, { repeat = 9, play = [{ status = 503 }] }]
"#;

const ROUNDS: usize = 101;

fn main() {
    let mut all = [rules_alone(), played(), examined(), backon_on_tokio()];
    let mut criterion = Criterion::default().configure_from_args();
    report(&mut criterion, "scenario", 1, &mut all);
    criterion.final_summary();
    if is_timed() {
        print_table(all);
    }
}

/// The rules and the draws with the times worked out in passing: no file, no queue, no records.
fn rules_alone() -> Contender {
    let rules = black_box(RetryRules::streaming(1.0).0);
    Contender::new("rules and draws alone", move |times| {
        for _ in 0..times {
            let mut draws = Entropy::new(SEED).client(0);
            let mut state = rules.start();
            let mut now = Instant::ZERO;
            for _ in 0..OUTAGES {
                rules.record_success(&mut state, now);
                now = now + HEALTHY;
                for _ in 0..FAILURES {
                    rules.record_failure(&mut state, FailureKind::Normal, now, draws.next_draw());
                    now = now + state.next_delay();
                }
            }
            black_box(now);
        }
    })
}

/// The player, with every record read.
fn played() -> Contender {
    let timeline = timeline();
    Contender::new("played", move |times| {
        for _ in 0..times {
            let player = play(&timeline, SEED).expect("streaming is built in");
            player.for_each(|record| {
                black_box(record);
            });
        }
    })
}

/// What `run` does with a file: played twice and compared, held against its expectations, measured.
fn examined() -> Contender {
    let timeline = timeline();
    Contender::new("examined", move |times| {
        for _ in 0..times {
            black_box(examine(&timeline, SEED, |_| {}).expect("streaming is built in"));
        }
    })
}

#[expect(clippy::disallowed_methods, reason = "the clock is paused: nothing waits")]
fn backon_on_tokio() -> Contender {
    // One runtime for all scenarios, so that none pays for it.
    let mut runtime = Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime without I/O needs no resources");
    let retries = ExponentialBuilder::new()
        .with_min_delay(Duration::from_secs(1))
        .with_max_delay(Duration::from_secs(30))
        .with_max_times(FAILURES as usize)
        .with_jitter();
    Contender::new("backon on tokio's clock", move |times| {
        for _ in 0..times {
            runtime.block_on(async {
                for _ in 0..OUTAGES {
                    tokio::time::sleep(HEALTHY).await;
                    let mut failures = 0..FAILURES;
                    let attempt = || std::future::ready(failures.next().map_or(Ok(()), Err));
                    attempt.retry(retries).await.expect("the attempt after the last failure succeeds");
                }
            });
        }
    })
}

fn timeline() -> Timeline {
    match parse("benches/scenario.rs", TIMELINE).expect("the timeline above is well formed").file {
        File::Played(timeline) => timeline,
        _ => unreachable!("the timeline above is of a built-in client"),
    }
}

fn print_table(mut all: [Contender; 4]) {
    let mut all: Vec<&mut Contender> = all.iter_mut().collect();
    let times = medians_ns(&mut all, ROUNDS, Duration::from_millis(1));
    let slowest = times.last().copied().unwrap_or(f64::NAN);
    println!(
        "\nScenarios of {OUTAGES} outages of {FAILURES} failures: the median of {ROUNDS} rounds in which everyone has a turn.\n"
    );
    println!("{:<26}{:>16}{:>20}{:>16}", "", "scenarios a s", "ns a failure", "times tokio");
    for (contender, time) in all.iter().zip(times) {
        let failures = f64::from(OUTAGES * FAILURES);
        println!("{:<26}{:>16.0}{:>20.1}{:>16.1}", contender.name, 1e9 / time, time / failures, slowest / time);
    }
}
