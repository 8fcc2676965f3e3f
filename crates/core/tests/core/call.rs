//! The bounded call: waits, attempts, kinds, `retry_after`, and the place of a call on its ladder.

use std::time::Duration;

use retrylab_core::{
    Backoff, Call, CallRules, CallRulesBuilder, CallState, Decision, Failure, FailureKind, GiveUp, Instant, Jitter,
    Ladder, Least, Policy, Regime, Rung, ServerDelay, Unlimited,
};

use crate::client::{HALF, ms, ns, s};

/// `0.5 s · 2^(n - 1)`, without jitter or a ceiling.
pub(crate) fn exact(attempts: u32) -> CallRulesBuilder {
    with_ladder(attempts, Ladder::doubling(ms(500), Duration::MAX))
}

/// The same wait each time, without jitter.
pub(crate) fn constant(attempts: u32, wait: Duration) -> CallRulesBuilder {
    with_ladder(attempts, Ladder::constant(wait))
}

fn with_ladder(attempts: u32, ladder: Ladder) -> CallRulesBuilder {
    CallRules::builder().attempts(attempts).backoff(Backoff::new(ladder, Jitter::None))
}

pub(crate) const TRANSIENT: Failure = Failure { kind: FailureKind::Normal, retry_after: None, fault: None };
pub(crate) const TERMINAL: Failure = Failure { kind: FailureKind::Unexpected, retry_after: None, fault: None };

/// A transient failure with this `retry_after`.
pub(crate) const fn retry_after(wait: Duration) -> Failure {
    Failure { retry_after: Some(wait), ..TRANSIENT }
}

/// One client's calls, without a budget.
pub(crate) struct Client {
    pub(crate) rules: CallRules,
    pub(crate) state: CallState,
}

impl Client {
    pub(crate) fn new(builder: CallRulesBuilder) -> Self {
        let rules = builder.build().expect("an attempt");
        Self { rules, state: rules.start() }
    }

    pub(crate) fn fails(&mut self, failure: Failure, at: Duration, draw: u64) -> Decision {
        self.rules.record_failure(&mut self.state, &Unlimited, failure, Instant::ZERO + at, draw)
    }

    /// A transient failure with draw 0.
    pub(crate) fn transient(&mut self, at: Duration) -> Decision {
        self.fails(TRANSIENT, at, 0)
    }
}

pub(crate) const fn waits(wait: Duration) -> Decision {
    Decision::RetryAfter(wait)
}

pub(crate) const fn ends(why: GiveUp) -> Decision {
    Decision::GiveUp(why)
}

#[test]
fn four_attempts_wait_half_a_second_one_and_two() {
    let mut client = Client::new(exact(4));
    let decisions = [0; 4].map(|_| client.transient(s(0)));
    assert_eq!(decisions, [waits(ms(500)), waits(s(1)), waits(s(2)), ends(GiveUp::Attempts)]);
}

#[test]
fn the_default_rules_are_four_attempts_with_full_jitter_up_to_30_s() {
    let rules = CallRules::builder().build().unwrap();
    assert_eq!(rules.attempts(), Some(4));
    assert_eq!((rules.elapsed(), rules.deadline(), rules.server_delay()), (None, None, ServerDelay::Ignore));
    assert_eq!(*rules.backoff(), Backoff::new(Ladder::doubling(ms(500), s(30)), Jitter::Full));

    // Half a draw takes half of the rung, the largest all but a part of a nanosecond of it.
    let mut client = Client::new(CallRules::builder());
    assert_eq!(client.fails(TRANSIENT, s(0), HALF), waits(ms(250)));
    assert_eq!(client.fails(TRANSIENT, s(0), u64::MAX), waits(ns(1)));
    assert_eq!(client.fails(TRANSIENT, s(0), 0), waits(s(2)));

    // 0.5, 1, 2, 4, 8, 16 s, then 32 s cut to 30.
    let mut client = Client::new(CallRules::builder().attempts(9));
    let decisions = [0; 8].map(|_| client.transient(s(0)));
    assert_eq!(decisions[5..], [waits(s(16)), waits(s(30)), waits(s(30))]);
}

