//! Time per failure of a scenario: twenty outages of ten failures each, a healthy minute apart. The player, and all that
//! `run` does with a file, stand beside the rules alone and beside backon, which sleeps through the same outages on
//! tokio's paused clock. The goal is [`PLAYED_NS`] and [`EXAMINED_NS`] per failure, and [`TIMES_TOKIO`] times the speed
//! of tokio; the table shows how far each is from it.

#![expect(clippy::float_arithmetic, reason = "measured times are reported, not decided by")]

mod compare;
mod contender;

use std::hint::black_box;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use criterion::Criterion;
use retrylab_core::{FailureKind, Instant, RetryRules};
use retrylab_sim::{Entropy, Record, examine, play};
use retrylab_spec::{File, Timeline, parse};
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

/// The goal of a played failure, in nanoseconds.
const PLAYED_NS: f64 = 60.0;
/// The goal of an examined failure, in nanoseconds.
const EXAMINED_NS: f64 = 80.0;
/// The goal of a played scenario, as a multiple of the speed of backon on tokio's paused clock.
const TIMES_TOKIO: f64 = 20.0;

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

/// Rules and draws alone, with the time kept in a variable: no file, no queue, no records.
fn rules_alone() -> Contender {
    let rules = black_box(RetryRules::streaming(Duration::from_secs(1)));
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

/// The player, whose every record is read.
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

/// All that `run` does with a file: two runs, compared with each other, with the expectations, and measured.
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
        "\nScenarios of {OUTAGES} outages of {FAILURES} failures: medians of {ROUNDS} rounds, with a turn for each in every round.\n"
    );
    println!("{:<26}{:>16}{:>14}{:>8}{:>14}", "", "scenarios a s", "ns a failure", "goal", "times tokio");
    let goals = [None, Some(PLAYED_NS), Some(EXAMINED_NS), None];
    for ((contender, time), goal) in all.iter().zip(times).zip(goals) {
        let failures = f64::from(OUTAGES * FAILURES);
        let goal = goal.map_or(String::new(), |goal| format!("{goal:.0}"));
        let (scenarios, each, ratio) = (1e9 / time, time / failures, slowest / time);
        println!("{:<26}{scenarios:>16.0}{each:>14.1}{goal:>8}{ratio:>14.1}", contender.name);
    }
    println!("\nThe goal of the player is also {TIMES_TOKIO} times tokio. A record has {} bytes.", Record::BYTES);
}
