//! Tests policies: one that is what it claims to be, and one that is not. `cargo run --example test_your_policy`
//!
//! In a test, `check(…).run()` panics with the same report.

use std::time::Duration;

use retrylab::{Exponential, check, secs};

/// Six attempts, 2 s doubling to 30 s.
const CLAIM: Exponential = Exponential::new(secs(2), secs(30)).attempts(6).without_jitter();

fn main() {
    let waits = || [2, 4, 8, 16, 30].into_iter().map(secs);
    match check(waits).named("my-waits").claims(CLAIM).outcome() {
        Ok(searched) => println!("my-waits keeps its claim in {} timelines\n", searched.cases),
        Err(failed) => println!("{failed}"),
    }

    // The ceiling is forgotten.
    let waits = || (1..=5).map(|retry| Duration::from_secs(1 << retry));
    match check(waits).named("my-other-waits").claims(CLAIM).outcome() {
        Ok(searched) => println!("my-other-waits keeps its claim in {} timelines", searched.cases),
        Err(failed) => println!("{failed}"),
    }
}
