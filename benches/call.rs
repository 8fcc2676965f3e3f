//! One failure of a bounded call and the decision that follows, beside a step of the state machine and the public crates.
//!
//! The call has limits on attempts and on elapsed time, and no limit is reached in an outage, so that every failure goes
//! the whole way. Calls and state machine are given the same draws and times. Criterion reports every row; then all of
//! them are timed once more in turn, and the table that ends the run gives the ratios to the state machine.
//!
//! The token bucket has no goal: its compare-and-swap, which makes the bucket safe to share, takes longer than a whole step
//! of the state machine, and what comes before it and after it cannot overlap with it. To take the tokens first and to
//! look afterwards would save a fifth of that, and would refuse retries that are paid for while another thread looks.
//!
//! Where another program keeps the same core busy, the ratios rise by a quarter: a call has more instructions, a step of
//! the state machine waits longer for those it has.

#![expect(clippy::float_arithmetic, reason = "measured times are reported, not decided by")]

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

/// How many times as much as a step of the state machine the decision of a call is meant to cost at most. No gate: times
/// vary from run to run.
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
    let streaming = RetryRules::streaming(1.0).0;
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

/// Meets normal failures, one second apart, from a fresh call at each outage, and reads the decision.
fn caller(name: &str, ladder: Ladder, jitter: Jitter, budget: impl Budget + 'static) -> Contender {
    let rules = CallRules::builder()
        .backoff(Backoff::new(ladder, jitter))
        // One more than the failures: the last of them is still worth a wait.
        .attempts(FAILURES + 1)
        .elapsed(Duration::from_secs(3600))
        .build()
        .expect("17 attempts are allowed");
    // Hidden from the optimiser, so that it can prepare nothing for these limits.
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

    println!("\nOne failure and its decision: the median of {ROUNDS} rounds in which everyone has a turn.");
    println!("ratio: how many times as much as the first row. goal: at most.\n");
    println!("{:<36}{:>10}{:>8}{:>7}", "", "ns a step", "ratio", "goal");
    for ((contender, step), goal) in all.iter().zip(&steps).zip(goals) {
        let goal = goal.map_or_else(String::new, |goal| format!("{goal:.1}"));
        println!("{:<36}{step:>10.2}{:>8.2}{goal:>7}", contender.name, step / steps[0]);
    }
}
