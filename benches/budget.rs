//! Two threads that share one budget, beside tower's: each withdraws and refills, over and over.
//!
//! A turn is one paid retry and one deposit, on each thread. Criterion reports every row; then all rows are timed
//! again, round by round, for the table of ratios to tower's `TpsBudget` at the end. tower's deposits expire by the
//! system's clock, which it reads under a lock at every call; this project's budgets have no clock.

#![expect(clippy::float_arithmetic, reason = "reports measured times; nothing depends on them")]

mod compare;
mod contender;

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use criterion::Criterion;
use retrylab_core::{Both, Budget, FailureKind, RatioBudget, TokenBucket};
use tower::retry::budget::{Budget as _, TpsBudget};

use compare::{is_timed, medians_ns, report};
use contender::Contender;

/// Turns of each thread in one measurement, so many that the start of the threads does not matter.
const TURNS: u32 = 20_000;

const ROUNDS: usize = 201;

fn main() {
    let mut rows: Vec<Contender> = [1, 2].into_iter().flat_map(rows).collect();
    let mut criterion = Criterion::default().configure_from_args();
    report(&mut criterion, "budget", u64::from(TURNS), &mut rows);
    criterion.final_summary();
    if is_timed() {
        print_table(&mut rows);
    }
}

/// The rows with this number of threads, tower's last.
fn rows(threads: usize) -> [Contender; ROWS] {
    let failure = FailureKind::Normal.into();
    let bucket = TokenBucket::new(500);
    let ratio = RatioBudget::new(1, 1, 100).expect("a ratio of one to one");
    let both = Both(bucket.clone(), ratio.clone());
    let tps = TpsBudget::new(Duration::from_secs(10), 10, 1.0);
    [
        contender("token bucket", threads, move || {
            bucket.record_success();
            bucket.withdraw(&failure)
        }),
        contender("ratio", threads, move || {
            ratio.record_request();
            ratio.withdraw(&failure)
        }),
        contender("both of them", threads, move || {
            both.record_request();
            both.record_success();
            both.withdraw(&failure)
        }),
        contender("tower's TpsBudget", threads, move || {
            tps.deposit();
            tps.withdraw()
        }),
    ]
}

/// Runs this many threads over a shared value, each [`TURNS`] times.
fn contender(name: &str, threads: usize, turn: impl Fn() -> bool + Sync + 'static) -> Contender {
    let take_turns = move || {
        for _ in 0..TURNS {
            black_box(turn());
        }
    };
    let run = move || {
        if threads == 1 {
            return take_turns();
        }
        let start = Barrier::new(threads);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    start.wait();
                    take_turns();
                });
            }
        });
    };
    Contender::new(format!("{name}, {}", threads_named(threads)), move |times| (0..times).for_each(|_| run()))
}

fn threads_named(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

fn print_table(rows: &mut [Contender]) {
    let mut all: Vec<&mut Contender> = rows.iter_mut().collect();
    // Once per round: the median then leaves out a delayed start of a thread.
    let runs = medians_ns(&mut all, ROUNDS, Duration::ZERO);
    let turns: Vec<f64> = runs.into_iter().map(|ns| ns / f64::from(TURNS)).collect();

    println!("\nOne paid retry and one deposit on each thread: the median of {ROUNDS} rounds.");
    println!("ratio: speed relative to tower's budget with as many threads. goal: above this.\n");
    println!("{:<32}{:>10}{:>14}{:>8}{:>7}", "", "ns a turn", "turns / ms", "ratio", "goal");
    for (contenders, turns) in all.chunks(ROWS).zip(turns.chunks(ROWS)) {
        for (contender, turn) in contenders.iter().zip(turns) {
            let goal = if contender.name.starts_with("tower") { "" } else { "1.0" };
            println!("{:<32}{turn:>10.1}{:>14.0}{:>8.2}{goal:>7}", contender.name, 1e6 / turn, turns[ROWS - 1] / turn);
        }
    }
}

/// The number of rows with the same number of threads.
const ROWS: usize = 4;
