//! Timelines played: what happens when, worked by hand.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, GiveUp, Instant, Jitter, Policy};
use retrylab_sim::{BuiltIn, EndReason, Entropy, Event, Player, Record, build};
use retrylab_spec::{
    BudgetSpec, CallSpec, ClockChange, ClockEvent, Draft, Draw, End, Entry, JitterChoice, Outcome, PolicySpec, Then,
    Window,
};

use crate::timelines::*;

fn clock(at: u64, change: ClockChange) -> ClockEvent {
    ClockEvent { at: secs(at), change }
}

fn window(from: u64, until: u64, outcome: Outcome, cut: Option<End>) -> Window {
    Window { from: secs(from), until: secs(until), entry: entry(outcome), cut }
}

const UNAVAILABLE: Outcome = Outcome::Status { status: 503, retry_after: None };

fn text(events: &[(u64, &str)]) -> Vec<(u64, String)> {
    events.iter().map(|&(at, event)| (at, event.to_string())).collect()
}

#[test]
fn time_jumps_from_failure_to_failure() {
    // 503 at 0, wait 1; refused at 1, wait 2; at 3 the stream is up.
    let timeline = checked(stream(vec![status(503), refused(), stays_up()]));
    let expected = [(0, "503"), (1, "refused"), (3, "message"), (3, "end: nothing more happens")];
    assert_eq!(events(&timeline), text(&expected));
}

#[test]
fn latency_passes_before_the_outcome_and_the_wait_begins_after_it() {
    let slow = retrylab_spec::Play::Attempt(Entry { latency: secs(7), ..entry(UNAVAILABLE) });
    let timeline = checked(stream(vec![slow, stays_up()]));
    assert_eq!(events(&timeline)[..2], text(&[(7, "503"), (8, "message")]));
}

#[test]
fn a_hang_is_a_timeout_counted_from_the_start_of_the_attempt() {
    let hang = retrylab_spec::Play::Attempt(entry(Outcome::Hang(secs(10))));
    let timeline = checked(poller(vec![hang, ok()]));
    assert_eq!(events(&timeline)[..2], text(&[(10, "timeout"), (40, "ok")]));
}

#[test]
fn a_stream_that_falls_silent_times_out_after_three_hundred_seconds_more() {
    let timeline = checked(stream(vec![up(5, End::Timeout), stays_up()]));
    let expected = [(0, "message"), (5, "silent"), (305, "timeout"), (306, "message")];
    assert_eq!(events(&timeline)[..4], text(&expected));
}

#[test]
fn a_window_answers_instead_of_the_script_and_consumes_nothing() {
    // Polls at 0, 30, 60, 90; those at 30 and 60 fall into the window.
    let mut draft = poller(vec![ok(), ok()]);
    draft.windows = vec![window(30, 61, UNAVAILABLE, None)];
    let expected = [(0, "ok"), (30, "503"), (60, "503"), (90, "ok"), (90, "end: nothing more happens")];
    assert_eq!(events(&checked(draft)), text(&expected));
}

#[test]
fn a_window_ends_before_its_last_instant() {
    let mut draft = poller(vec![ok(), ok()]);
    draft.windows = vec![window(10, 30, UNAVAILABLE, None)];
    assert_eq!(events(&checked(draft))[..2], text(&[(0, "ok"), (30, "ok")]));
}

#[test]
fn a_window_that_cuts_ends_the_live_stream_as_it_says() {
    let mut draft = stream(vec![stays_up(), stays_up()]);
    draft.windows = vec![window(100, 102, UNAVAILABLE, Some(End::Reset))];
    // Cut at 100 after more than 60 s of health: wait 1; 503 at 101, wait 2; up again at 103.
    let expected = [(0, "message"), (100, "reset"), (101, "503"), (103, "message")];
    assert_eq!(events(&checked(draft))[..4], text(&expected));
}

#[test]
fn a_cut_finds_no_stream_while_the_client_waits() {
    let mut draft = stream(vec![status(401), stays_up()]);
    draft.windows = vec![window(100, 102, UNAVAILABLE, Some(End::Reset))];
    assert_eq!(events(&checked(draft))[..2], text(&[(0, "401"), (300, "message")]));
}