#[test]
fn a_call_without_an_attempt_cannot_be_built() {
    let error = exact(0).build().unwrap_err();
    assert_eq!(error.to_string(), "attempts is 0; at least 1 is allowed");
}

#[test]
fn a_call_of_one_attempt_never_waits() {
    let mut client = Client::new(exact(1));
    assert_eq!(client.transient(s(0)), ends(GiveUp::Attempts));
    assert_eq!(client.transient(s(0)), ends(GiveUp::Attempts), "and neither does the next call");
}

#[test]
fn the_largest_number_of_attempts_is_no_limit_and_the_one_below_it_is() {
    assert_eq!(exact(u32::MAX).build().unwrap().attempts(), None);
    assert_eq!(exact(u32::MAX - 1).build().unwrap().attempts(), Some(u32::MAX - 1));
    let mut client = Client::new(constant(u32::MAX, s(1)));
    for failures in 1..=100_000 {
        assert_eq!(client.transient(s(0)), waits(s(1)));
        assert_eq!(client.state.failures(), failures);
    }
}

#[test]
fn a_terminal_failure_ends_the_call_on_any_attempt() {
    for transient in 0..4 {
        let mut client = Client::new(exact(4));
        for _ in 0..transient {
            client.transient(s(0));
        }
        // On the last attempt, too, terminal is the reason.
        assert_eq!(client.fails(TERMINAL, s(0), 0), ends(GiveUp::Terminal), "after {transient}");
    }
}

#[test]
fn waits_saturate_and_never_wrap() {
    let mut client = Client::new(exact(u32::MAX));
    // 5·10^8 ns · 2^35 is below 2^64 ns, twice that is above.
    for doublings in 0..36 {
        assert_eq!(client.transient(Duration::MAX), waits(ns(500_000_000 << doublings)), "{doublings}");
    }
    for _ in 0..100 {
        assert_eq!(client.transient(Duration::MAX), waits(ns(u64::MAX)));
    }
}

#[test]
fn the_next_delay_is_the_decided_wait_and_zero_before_the_first_failure() {
    let mut client = Client::new(exact(3));
    assert_eq!(client.state.next_delay(), s(0));
    client.transient(s(7));
    assert_eq!(client.state.next_delay(), ms(500));
    client.transient(s(7));
    assert_eq!(client.state.next_delay(), s(1));
    client.transient(s(7));
    assert_eq!(client.state.next_delay(), s(0), "the call has ended");
}

#[test]
fn after_its_end_the_state_is_that_of_the_next_call() {
    let rules = exact(3).elapsed(s(60)).server_delay(ServerDelay::refuse(s(10)));
    let late = s(61);
    let endings: [(Failure, Duration, GiveUp); 3] = [
        (TERMINAL, s(0), GiveUp::Terminal),
        (retry_after(s(11)), s(0), GiveUp::RetryAfter(s(11))),
        (TRANSIENT, late, GiveUp::Elapsed),
    ];
    for (last, at, why) in endings {
        let mut client = Client::new(rules);
        assert_eq!(client.transient(s(0)), waits(ms(500)));
        assert_eq!(client.fails(last, at, 0), ends(why));
        assert_eq!(client.state, client.rules.start(), "{why}");
        // The next call has all of its attempts and its own time.
        let decisions = [0; 3].map(|_| client.transient(late));
        assert_eq!(decisions, [waits(ms(500)), waits(s(1)), ends(GiveUp::Attempts)], "after {why}");
        assert_eq!(client.state, client.rules.start());
    }

    let mut client = Client::new(rules);
    client.transient(s(0));
    client.rules.record_success(&mut client.state, &Unlimited);
    assert_eq!(client.state, client.rules.start());
    assert_eq!(client.transient(late), waits(ms(500)));
}

