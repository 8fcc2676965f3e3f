//! The run-twice check and the metrics.

use core::time::Duration;
use std::cell::Cell;

use retrylab_core::{Decision, Failure, Instant, Policy};
use retrylab_sim::{EndReason, build, examine, examine_policy};
use retrylab_spec::{
    Client, ClockChange, ClockEvent, Dialect, Draft, End, Entry, Outcome, Play, PolicySpec, Then, Window,
};

use crate::timelines::*;

/// Waits as long as there have been failures, in all runs together: two runs cannot be the same.
struct Leaky<'a>(&'a Cell<u64>);

impl Policy for Leaky<'_> {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        self.0.set(self.0.get() + 1);
        Decision::RetryAfter(self.next_delay())
    }
    fn record_success(&mut self, _: Instant) {}
    fn next_delay(&self) -> Duration {
        secs(self.0.get())
    }
}

#[test]
fn a_policy_that_leaks_between_runs_is_caught_at_its_first_failure() {
    let timeline = checked(stream(vec![stays_up(), status(503)]));
    let same = examine(&timeline, 0, |_| {}).expect("a built-in client");
    assert_eq!(same.divergence, None);

    let failures = Cell::new(0);
    let timeline = checked(stream(vec![status(503), status(503)]));
    let examination = examine_policy(&timeline, || (Leaky(&failures), None), 0, |_| {});
    let divergence = examination.divergence.expect("the runs differ");
    // Record 0 is the line that the stream begins.
    assert_eq!(divergence.index, 1);
    let wait = |record: Option<retrylab_sim::Record>| record.and_then(|record| record.wait_ns());
    assert_eq!((wait(divergence.first), wait(divergence.second)), (Some(S), Some(2 * S)));
}

/// Says something else than it decided after its second failure.
#[derive(Default)]
struct Forgetful(u64);

impl Policy for Forgetful {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        self.0 += 1;
        Decision::RetryAfter(secs(2))
    }
    fn record_success(&mut self, _: Instant) {}
    fn next_delay(&self) -> Duration {
        secs(if self.0 == 1 { 2 } else { 5 })
    }
}

#[test]
fn a_policy_whose_stored_delay_is_not_the_decided_one_does_not_hold() {
    // Failures at 0, 2 and 4; only the first difference is told.
    let timeline = checked(poller(vec![times(3, vec![status(503)]), ok()]));
    let findings = examine_policy(&timeline, || (Forgetful::default(), None), 0, |_| {}).findings;
    assert_eq!(
        findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["client: expected next_delay() to be the decided 2s, got 5s (attempt 2, at 2s)"]
    );
    // Before it: the line that polling begins, and the failure, the line and the status of the first.
    assert_eq!(findings[0].record, Some(4));
}

#[test]
fn between_a_call_that_gave_up_and_the_next_outcome_the_regime_is_normal() {
    // Gives up at 0; the next call's only attempt takes 10 s. There is no time of no regime.
    let slow = retrylab_spec::Play::Attempt(Entry { latency: secs(10), ..entry(Outcome::Ok) });
    let metrics = examine(&checked(calls(1, vec![status(503), slow])), 0, |_| {}).expect("a built-in client").metrics;
    assert_eq!((metrics.in_normal, metrics.in_extended), (secs(10), secs(0)));
}

#[test]
fn the_metrics_of_an_outage_are_those_worked_by_hand() {
    // Polls at 0 (ok), 30 (401, window), wait 300; 330 (ok), 360 (ok, resets), … 600; until 600.
    let mut draft = poller(vec![ok()]);
    draft.then = Then::Succeed;
    draft.until = Some(secs(600));
    let unauthorized = Outcome::Status { status: 401, retry_after: None };
    draft.windows = vec![Window { from: secs(20), until: secs(50), entry: entry(unauthorized), cut: None }];
    let metrics = examine(&checked(draft), 0, |_| {}).expect("a built-in client").metrics;
    // 2 polls before the wait; then 330, 360, …, 600: ten.
    assert_eq!((metrics.attempts, metrics.failures, metrics.successes), (12, 1, 11));
    assert_eq!(metrics.longest_wait, secs(300));
    // Extended from 30 to the second success at 360.
    assert_eq!((metrics.in_extended, metrics.in_normal), (secs(330), secs(270)));
    assert_eq!(metrics.longest_recovery(), Some(secs(330 - 50)));
    assert_eq!((metrics.ended, metrics.ended_at), (Some(EndReason::Until), secs(600)));
}

