//! Simulations by a builder, with waits that are worked out by hand.

use std::time::Duration;

use retrylab_core::{CallRulesError, Constant, Exponential, GiveUp, HealthyFor, RetryRules, ServerDelay, TokenBucket};
use retrylab_core::{IntoPolicy, Limited};
use retrylab_spec::ConnectFault;
use retrylab_testkit::{SimulationError, simulate};

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const SIX: Exponential = Exponential::new(s(2), s(30)).attempts(6).without_jitter();

#[test]
fn the_sixth_attempt_of_a_minute_s_outage_finds_the_server_back() {
    // Attempts at 0, 2, 6, 14, 30 and 60 s; the outage ends at 60 s.
    let run = simulate(SIX).outage(503, s(60)).then_ok().run();
    assert_eq!((run.attempts(), run.gave_up(), run.lasted()), (6, None, s(60)));
    assert_eq!(run.waits(), [s(2), s(4), s(8), s(16), s(30)]);
    // A nanosecond longer, and it is too late.
    let run = simulate(SIX).outage(503, s(60) + Duration::from_nanos(1)).then_ok().run();
    assert_eq!((run.attempts(), run.gave_up()), (6, Some(GiveUp::Attempts)));
}

#[test]
fn steps_are_taken_one_an_attempt_and_outages_take_none() {
    let run = simulate(SIX).fails(503, 2).faults(ConnectFault::Refused, 1).hangs(s(5)).then_ok().run();
    // Failures at 0, 2, 6 and, after a wait of 8 s and a hang of 5, at 19 s; the wait after it is 16 s.
    assert_eq!((run.attempts(), run.lasted()), (5, s(35)));
    // A second outage begins where the first ends, or where it is said to.
    let run = simulate(SIX).outage(503, s(1)).outage(500, s(4)).then_ok().run();
    assert_eq!(run.attempts(), 3, "at 0, 2 and 6 s");
    let run = simulate(SIX).fails(503, 1).outage_from(s(1), 503, s(3)).then_ok().run();
    assert_eq!(run.attempts(), 3, "at 0, 2 and 6 s");
    // A terminal status ends the call at once.
    assert_eq!(simulate(SIX).fails(404, 9).run().gave_up(), Some(GiveUp::Terminal));
}

#[test]
fn the_server_s_wait_goes_with_the_statuses_before_it() {
    let heard = SIX.retry_after(ServerDelay::clamp(s(60)));
    let run = simulate(heard).fails(429, 2).retry_after(s(20)).fails(503, 1).then_ok().run();
    assert_eq!(run.waits(), [s(20), s(20), s(8)]);
    let run = simulate(heard).outage(503, s(25)).retry_after(s(20)).then_ok().run();
    assert_eq!(run.waits(), [s(20), s(20)]);
    let nothing = simulate(heard).then_ok().retry_after(s(20)).try_run();
    assert_eq!(nothing.err(), Some(SimulationError::RetryAfterNothing));
}

#[test]
fn a_stream_climbs_and_a_healthy_minute_resets_it() {
    let stream = RetryRules::streaming(s(1));
    let run = simulate(stream).fails(503, 3).up_for(s(59)).up_for(s(60)).then_ok().run();
    assert_eq!(run.waits(), [s(1), s(2), s(4), s(8), s(1)]);
    // A rejected key: the extended ladder.
    let run = simulate(stream).streams().fails(401, 3).then_ok().run();
    assert_eq!(run.waits(), [s(300), s(600), s(1200)]);
    // A custom one of two regimes.
    let quick = RetryRules::builder(HealthyFor::new(s(10))).normal(s(3), s(9)).build();
    let run = simulate(quick).up_for(s(9)).up_for(s(9)).up_for(s(10)).then_ok().run();
    assert_eq!(run.waits(), [s(3), s(6), s(3)]);
}

#[test]
fn a_poller_polls_on_at_its_interval() {
    let run = simulate(RetryRules::polling(s(30))).polls().fails(503, 2).then_ok().run();
    assert_eq!((run.waits(), run.lasted()), (vec![s(30), s(30)], s(60)));
    let run = simulate(RetryRules::polling(s(30))).polls().outage(503, s(3600)).until(s(600)).run();
    assert_eq!(run.attempts(), 21, "at 0, 30, … 600 s");
}

#[test]
fn a_seed_is_a_run_and_without_one_each_wait_is_the_longest() {
    let spread = SIX.jitter(retrylab_core::Jitter::Full);
    let waits = |seed| simulate(spread).seed(seed).fails(503, 5).run().waits();
    assert_eq!(waits(7), waits(7));
    assert_ne!(waits(7), waits(8));
    assert_eq!(simulate(spread).fails(503, 3).run().waits(), [s(2), s(4), s(8)]);
}

#[test]
fn any_policy_can_be_simulated_a_lent_one_too() {
    let budget = TokenBucket::new(2);
    let mut limited = Limited::new(Constant::new(s(1)).attempts(9).into_policy().unwrap()).budget(&budget);
    assert_eq!(simulate(&mut limited).fails(503, 9).run().gave_up(), Some(GiveUp::Budget));
    assert_eq!(budget.tokens(), 0);
}

#[test]
fn what_cannot_be_played_is_an_error_that_names_it() {
    let refused = simulate(SIX.attempts(0)).then_ok().try_run();
    assert_eq!(refused.err(), Some(SimulationError::Refused(CallRulesError::NoAttempt)));
    let success = simulate(SIX).fails(200, 1).try_run().unwrap_err();
    assert_eq!(success.to_string(), "timeline[0].play[0].status: status 200 is a success (write `ok = true`)");
}

#[test]
fn a_trace_has_a_row_an_event_and_the_timeline_prints_as_a_file() {
    let run = simulate(SIX).outage(503, s(5)).then_ok().run();
    let trace = run.trace().to_string();
    let times: Vec<&str> = trace.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(times, ["0s", "2s", "6s", "6s"], "{trace}");
    assert!(run.timeline().to_string().contains("status = 503"));
}