#[test]
fn retry_after_is_ignored_by_default() {
    let mut client = Client::new(exact(4));
    assert_eq!(client.fails(retry_after(s(60)), s(0), 0), waits(ms(500)));
    assert_eq!(client.fails(retry_after(s(0)), s(0), 0), waits(s(1)));
    assert_eq!(client.fails(retry_after(Duration::MAX), s(0), 0), waits(s(2)));
}

#[test]
fn the_longer_of_a_retry_after_and_the_rung_is_waited() {
    // Rungs of 0.5 and 1 s; of the second, half is 0.5 s.
    let clamp = ServerDelay::clamp(s(60));
    let wait = |wait| Client::new(exact(4).server_delay(clamp)).fails(retry_after(wait), s(0), HALF);
    assert_eq!(wait(s(0)), waits(ms(500)), "a server that requests no wait makes no hot loop");
    assert_eq!(wait(ms(499)), waits(ms(500)));
    assert_eq!(wait(ms(501)), waits(ms(501)));
    let full = CallRules::builder().server_delay(clamp.spread(ms(800)));
    let drawn = |wait| Client::new(full).fails(retry_after(wait), s(0), HALF);
    assert_eq!(drawn(s(0)), waits(ms(400)), "a spread of 400 ms, longer than half of the rung");
    let short = CallRules::builder().server_delay(clamp.spread(ms(200)));
    let drawn = |wait| Client::new(short).fails(retry_after(wait), s(0), HALF);
    assert_eq!(drawn(s(0)), waits(ms(250)), "half of the rung, longer than a spread of 100 ms");
    assert_eq!(drawn(ms(160)), waits(ms(260)));
}

#[test]
fn a_clamped_wait_is_retry_after_up_to_the_maximum() {
    let clamp = ServerDelay::clamp(s(60)).least(Least::Zero);
    let wait = |wait| Client::new(exact(4).server_delay(clamp)).fails(retry_after(wait), s(0), HALF);
    assert_eq!(wait(s(0)), waits(s(0)), "the server is ready");
    assert_eq!(wait(ns(1)), waits(ns(1)));
    assert_eq!(wait(s(60)), waits(s(60)));
    assert_eq!(wait(s(60) + ns(1)), waits(s(60)));
    assert_eq!(wait(Duration::MAX), waits(s(60)));
    assert_eq!(Client::new(exact(4).server_delay(clamp)).transient(s(0)), waits(ms(500)), "no retry_after");
}

#[test]
fn the_spread_is_added_so_no_client_returns_early() {
    let clamp = ServerDelay::clamp(s(60)).spread(s(10));
    let wait = |wait, draw| Client::new(exact(4).server_delay(clamp)).fails(retry_after(wait), s(0), draw);
    assert_eq!(wait(s(60), 0), waits(s(70)));
    assert_eq!(wait(s(60), HALF), waits(s(65)));
    // The largest draw takes 10 s less a part of a nanosecond, rounded down: 9,999,999,999 ns.
    assert_eq!(wait(s(60), u64::MAX), waits(s(60) + ns(1)));
    assert_eq!(wait(s(3600), HALF), waits(s(65)), "the maximum limits retry_after alone");
    assert_eq!(wait(s(0), 0), waits(s(10)));
}

#[test]
fn a_retry_after_above_the_maximum_is_refused_at_once_and_reported() {
    let refuse = ServerDelay::refuse(s(60)).spread(s(10));
    let wait = |wait| Client::new(exact(4).server_delay(refuse)).fails(retry_after(wait), s(0), 0);
    assert_eq!(wait(s(60)), waits(s(70)), "the spread does not count");
    assert_eq!(wait(s(60) + ns(1)), ends(GiveUp::RetryAfter(s(60) + ns(1))));
    // Longer than 64 bits of nanoseconds, and still reported exactly.
    assert_eq!(wait(Duration::MAX), ends(GiveUp::RetryAfter(Duration::MAX)));
}

