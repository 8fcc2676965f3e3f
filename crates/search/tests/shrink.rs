//! What a shrink makes of timelines that can be said shorter.

use std::time::Duration;

use retrylab_search::{events, shrink};
use retrylab_sim::play;
use retrylab_spec::{File, Timeline, parse};

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

/// The second failure has the draw of its turn, the first of 64 whose jitter is so long. Were a success before it to
/// become a failure without a draw of its own, it would have the next.
#[test]
fn a_success_that_becomes_a_failure_leaves_the_others_their_draws() {
    let waits = |timeline: &Timeline| -> Vec<(Option<u64>, u64)> {
        let records = play(timeline, 7).expect("a built-in client").filter(|record| record.is_failure());
        records.map(|record| (record.draw(), record.time_ns)).collect()
    };
    let entries = "{ up = \"5s\", end = \"close\", draw = 0 }, { status = 503, draw = 1 }, { status = 503, draw = 2 }";
    let given = timeline(&format!("seed = 7\n[[timeline]]\nplay = [{entries}]"));
    let last = waits(&given).last().and_then(|(draw, _)| *draw);
    assert!(last.is_some());
    let shrunk = shrink(&given, 5000, |timeline| {
        let waits = waits(timeline);
        waits.len() >= 3 && waits.last().is_some_and(|(draw, _)| *draw == last)
    });
    let draws: Vec<Option<u64>> = waits(&shrunk.timeline).into_iter().map(|(draw, _)| draw).collect();
    assert_eq!((draws.len(), draws[2]), (3, last), "{}", shrunk.timeline);
}