#[test]
fn the_end_of_a_stream_that_was_cut_is_not_counted_again() {
    let mut draft = stream(vec![up(100, End::Close), stays_up()]);
    draft.windows = vec![window(50, 50 + 1, UNAVAILABLE, Some(End::Tls))];
    let expected = [(0, "message"), (50, "tls"), (51, "message"), (51, "end: nothing more happens")];
    let happened: Vec<_> = events(&checked(draft)).into_iter().filter(|(_, event)| event != "503").collect();
    assert_eq!(happened, text(&expected));
}

#[test]
fn on_a_silent_line_the_streams_own_end_is_not_heard() {
    // Silent from 50, so the close at 100 does not arrive; the read timeout comes at 350.
    let mut draft = stream(vec![up(100, End::Close), stays_up()]);
    draft.windows = vec![window(50, 51, UNAVAILABLE, Some(End::Timeout))];
    let expected = [(0, "message"), (50, "silent"), (350, "timeout"), (351, "message")];
    assert_eq!(events(&checked(draft))[..4], text(&expected));
}

#[test]
fn a_clock_step_fires_the_wait_that_it_passes_at_once() {
    let mut draft = stream(vec![status(401), stays_up()]);
    draft.clock = vec![clock(10, ClockChange::Step(secs(1000)))];
    let expected = [(0, "401"), (10, "clock steps +16m 40s"), (10, "message")];
    assert_eq!(events(&checked(draft))[..3], text(&expected));
}

#[test]
fn a_suspend_in_the_middle_of_a_wait_keeps_the_remainder() {
    // 300 s to wait, 100 gone; 8 h of suspend; 200 left.
    let mut draft = stream(vec![status(401), stays_up()]);
    draft.clock = vec![clock(100, ClockChange::Suspend(secs(28_800)))];
    let expected = [(0, "401"), (100, "suspend 8h"), (29_100, "message")];
    assert_eq!(events(&checked(draft))[..3], text(&expected));
}

#[test]
fn a_stream_that_closes_during_a_suspend_is_noticed_at_its_end() {
    let mut draft = stream(vec![up(50, End::Close), stays_up()]);
    draft.clock = vec![clock(20, ClockChange::Suspend(secs(100)))];
    let expected = [(0, "message"), (20, "suspend 1m 40s"), (120, "close"), (121, "message")];
    assert_eq!(events(&checked(draft))[..4], text(&expected));
}

#[test]
fn health_is_counted_on_the_clients_clock() {
    // 401; up at 300 for 80 s of true time, 50 of them suspended: 30 s of health do not reset.
    let mut draft = stream(vec![status(401), up(80, End::Close)]);
    draft.clock = vec![clock(310, ClockChange::Suspend(secs(50)))];
    assert_eq!(delays(&checked(draft)), [300, 600]);
}

#[test]
fn until_ends_the_run_with_that_instant_included() {
    let mut draft = poller(vec![ok()]);
    draft.then = Then::RepeatLast;
    draft.until = Some(secs(60));
    let expected = [(0, "ok"), (30, "ok"), (60, "ok"), (60, "end: until")];
    assert_eq!(events(&checked(draft)), text(&expected));
}

#[test]
fn then_repeat_last_repeats_the_last_entry_that_the_script_gave() {
    let mut draft = stream(vec![status(401), status(503)]);
    draft.then = Then::RepeatLast;
    draft.until = Some(secs(300 + 600 + 1200));
    assert_eq!(delays(&checked(draft)), [300, 600, 1200, 2400]);
}

#[test]
fn then_succeed_lets_every_further_attempt_succeed() {
    let mut draft = stream(vec![status(503)]);
    draft.then = Then::Succeed;
    let expected = [(0, "503"), (1, "message"), (1, "end: nothing more happens")];
    assert_eq!(events(&checked(draft)), text(&expected));
}

#[test]
fn a_run_without_end_is_ended_by_the_limit_of_events() {
    let mut draft = poller(vec![ok()]);
    draft.then = Then::RepeatLast;
    draft.until = Some(secs(1_000_000));
    draft.limits.events = 5;
    let last = records(&checked(draft)).pop().expect("a record");
    assert_eq!(last.event, Event::End(EndReason::EventLimit));
    // The fifth event was the fifth poll.
    assert_eq!((last.attempt, last.time_ns), (5, 120 * S));
}