#[test]
fn retry_after_plus_spread_saturates() {
    let endless = ServerDelay::clamp(Duration::MAX).spread(Duration::MAX);
    let wait = |wait, draw| Client::new(exact(4).server_delay(endless)).fails(retry_after(wait), s(0), draw);
    assert_eq!(wait(Duration::MAX, 0), waits(ns(u64::MAX)));
    assert_eq!(wait(Duration::MAX, u64::MAX), waits(ns(u64::MAX)));
    // (2^64 - 1) - ((2^64 - 1)·2^63 >> 64) is 2^63.
    assert_eq!(wait(s(0), HALF), waits(ns(1 << 63)));
}

#[test]
fn the_ladder_climbs_while_the_server_sends_retry_after() {
    let clamp = ServerDelay::clamp(s(60));
    let mut client = Client::new(exact(9).server_delay(clamp));
    assert_eq!(client.transient(s(0)), waits(ms(500)));
    assert_eq!(client.fails(retry_after(s(7)), s(0), 0), waits(s(7)));
    assert_eq!(client.transient(s(0)), waits(s(2)), "the third rung");
}

#[test]
fn a_call_explains_where_it_stands() {
    let rung = |number, base, jitter| Some(Rung { regime: Regime::Normal, number, base, jitter });
    let clamp = ServerDelay::clamp(s(60)).spread(s(8));
    let mut call = Call::new(CallRules::builder().attempts(4).server_delay(clamp).build().unwrap());
    assert_eq!(call.explain(HALF), rung(0, s(0), s(0)));
    Policy::record_failure(&mut call, TRANSIENT, Instant::ZERO, HALF);
    assert_eq!(call.explain(HALF), rung(1, ms(500), ms(250)));
    assert_eq!(Policy::next_delay(&call), ms(250));
    // A server's wait is explained as its longest, less the part of the spread that the draw subtracts.
    Policy::record_failure(&mut call, retry_after(s(60)), Instant::ZERO, HALF);
    assert_eq!(call.explain(HALF), rung(2, s(68), s(4)));
    Policy::record_failure(&mut call, TRANSIENT, Instant::ZERO, 0);
    assert_eq!(call.explain(0), rung(3, s(2), s(0)));
    Policy::record_failure(&mut call, TRANSIENT, Instant::ZERO, 0);
    assert_eq!(call.explain(0), rung(0, s(0), s(0)), "the next call");
}

#[test]
fn a_call_in_one_value_behaves_like_its_rules() {
    let rules = exact(2).build().unwrap();
    let mut call = Call::new(rules);
    assert_eq!((call.rules(), call.state(), call.budget()), (&rules, &rules.start(), &Unlimited));
    assert_eq!(Policy::record_failure(&mut call, TRANSIENT, Instant::ZERO, 0), waits(ms(500)));
    assert_eq!(call.state().failures(), 1);
    Policy::record_success(&mut call, Instant::from_secs(1));
    assert_eq!(call.state(), &rules.start());
    assert_eq!(Policy::record_failure(&mut call, TRANSIENT, Instant::ZERO, 0).delay(), Some(ms(500)));
    assert_eq!(Policy::record_failure(&mut call, TRANSIENT, Instant::ZERO, 0).delay(), None);
}

#[test]
fn reasons_have_these_names() {
    let names = [GiveUp::Attempts, GiveUp::Elapsed, GiveUp::Budget, GiveUp::Terminal, GiveUp::RetryAfter(s(1))];
    assert_eq!(names.map(|why| why.to_string()), ["attempts", "elapsed", "budget", "terminal", "retry-after"]);
    assert_eq!(format!("{:>9}|{:<9}", GiveUp::Elapsed, GiveUp::Budget), "  elapsed|budget   ");
}
