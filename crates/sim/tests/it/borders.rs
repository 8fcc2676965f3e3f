//! Where a run goes one way or the other: the last instant of a limit, the last answer of a kind.

use core::time::Duration;

use retrylab_core::{Budget, Failure, FailureKind, Fault, Jitter};
use retrylab_sim::{Budgets, EndReason, Entropy, Event, Record};
use retrylab_spec::{
    BudgetSpec, CallSpec, Client, ClockChange, ClockEvent, Dialect, Draft, End, FirstMessage, HeaderText, JitterChoice,
    Outcome, Play, PolicySpec, Seconds, ServerWait, Then,
};

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

#[test]
fn a_first_message_that_is_a_change_is_told_apart_from_all_data() {
    let patched = Outcome::Up { lasts: Some((secs(5), End::Close)), first: FirstMessage::Patch };
    let timeline = checked(stream(vec![Play::Attempt(entry(patched)), stays_up()]));
    assert_eq!(events(&timeline)[..3], text(&[(0, "patch"), (5, "close"), (6, "message")]));
}

#[test]
fn a_failure_carries_its_draw_and_what_the_server_asked_for() {
    let asked = Outcome::Status { status: 503, retry_after: Some(ServerWait::Delay(secs(7))) };
    let mut draft = stream(vec![Play::Attempt(entry(asked)), status(503), stays_up()]);
    draft.client.jitter = JitterChoice::Own;
    let mut draws = Entropy::new(0).client(0);
    let carried: Vec<_> =
        records(&checked(draft)).iter().map(|record| (record.draw(), record.retry_after_ns())).collect();
    let expected = [(Some(draws.at(0)), Some(7 * S)), (Some(draws.at(1)), None), (None, None), (None, None)];
    assert_eq!(carried, expected);
}

#[test]
fn a_source_that_is_stopped_ends_its_run_as_stopped() {
    let mut streaming = stream(vec![stays_up()]);
    streaming.stop = Some(secs(10));
    let expected = [(0, "message"), (10, "stop"), (10, "end: stopped")];
    assert_eq!(events(&checked(streaming)), text(&expected));
    // In the wait between two polls.
    let mut polling = poller(vec![ok(), ok()]);
    polling.stop = Some(secs(10));
    assert_eq!(events(&checked(polling)), text(&[(0, "ok"), (10, "stop"), (10, "end: stopped")]));
}

/// Calls whose waits are 500 ms, 1 s, 2 s.
fn plain_calls(idempotent: bool, script: Vec<Play>) -> Draft {
    let spec = CallSpec { jitter: Jitter::None, idempotent, ..CallSpec::default() };
    Draft { script, ..Draft::new("A test.", Client::new(PolicySpec::Call(spec))) }
}

#[test]
fn a_call_after_one_that_succeeded_begins_its_ladder_anew() {
    let draft = plain_calls(true, vec![status(503), status(503), ok(), status(503), ok()]);
    let failures = records(&checked(draft)).into_iter().filter(Record::is_failure);
    let millis: Vec<_> = failures.filter_map(|record| record.wait_ns()).map(|wait| wait / 1_000_000).collect();
    assert_eq!(millis, [500, 1000, 500]);
}

#[test]
fn what_may_have_been_received_is_sent_again_only_where_that_is_safe() {
    // 503 leaves open whether the server acted; of 429 it is known that it did not.
    let script = || vec![status(503), ok()];
    assert_eq!(events(&checked(plain_calls(true, script())))[0].1, "503");
    assert_eq!(events(&checked(plain_calls(false, script())))[0].1, "503, gave up (terminal)");
    assert_eq!(events(&checked(plain_calls(false, vec![status(429), ok()])))[0].1, "429");
}

#[test]
fn the_first_line_of_a_poller_states_the_interval_as_it_was_configured() {
    let first = |kind: PolicySpec| {
        let client = Client { kind, jitter: JitterChoice::None };
        let timeline = checked(Draft { script: vec![ok()], ..Draft::new("A test.", client) });
        let player = retrylab_sim::play(&timeline, 0).expect("a built-in client");
        let mut lines = player.map(|record| record.event.to_string()).filter(|event| event.contains("Starting"));
        lines.next().expect("a first line")
    };
    let seconds = Some(Seconds::Text(Duration::from_millis(45_500)));
    assert_eq!(first(PolicySpec::Polling { poll_interval: seconds }), "info: Starting to poll every 45.5s");
    assert_eq!(first(PolicySpec::Polling { poll_interval: None }), "info: Starting to poll every 30s");
    let dialect = Dialect::CadenceNotRestored;
    assert_eq!(first(PolicySpec::Dialect { dialect, seconds }), "info: Starting to poll every 45.5s");
}

