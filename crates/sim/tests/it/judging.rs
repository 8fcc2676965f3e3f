//! Each kind of expectation can fail, and says where.

use retrylab_core::{ConfigOption, Regime};
use retrylab_sim::{Finding, Judge};
use retrylab_spec::{Draft, Entry, Expect, ExpectAt, Outcome, PolicySpec, Repeated, Seconds};

use crate::timelines::*;

/// What does not hold of 401, 503, ok, ok: delays 300 and 600, waits 300, 600, 30, 30.
fn unmet(expect: Expect) -> Vec<String> {
    unmet_of(poller(vec![status(401), status(503), ok(), ok()]), expect)
}

fn unmet_of(draft: Draft, expect: Expect) -> Vec<String> {
    let timeline = expecting(draft, expect);
    let mut judge = Judge::new(&timeline);
    for record in records(&timeline) {
        judge.observe(&record);
    }
    judge.finish().iter().map(Finding::to_string).collect()
}

fn values(seconds: &[(u64, u64)]) -> Option<Vec<Repeated>> {
    Some(seconds.iter().map(|&(value, times)| Repeated { value: secs(value), times }).collect())
}

#[test]
fn exact_expectations_hold() {
    let expect = Expect {
        delays: values(&[(300, 1), (600, 1)]),
        waits: values(&[(300, 1), (600, 1), (30, 2)]),
        attempts: Some(4),
        regime: Some(Regime::Normal),
        rung: Some(0),
        at: vec![
            ExpectAt { at: secs(0), regime: Some(Regime::Extended), rung: Some(1) },
            ExpectAt { at: secs(900), regime: Some(Regime::Extended), rung: Some(2) },
            ExpectAt { at: secs(930), regime: Some(Regime::Normal), rung: None },
        ],
        ..Expect::default()
    };
    assert_eq!(unmet(expect), Vec::<String>::new());
}

#[test]
fn a_wrong_delay_names_its_place_in_the_list() {
    let expect = Expect { delays: values(&[(300, 1), (601, 1)]), ..Expect::default() };
    assert_eq!(unmet(expect), ["expect.delays[1], value 2: expected 10m 1s, got 10m (attempt 2, at 5m)"]);
}

#[test]
fn one_nanosecond_is_a_difference() {
    let late = Repeated { value: secs(300) + core::time::Duration::from_nanos(1), times: 1 };
    let expect = Expect { delays: Some(vec![late]), ..Expect::default() };
    assert_eq!(unmet(expect), ["expect.delays[0], value 1: expected 5m 0.000000001s, got 5m (attempt 1, at 0s)"]);
}

#[test]
fn a_list_that_is_too_short_or_too_long_is_not_complete() {
    let short = Expect { waits: values(&[(300, 1)]), ..Expect::default() };
    assert_eq!(
        unmet(short),
        ["expect.waits, value 2: expected the end of the list after 1 values, got 10m (attempt 2, at 5m)"]
    );
    let long = Expect { delays: values(&[(300, 1), (600, 2)]), ..Expect::default() };
    assert_eq!(unmet(long), ["expect.delays: expected 3 values, got 2 (attempt 4, at 15m 30s)"]);
}

#[test]
fn the_state_at_the_end_and_in_between_is_compared() {
    let expect = Expect {
        attempts: Some(5),
        regime: Some(Regime::Extended),
        rung: Some(1),
        at: vec![ExpectAt { at: secs(299), regime: Some(Regime::Normal), rung: Some(2) }],
        ..Expect::default()
    };
    assert_eq!(
        unmet(expect),
        [
            "expect.at.\"4m 59s\".regime: expected normal, got extended (attempt 1, at 0s)",
            "expect.at.\"4m 59s\".rung: expected 2, got 1 (attempt 1, at 0s)",
            "expect.attempts: expected 5, got 4 (attempt 4, at 15m 30s)",
            "expect.regime: expected extended, got normal (attempt 4, at 15m 30s)",
            "expect.rung: expected 1, got 0 (attempt 4, at 15m 30s)",
        ]
    );
}