#[test]
fn a_run_without_end_is_ended_by_the_limit_of_time() {
    let mut draft = poller(vec![ok()]);
    draft.then = Then::RepeatLast;
    draft.until = Some(secs(1_000_000));
    draft.limits.time = secs(100);
    let last = records(&checked(draft)).pop().expect("a record");
    assert_eq!(last.event, Event::End(EndReason::TimeLimit));
    assert_eq!((last.attempt, last.time_ns), (4, 100 * S));
}

#[test]
fn the_end_of_a_stream_that_is_gone_ends_no_run_by_a_limit_or_by_until() {
    // Cut at 50, up again at 51; the close that was to come at 100 is of no stream any more.
    let mut draft = stream(vec![up(100, End::Close), stays_up()]);
    draft.windows = vec![window(50, 51, UNAVAILABLE, Some(End::Reset))];
    let expected = text(&[(0, "message"), (50, "reset"), (51, "message"), (51, "end: nothing more happens")]);
    let with = |change: fn(&mut retrylab_spec::Draft)| {
        let mut draft = draft.clone();
        change(&mut draft);
        events(&checked(draft))
    };
    assert_eq!(with(|draft| draft.limits.time = secs(60)), expected);
    assert_eq!(with(|draft| draft.until = Some(secs(60))), expected);
    // Two attempts, a cut: nothing else happens.
    assert_eq!(with(|draft| draft.limits.events = 3), expected);
}

#[test]
fn a_cut_that_finds_no_stream_ends_no_run_by_a_limit() {
    // The script is over at 0: nothing is connected at 100.
    let mut draft = stream(vec![status(503)]);
    draft.windows = vec![window(100, 101, UNAVAILABLE, Some(End::Reset))];
    draft.limits.time = secs(60);
    assert_eq!(events(&checked(draft)), text(&[(0, "503"), (0, "end: nothing more happens")]));
}

/// Decides to wait 2 s after a failure, and says 5 s when it is asked again.
#[derive(Clone, Copy)]
struct TwoAnswers;

impl Policy for TwoAnswers {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::RetryAfter(secs(2))
    }
    fn record_success(&mut self, _: Instant) {}
    fn next_delay(&self) -> Duration {
        secs(5)
    }
}

#[test]
fn the_wait_after_a_failure_is_the_one_that_was_decided() {
    let timeline = checked(poller(vec![status(503), ok(), ok()]));
    let records: Vec<_> = Player::new(&timeline, TwoAnswers, None, 0).filter(Record::is_plain).collect();
    // After the success at 2 s there is only the stored value.
    assert_eq!(records.iter().map(|record| record.time_ns / S).collect::<Vec<_>>(), [0, 2, 7, 7]);
    assert_eq!(records[0].wait_ns(), Some(2 * S));
}

#[test]
fn not_modified_is_a_success_only_after_an_ok() {
    let timeline = checked(poller(vec![status(304), ok(), status(304)]));
    let expected = [(0, "304"), (30, "ok"), (60, "not-modified")];
    assert_eq!(events(&timeline)[..3], text(&expected));
}

#[test]
fn the_jitter_of_a_failure_is_the_draw_of_its_ordinal_in_the_run() {
    let mut draft = stream(vec![status(503), up(60, End::Close), status(503)]);
    draft.client.jitter = JitterChoice::Own;
    let timeline = checked(draft);
    let mut draws = Entropy::new(0).client(0);
    let expected: Vec<u64> =
        [S, S, 2 * S].into_iter().zip(0..).map(|(base, n)| base - half_of(base, draws.at(n))).collect();
    let waits: Vec<u64> = records(&timeline).iter().filter(|r| r.is_failure()).filter_map(|r| r.wait_ns()).collect();
    assert_eq!(waits, expected);
}

