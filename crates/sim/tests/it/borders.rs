//! Where a run goes one way or the other: the last instant of a limit, the last answer of a kind.

use retrylab_scenario::Then;
use retrylab_sim::{EndReason, Event};

use crate::timelines::*;

fn text(events: &[(u64, &str)]) -> Vec<(u64, String)> {
    events.iter().map(|&(at, event)| (at, event.to_string())).collect()
}

#[test]
fn calls_without_an_attempt_are_refused_and_nothing_else_happens() {
    let expected = [(0, "refused before the first attempt"), (0, "end: nothing more happens")];
    assert_eq!(events(&checked(calls(0, vec![ok(), ok()]))), text(&expected));
}

#[test]
fn what_happens_at_the_limit_of_time_still_happens() {
    // Polls at 0, 30 and 60; the one at 90 is beyond.
    let mut draft = poller(vec![ok()]);
    draft.then = Then::RepeatLast;
    draft.until = Some(secs(1_000_000));
    draft.limits.time = secs(60);
    let last = records(&checked(draft)).pop().expect("a record");
    assert_eq!(last.event, Event::End(EndReason::TimeLimit));
    assert_eq!((last.attempt, last.time_ns), (3, 60 * S));
}

#[test]
fn not_modified_is_a_failure_of_a_stream() {
    // 304 is no 4xx, so it is normal: 1 s.
    let expected = [(0, "304"), (1, "message"), (1, "end: nothing more happens")];
    assert_eq!(events(&checked(stream(vec![status(304), stays_up()]))), text(&expected));
}
