//! Each program in `examples/` runs, and prints what a person wants to see. `cargo test` builds them before this runs;
//! alone it takes `cargo build --examples` first.

use std::env;
use std::process::Command;

/// What the example prints.
fn printed(name: &str) -> String {
    let test = env::current_exe().expect("a path");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("target/debug/deps").join("examples");
    let mut command = Command::new(folder.join(name));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().unwrap_or_else(|error| panic!("{name}: {error}; `cargo build --examples` builds it"));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_shipped_retry_gets_its_user_at_the_third_attempt() {
    let printed = printed("ship_a_retry");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 3, "{printed}");
    assert!(lines[0].starts_with("attempt 1 failed (connection refused), again in "), "{printed}");
    assert!(lines[1].starts_with("attempt 2 failed (the attempt took longer than 2s), again in "), "{printed}");
    assert_eq!(lines[2], "the user is Ada");
}

#[test]
fn a_policy_that_keeps_its_claim_is_told_from_one_that_forgot_its_ceiling() {
    let printed = printed("test_your_policy");
    assert!(printed.starts_with("my-waits keeps its claim in 1000 timelines\n"), "{printed}");
    // The fifth wait is 32 s.
    assert!(printed.contains("my-other-waits") && printed.contains("32s"), "{printed}");
}

#[test]
fn a_reconnect_loop_changes_its_regime_and_comes_back() {
    let printed = printed("reconnect_in_two_regimes");
    let regimes: Vec<&str> = printed.lines().filter_map(|line| line.split_whitespace().rev().nth(2)).collect();
    let (n, e) = ("normal", "extended");
    assert_eq!(regimes, [n, n, n, n, e, e, e, n], "{printed}");
}

#[test]
fn a_simulated_outage_costs_a_patient_policy_little() {
    let printed = printed("simulate_an_outage");
    assert!(printed.starts_with("hears what the server asks for: "), "{printed}");
    assert!(printed.contains("\nasks every second: "), "{printed}");
}

#[test]
fn a_shared_budget_keeps_an_outage_from_becoming_a_storm() {
    let printed = printed("shared_budget");
    assert!(printed.contains("without a budget  500 requests"), "{printed}");
    // One attempt of each, and 50 retries.
    assert!(printed.contains("with 50 tokens    150 requests"), "{printed}");
}

#[test]
fn a_policy_in_python_waits_as_the_rules_say() {
    let printed = printed("subject_in_python");
    let waits: Vec<&str> = printed.lines().filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(waits, ["1s", "2s", "300s", "600s"]);
}