#[test]
fn an_entry_with_a_draw_uses_that_address_and_those_after_it() {
    let addressed = Entry { draw: Some(Draw::Address(100)), ..entry(UNAVAILABLE) };
    let mut draft = stream(vec![status(503), times(2, vec![retrylab_spec::Play::Attempt(addressed)]), status(503)]);
    draft.client.jitter = JitterChoice::Own;
    let timeline = checked(draft);
    let mut draws = Entropy::new(0).client(0);
    let placed = [(S, 0), (2 * S, 100), (4 * S, 101), (8 * S, 3)];
    let expected: Vec<u64> = placed.into_iter().map(|(base, n)| half_of(base, draws.at(n))).collect();
    let jitters: Vec<u64> = records(&timeline).iter().filter_map(|record| record.jitter_ns()).collect();
    assert_eq!(jitters, expected);
}

/// Three eighths of the largest draw, half of it, and none: 1 s less its 3/16, 2 and 4 s less their 1/4, and 8 s.
#[test]
fn an_entry_with_the_value_of_its_draw_uses_it_for_each_failure_whatever_the_seed() {
    let valued = |eighths: u64| Entry { draw: Some(Draw::Value(eighths << 61)), ..entry(UNAVAILABLE) };
    let attempt = |eighths| retrylab_spec::Play::Attempt(valued(eighths));
    let mut draft = stream(vec![attempt(3), times(2, vec![attempt(4)]), stays_up()]);
    draft.windows = vec![Window { entry: valued(0), ..window(4, 60, UNAVAILABLE, None) }];
    draft.client.jitter = JitterChoice::Own;
    let waits = |draft: &Draft, seed| -> Vec<u64> {
        let timeline = checked(draft.clone());
        let run = Player::new(&timeline, build(&timeline.client.kind).expect("built in").0, None, seed);
        run.filter_map(|record| record.is_failure().then(|| record.wait_ns()).flatten()).take(4).collect()
    };
    let worked = [812_500_000, 1_500_000_000, 3_000_000_000, 8_000_000_000];
    assert_eq!((waits(&draft, 0), waits(&draft, 7)), (worked.to_vec(), worked.to_vec()));
    // Like any draw, it is 0 without jitter.
    draft.client.jitter = JitterChoice::None;
    assert_eq!(waits(&draft, 0), [S, 2 * S, 4 * S, 8 * S]);
}

/// The draw's share of half of the base: base · draw / 2^65.
fn half_of(base: u64, draw: u64) -> u64 {
    u64::try_from((u128::from(base) * u128::from(draw)) >> 65).expect("at most half of the base")
}

/// Gives up at once.
#[derive(Clone, Copy)]
struct Never;

impl Policy for Never {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::GiveUp(GiveUp::Attempts)
    }
    fn record_success(&mut self, _: Instant) {}
    fn next_delay(&self) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn a_policy_that_gives_up_ends_the_run_without_a_wait() {
    let timeline = checked(stream(vec![status(503), stays_up()]));
    let records: Vec<_> = Player::new(&timeline, Never, None, 0).filter(Record::is_plain).collect();
    assert_eq!(records[0].event.to_string(), "503, gave up (attempts)");
    assert_eq!((records[0].wait_ns(), records[0].regime), (None, None));
    assert_eq!(records[1].event, Event::End(EndReason::GaveUp));
}

#[test]
fn a_built_in_call_gives_back_the_price_of_a_retry_that_is_not_made_and_begins_anew() {
    let budgets = vec![BudgetSpec::Tokens { tokens: 1, cost: 1, timeout_cost: 1, refill: 0 }];
    let spec = CallSpec { jitter: Jitter::None, budgets, ..CallSpec::default() };
    let (mut policy, _) = build(&PolicySpec::Call(spec)).expect("a call");
    let fail = |policy: &mut BuiltIn| policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
    let first = Decision::RetryAfter(Duration::from_millis(500));
    assert_eq!(fail(&mut policy), first);
    policy.record_cancelled_retry(FailureKind::Normal.into());
    policy.record_abandoned();
    assert_eq!(policy.explain(0).map(|rung| rung.number), Some(0));
    assert_eq!([fail(&mut policy), fail(&mut policy)], [first, Decision::GiveUp(GiveUp::Budget)]);
}
