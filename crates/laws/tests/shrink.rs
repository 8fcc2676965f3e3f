//! What a shrink makes of timelines that can be said shorter.

use std::time::Duration;

use retrylab_laws::search::{events, shrink};
use retrylab_scenario::{File, Timeline, parse};
use retrylab_sim::play;

fn timeline(text: &str) -> Timeline {
    let text = format!("why = \"A test.\"\nclient.kind = \"streaming\"\n{text}");
    match parse("test.toml", &text).map(|parsed| parsed.file) {
        Ok(File::Played(timeline)) => timeline,
        other => panic!("{other:?}"),
    }
}

fn failures(timeline: &Timeline) -> Vec<Duration> {
    let records = play(timeline, 0).expect("a built-in client").filter(|record| record.is_failure());
    records.map(|record| Duration::from_nanos(record.time_ns)).collect()
}

#[test]
fn a_long_burst_becomes_an_outage_by_the_clock() {
    let long = timeline("[[timeline]]\nrepeat = 40\nplay = [{ status = 500 }]");
    let shrunk = shrink(&long, 5000, |timeline| failures(timeline).len() >= 33).timeline;
    assert_eq!(events(&shrunk), 4, "{shrunk}");
    assert!(failures(&shrunk).len() >= 33);
}

#[test]
fn attempts_that_only_let_time_pass_become_one_that_takes_long() {
    let long =
        timeline("[[timeline]]\nplay = [{ status = 503 }, { status = 503 }, { status = 401 }, { status = 503 }]");
    let late = |timeline: &Timeline| failures(timeline).last().is_some_and(|last| *last >= Duration::from_secs(60));
    let shrunk = shrink(&long, 5000, late).timeline;
    assert_eq!(events(&shrunk), 1, "{shrunk}");
    assert_eq!(failures(&shrunk), [Duration::from_secs(60)]);
}

#[test]
fn a_window_that_cuts_a_stream_becomes_a_stream_that_ends() {
    let cut = timeline("then = \"succeed\"\n[[window]]\nfrom = \"2m\"\nuntil = \"5m\"\nstatus = 503\ncut = true");
    let after_a_minute = |timeline: &Timeline| failures(timeline).first().is_some_and(|at| at.as_secs() >= 60);
    let shrunk = shrink(&cut, 5000, after_a_minute).timeline;
    assert_eq!(events(&shrunk), 1, "{shrunk}");
    assert_eq!(failures(&shrunk), [Duration::from_secs(60)]);
}

#[test]
fn many_calls_that_let_time_pass_become_two() {
    let many = timeline("[[timeline]]\nrepeat = 12\nplay = [{ status = 503 }]");
    let late = |timeline: &Timeline| {
        let at = failures(timeline);
        at.len() >= 2 && at[at.len() - 1] - at[0] >= Duration::from_secs(60)
    };
    let shrunk = shrink(&many, 5000, late).timeline;
    assert_eq!(events(&shrunk), 2, "{shrunk}");
}