#[test]
fn a_warning_that_is_not_expected_is_a_difference_and_so_is_one_that_does_not_come() {
    let mut draft = poller(vec![ok()]);
    draft.client.kind = PolicySpec::Polling { poll_interval: Some(Seconds::Number(f64::NAN)) };
    let silent = Expect { attempts: Some(1), ..Expect::default() };
    assert_eq!(
        unmet_of(draft.clone(), silent.clone()),
        ["expect.warnings: expected no warning, got poll_interval (attempt 1, at 0s)"]
    );
    let warned = Expect { warnings: vec![ConfigOption::PollInterval], ..silent };
    assert_eq!(unmet_of(draft, warned.clone()), Vec::<String>::new());
    assert_eq!(
        unmet_of(poller(vec![ok()]), warned),
        ["expect.warnings: expected poll_interval, got no warning (attempt 1, at 0s)"]
    );
}

#[test]
fn a_run_that_a_limit_ends_does_not_hold() {
    let mut draft = poller(vec![times(100, vec![ok()])]);
    draft.limits.events = 3;
    let expect = Expect { attempts: Some(3), ..Expect::default() };
    assert_eq!(unmet_of(draft, expect), ["limits: expected a run that ends, got too many events (attempt 3, at 1m)"]);
}

#[test]
fn an_instant_before_the_first_outcome_is_judged_too() {
    let hang = retrylab_spec::Play::Attempt(entry(retrylab_spec::Outcome::Hang(secs(10))));
    let expect = Expect {
        at: vec![ExpectAt { at: secs(9), regime: Some(Regime::Extended), rung: Some(1) }],
        ..Expect::default()
    };
    assert_eq!(
        unmet_of(poller(vec![hang.clone()]), expect),
        [
            "expect.at.\"9s\".regime: expected extended, got normal (attempt 0, at 0s)",
            "expect.at.\"9s\".rung: expected 1, got 0 (attempt 0, at 0s)",
        ]
    );
    let expect =
        Expect { at: vec![ExpectAt { at: secs(9), regime: Some(Regime::Normal), rung: Some(0) }], ..Expect::default() };
    assert_eq!(unmet_of(poller(vec![hang]), expect), Vec::<String>::new());
}

#[test]
fn after_a_call_that_gave_up_the_next_one_is_at_its_start() {
    // The only attempt of the first call fails at 10 s, that of the second succeeds at 20 s.
    let slow = |outcome| retrylab_spec::Play::Attempt(Entry { latency: secs(10), ..entry(outcome) });
    let script = vec![slow(Outcome::Status { status: 503, retry_after: None }), slow(Outcome::Ok)];
    let expecting = |regime, rung| Expect {
        at: [5, 15].map(|at| ExpectAt { at: secs(at), regime: Some(regime), rung: Some(rung) }).to_vec(),
        ..Expect::default()
    };
    assert_eq!(unmet_of(calls(1, script.clone()), expecting(Regime::Normal, 0)), Vec::<String>::new());
    assert_eq!(
        unmet_of(calls(1, script), expecting(Regime::Extended, 1)),
        [
            "expect.at.\"5s\".regime: expected extended, got normal (attempt 0, at 0s)",
            "expect.at.\"5s\".rung: expected 1, got 0 (attempt 0, at 0s)",
            "expect.at.\"15s\".regime: expected extended, got normal (attempt 1, at 10s)",
            "expect.at.\"15s\".rung: expected 1, got 0 (attempt 1, at 10s)",
        ]
    );
}

#[test]
fn more_values_than_can_be_counted_are_a_list_that_is_not_complete() {
    let expect = Expect { delays: values(&[(300, u64::MAX), (600, 2)]), ..Expect::default() };
    assert_eq!(
        unmet_of(poller(vec![status(401)]), expect),
        ["expect.delays: expected 18446744073709551615 values, got 1 (attempt 1, at 0s)"]
    );
}
