//! One failure of a bounded call and the decision that follows, beside a step of the state machine and the public crates.
//!
//! The call has limits on attempts and on elapsed time, and reaches none in an outage, so every failure takes the full
//! path. Calls and state machine get the same draws and times. Criterion reports every row; then all rows are timed
//! again, round by round, for the table of ratios to the state machine at the end.
//!
//! The token bucket has no goal: its compare-and-swap, which makes sharing safe, takes longer than a whole step of the
//! state machine and overlaps with nothing. Taking the tokens first and checking afterwards would save a fifth of that,
//! but would refuse paid retries during another thread's check.
//!
//! While another program uses the same core, the ratios rise by a quarter: a call has more instructions, a step of the
//! state machine waits longer for its own.

#![expect(clippy::float_arithmetic, reason = "reports measured times; nothing depends on them")]

mod compare;
mod contender;
mod steps;

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use retrylab_core::{
    Backoff, Budget, CallRules, FailureKind, Instant, Jitter, Ladder, RetryRules, RetryState, TokenBucket, Unlimited,
};

use compare::{is_timed, medians_ns, report};
use contender::Contender;
use steps::own::{Draws, drawing, extended, normal, stepper};
use steps::{FAILURES, peers};

/// The maximum cost of a call's decision relative to a step of the state machine. A goal, not a gate: times vary from
/// run to run.
const GOAL: f64 = 2.0;

const ROUNDS: usize = 501;

fn main() {
    let mut rows = own();
    rows.extend(peers::ALL.map(|make| (None, make())));
    let mut criterion = Criterion::default().configure_from_args();
    report(&mut criterion, "call", u64::from(FAILURES), rows.iter_mut().map(|(_, contender)| contender));
    criterion.final_summary();
    if is_timed() {
        print_table(&mut rows);
    }
}

/// This project's rows, each with its goal, the state machine first.
fn own() -> Vec<(Option<f64>, Contender)> {
    let streaming = RetryRules::streaming(Duration::from_secs(1));
    vec![
        (None, stepper("state machine", Draws::Given, streaming, normal, RetryState::next_delay)),
        (None, stepper("state machine, extended", Draws::Given, streaming, extended, RetryState::next_delay)),
        (Some(GOAL), caller("call, full jitter", doubling(), Jitter::Full, Unlimited)),
        (Some(GOAL), caller("call, subtract half", doubling(), Jitter::SubtractHalf, Unlimited)),
        (Some(GOAL), caller("call, decorrelated", doubling(), Jitter::Decorrelated, Unlimited)),
        (Some(GOAL), caller("call, Fibonacci", fibonacci(), Jitter::Full, Unlimited)),
        (None, caller("call, token bucket", doubling(), Jitter::Full, TokenBucket::new(u32::MAX))),
    ]
}

/// Records normal failures, one second apart, in a fresh call at each outage, and reads the decision.
fn caller(name: &str, ladder: Ladder, jitter: Jitter, budget: impl Budget + 'static) -> Contender {
    let rules = CallRules::builder()
        .backoff(Backoff::new(ladder, jitter))
        // One more than the failures, so that the last one is retried too.
        .attempts(FAILURES + 1)
        .elapsed(Duration::from_secs(3600))
        .build()
        .expect("17 attempts are allowed");
    // Hidden from the optimiser, which must not specialise for these limits.
    let rules = black_box(rules);
    drawing(
        name,
        Draws::Given,
        move || rules.start(),
        move |state, number, draw| {
            let now = Instant::from_secs(u64::from(number));
            rules.record_failure(state, &budget, FailureKind::Normal.into(), now, draw)
        },
    )
}

fn doubling() -> Ladder {
    Ladder::doubling(Duration::from_secs(1), Duration::from_secs(30))
}

fn fibonacci() -> Ladder {
    Ladder::fibonacci(Duration::from_secs(1), Duration::from_secs(30))
}

fn print_table(rows: &mut [(Option<f64>, Contender)]) {
    let goals: Vec<Option<f64>> = rows.iter().map(|&(goal, _)| goal).collect();
    let mut all: Vec<&mut Contender> = rows.iter_mut().map(|(_, contender)| contender).collect();
    let outages = medians_ns(&mut all, ROUNDS, Duration::from_micros(100));
    let steps: Vec<f64> = outages.into_iter().map(|ns| ns / f64::from(FAILURES)).collect();

    println!("\nOne failure and its decision: the median of {ROUNDS} rounds.");
    println!("ratio: cost relative to the first row. goal: at most this.\n");
    println!("{:<36}{:>10}{:>8}{:>7}", "", "ns a step", "ratio", "goal");
    for ((contender, step), goal) in all.iter().zip(&steps).zip(goals) {
        let goal = goal.map_or_else(String::new, |goal| format!("{goal:.1}"));
        println!("{:<36}{step:>10.2}{:>8.2}{goal:>7}", contender.name, step / steps[0]);
    }
}
