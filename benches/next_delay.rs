//! One failure and the read of its wait, beside the step of seven public crates.
//!
//! Each wait is read as a `Duration` (two peers return a point in time, which is read as it is), over outages of 16
//! failures that each start from a fresh state. Criterion reports every contender; then all are timed again, round by
//! round, for the table of ratios to the fastest peer at the end. Allocations are counted in a separate run.

#![expect(clippy::float_arithmetic, reason = "reports measured times; nothing depends on them")]

mod compare;
mod contender;
mod steps;

use std::time::Duration;

use criterion::Criterion;
use retrylab_core::{RetryRules, RetryState};

use compare::{is_timed, medians_ns, report};
use contender::Contender;
use steps::own::{Draws, extended, normal, stepper};
use steps::{FAILURES, peers};

/// The goal for the speed of a step relative to the fastest peer. Not a gate: times vary from run to run.
const fn goal(draws: Draws) -> f64 {
    match draws {
        Draws::Given => 5.0,
        Draws::ChaCha8 => 2.5,
    }
}

const ROUNDS: usize = 501;

fn main() {
    let mut own = own();
    let mut peers = peers::ALL.map(|make| make());
    let mut criterion = Criterion::default().configure_from_args();
    let failures = u64::from(FAILURES);
    report(&mut criterion, "next_delay", failures, own.iter_mut().map(|(_, contender)| contender));
    report(&mut criterion, "next_delay of peers", failures, &mut peers);
    criterion.final_summary();
    if is_timed() {
        print_table(&mut own, &mut peers);
    }
}

/// This project's rows, each with the source of its draws.
fn own() -> Vec<(Draws, Contender)> {
    let streaming = RetryRules::streaming(Duration::from_secs(1));
    let polling = RetryRules::polling(Duration::from_secs(30));
    let rows = |draws| {
        [
            (draws, stepper("streaming", draws, streaming, normal, RetryState::next_delay)),
            (draws, stepper("polling", draws, polling, normal, RetryState::next_delay)),
            (draws, stepper("extended", draws, streaming, extended, RetryState::next_delay)),
        ]
    };
    [Draws::Given, Draws::ChaCha8].into_iter().flat_map(rows).collect()
}

fn print_table(own: &mut [(Draws, Contender)], peers: &mut [Contender]) {
    let first_peer = own.len();
    let goals: Vec<Option<f64>> = own.iter().map(|&(draws, _)| Some(goal(draws))).collect();
    let goals = goals.into_iter().chain(std::iter::repeat(None));
    let mut all: Vec<&mut Contender> = own.iter_mut().map(|(_, contender)| contender).chain(peers).collect();
    let allocations: Vec<u64> = all.iter_mut().map(|contender| allocations_of_an_outage(contender)).collect();
    let outages = medians_ns(&mut all, ROUNDS, Duration::from_micros(100));
    let steps: Vec<f64> = outages.into_iter().map(|ns| ns / f64::from(FAILURES)).collect();
    let fastest = steps[first_peer..].iter().copied().fold(f64::INFINITY, f64::min);

    println!("\nOne failure and the read of its wait: the median of {ROUNDS} rounds.");
    println!("ratio: speed relative to the fastest peer. allocs: in an outage of {FAILURES} failures.\n");
    println!("{:<24}{:>10}{:>8}{:>7}{:>9}", "", "ns a step", "ratio", "goal", "allocs");
    for (((contender, step), goal), allocations) in all.iter().zip(&steps).zip(goals).zip(allocations) {
        let goal = goal.map_or_else(String::new, |goal| format!("{goal:.1}"));
        println!("{:<24}{step:>10.2}{:>8.2}{goal:>7}{allocations:>9}", contender.name, fastest / step);
    }
}

fn allocations_of_an_outage(contender: &mut Contender) -> u64 {
    // The first outage may set up thread-local state, such as a random number generator.
    contender.run(1);
    allocation_counter::measure(|| contender.run(1)).count_total
}