#[test]
fn a_client_that_never_recovers_has_no_recovery() {
    let mut draft = stream(vec![status(401)]);
    let unauthorized = Outcome::Status { status: 401, retry_after: None };
    draft.windows = vec![Window { from: secs(0), until: secs(50), entry: entry(unauthorized), cut: None }];
    let metrics = examine(&checked(draft), 0, |_| {}).expect("a built-in client").metrics;
    assert_eq!(metrics.recoveries, [None]);
    assert_eq!(metrics.longest_recovery(), None);
}

/// Failures at 0, 1, 3, 7, 15, 31 and 61 s, the last wait being 30 s, of which a window of 60 s sees six; so does one in two parts.
/// The stream that is up from 61 s on never notices the second outage.
#[test]
fn windows_that_touch_are_one_outage_and_one_that_nobody_notices_is_none() {
    let window = |from, until| Window { from: secs(from), until: secs(until), entry: entry(busy()), cut: None };
    let recoveries = |windows: &[(u64, u64)]| {
        let mut draft = stream(vec![]);
        draft.then = Then::Succeed;
        draft.until = Some(secs(600));
        draft.windows = windows.iter().map(|&(from, until)| window(from, until)).collect();
        examine(&checked(draft), 0, |_| {}).expect("a built-in client").metrics.recoveries
    };
    assert_eq!(recoveries(&[(0, 60)]), [Some(secs(1))]);
    assert_eq!(recoveries(&[(20, 60), (0, 20)]), [Some(secs(1))]);
    assert_eq!(recoveries(&[(0, 60), (120, 180)]), [Some(secs(1))]);
    assert_eq!(recoveries(&[(120, 180)]), []);
}

fn busy() -> Outcome {
    Outcome::Status { status: 503, retry_after: None }
}

#[test]
fn time_without_an_outcome_belongs_to_the_regime_before_it() {
    let mut draft = stream(vec![status(401)]);
    draft.clock = vec![ClockEvent { at: secs(40), change: ClockChange::Step(secs(1)) }];
    let metrics = examine(&checked(draft), 0, |_| {}).expect("a built-in client").metrics;
    assert_eq!((metrics.in_normal, metrics.in_extended), (secs(0), secs(40)));
}

#[test]
fn a_policy_that_is_asked_for_its_stored_delay_plays_as_it_plays_alone() {
    // 401, ok, ok, 503: the second success resets, so the last failure waits 30 s and not 600 s. The second client counts
    // health from the connect: 70 s without a message reset it.
    let idle = Outcome::Idle { lasts: secs(70), end: End::Close };
    let draft = stream(vec![status(503), status(503), Play::Attempt(entry(idle)), stays_up()]);
    let kind = PolicySpec::Dialect { dialect: Dialect::HealthFromConnect, seconds: None };
    let connecting = Draft { client: Client { kind, ..draft.client.clone() }, ..draft };
    let polling = poller(vec![status(401), ok(), ok(), status(503), ok()]);
    for (draft, waits) in [(polling, vec![300, 30, 30, 30, 30]), (connecting, vec![1, 2, 1, 0])] {
        let timeline = checked(draft);
        let mut waited = Vec::new();
        let client = || build(&timeline.client.kind).expect("a built-in client");
        let asked = examine_policy(&timeline, client, 0, |record| waited.extend(record.wait_ns().map(|wait| wait / S)));
        assert_eq!(waited, waits);
        assert_eq!(Ok(asked), examine(&timeline, 0, |_| {}));
    }
}