#[test]
fn a_date_in_retry_after_is_read_on_the_clients_wall_clock_as_it_stands() {
    // The header says 60 s after the date at the start. The polls fail at 0 and at 30.
    let header = HeaderText::new("Sun, 06 Nov 1994 08:50:37 GMT").expect("a header's value");
    let failing = || {
        let outcome = Outcome::Status { status: 503, retry_after: Some(ServerWait::Header(header)) };
        Play::Attempt(entry(outcome))
    };
    let asked = |at: u64, by_seconds: i64| {
        let mut draft = poller(vec![failing(), failing(), ok()]);
        draft.wall = Some("1994-11-06T08:49:37Z".to_string());
        draft.clock = vec![ClockEvent { at: secs(at), change: ClockChange::WallStep(by_seconds * 1_000_000_000) }];
        let failures = records(&checked(draft)).into_iter().filter(Record::is_failure);
        failures.map(|record| record.retry_after_ns().map(|asked| asked / S)).collect::<Vec<_>>()
    };
    // Nothing has stepped yet: 60 and 30 are left.
    assert_eq!(asked(31, 20), [Some(60), Some(30)]);
    // Stepped before the second, and at its very instant.
    assert_eq!(asked(10, 20), [Some(60), Some(10)]);
    assert_eq!(asked(30, -20), [Some(60), Some(50)]);
    // Before the date at the start: 100 s, and 70 s after it.
    assert_eq!(asked(0, -100), [Some(160), Some(130)]);
    // A date that has passed is no wait.
    assert_eq!(asked(10, 40), [Some(60), None]);
}

#[test]
fn coarse_jitter_keeps_the_eight_highest_bits_of_each_draw() {
    // The draws of seed 0 and client 0 are d6405f892fef0000 and a1a5091fe8b85800, in base 16.
    let mut draft = stream(vec![status(503), status(503), stays_up()]);
    draft.client.jitter = JitterChoice::Coarse;
    let drawn: Vec<_> = records(&checked(draft)).iter().filter_map(|record| record.draw()).collect();
    assert_eq!(drawn, [0xd6 << 56, 0xa1 << 56]);
}

#[test]
fn a_retry_is_paid_by_every_budget_or_by_none() {
    // The second cannot pay three for a retry, so the first gets its one back: both pay for two timeouts, and no more.
    let budgets = Budgets::new(&[
        BudgetSpec::Tokens { tokens: 2, cost: 1, timeout_cost: 1, refill: 0 },
        BudgetSpec::Tokens { tokens: 2, cost: 3, timeout_cost: 1, refill: 0 },
    ]);
    let normal = Failure::from(FailureKind::Normal);
    let timeout = Failure { fault: Some(Fault::Timeout), ..normal };
    let paid = [normal, timeout, timeout, timeout].map(|failure| budgets.withdraw(&failure));
    assert_eq!(paid, [false, true, true, false]);
    budgets.refund(&timeout);
    assert!(budgets.withdraw(&timeout));
}

#[test]
fn every_budget_is_told_of_requests_and_of_successes() {
    let failure = Failure::from(FailureKind::Normal);
    // One retry for each request.
    let ratio = retrylab_spec::Ratio { numerator: 1, denominator: 1 };
    let earned = Budgets::new(&[BudgetSpec::Ratio { ratio, reserve: 0 }]);
    assert!(!earned.withdraw(&failure));
    earned.record_request();
    assert!(earned.withdraw(&failure));
    // One token back for each success.
    let refilled = Budgets::new(&[BudgetSpec::Tokens { tokens: 1, cost: 1, timeout_cost: 1, refill: 1 }]);
    assert_eq!([refilled.withdraw(&failure), refilled.withdraw(&failure)], [true, false]);
    refilled.record_success();
    assert!(refilled.withdraw(&failure));
}
