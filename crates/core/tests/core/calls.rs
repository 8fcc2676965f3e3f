//! The builders of calls, what becomes a policy, and the limits that a caller adds.

use core::cell::Cell;
use core::time::Duration;

use retrylab_core::{
    Backoff, Both, Budget, Call, CallRules, CallRulesError, Constant, Decision, Exponential, Failure, FailureKind,
    Fibonacci, GiveUp, Instant, IntoPolicy, Jitter, Ladder, Limited, Linear, Policy, Retry, RetryRules, ServerDelay,
    TokenBucket,
};

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const TRANSIENT: Failure = Failure { kind: FailureKind::Normal, retry_after: None, fault: None };

/// The waits of one call that only fails, at draw 0.
fn waits(calls: impl IntoPolicy) -> Vec<u64> {
    let mut policy = calls.into_policy().expect("rules that allow an attempt");
    let mut waits = Vec::new();
    while let Decision::RetryAfter(wait) = policy.record_failure(TRANSIENT, Instant::ZERO, 0) {
        waits.push(wait.as_secs());
    }
    waits
}

#[test]
fn each_shape_waits_as_its_ladder_does() {
    assert_eq!(waits(Exponential::new(s(2), s(30)).attempts(7)), [2, 4, 8, 16, 30, 30]);
    assert_eq!(waits(Exponential::new(s(8), s(30)).growing_by(3, 2).attempts(6)), [8, 12, 18, 27, 30]);
    assert_eq!(waits(Constant::new(s(5)).attempts(4)), [5, 5, 5]);
    assert_eq!(waits(Linear::new(s(1), s(3), s(8)).attempts(6)), [1, 4, 7, 8, 8]);
    assert_eq!(waits(Fibonacci::new(s(1), s(4)).attempts(7)), [1, 1, 2, 3, 4, 4]);
    // Four attempts, three waits.
    assert_eq!(waits(Exponential::new(s(2), s(30))), [2, 4, 8]);
}

#[test]
fn every_option_of_a_builder_is_in_its_rules() {
    let retry_after = ServerDelay::clamp(s(60)).spread(s(1));
    let built = Exponential::new(s(1), s(10)).attempts(9).jitter(Jitter::SubtractHalf).elapsed(s(90));
    let by_hand = CallRules::builder()
        .backoff(Backoff::new(Ladder::doubling(s(1), s(10)), Jitter::SubtractHalf))
        .attempts(9)
        .elapsed(s(90))
        .server_delay(retry_after)
        .build();
    assert_eq!(built.retry_after(retry_after).rules(), by_hand);
    assert_eq!(Exponential::new(s(1), s(10)).rules().unwrap().backoff().jitter(), Jitter::Full);
    assert_eq!(Exponential::new(s(1), s(10)).without_jitter().rules().unwrap().backoff().jitter(), Jitter::None);
}

#[test]
fn an_unusable_value_is_raised_or_refused() {
    // A ceiling below the base is raised to it.
    assert_eq!(Exponential::new(s(9), s(3)).ceiling(), s(9));
    assert_eq!(waits(Exponential::new(s(9), s(3)).attempts(3)), [9, 9]);
    assert_eq!((Linear::new(s(9), s(1), s(3)).ceiling(), Fibonacci::new(s(9), s(3)).ceiling()), (s(9), s(9)));
    // A ratio that would shrink the wait, or is no number, counts as 1.
    assert_eq!(Exponential::new(s(1), s(9)).growing_by(1, 2).ratio(), (1, 1));
    assert_eq!(waits(Exponential::new(s(3), s(9)).growing_by(2, 0)), [3, 3, 3]);
    // No attempt is no call.
    assert_eq!(Exponential::new(s(1), s(9)).attempts(0).rules(), Err(CallRulesError::NoAttempt));
    assert_eq!(Constant::new(s(1)).attempts(0).into_policy().err(), Some(CallRulesError::NoAttempt));
}

#[test]
fn rules_builders_and_policies_become_policies() {
    let rules = Exponential::new(s(2), s(30)).rules().unwrap();
    assert_eq!(waits(rules), [2, 4, 8]);
    let mut stream = RetryRules::streaming(s(1)).into_policy().unwrap();
    assert_eq!(stream.record_failure(TRANSIENT, Instant::ZERO, 0), Decision::RetryAfter(s(1)));
    // A policy that is lent keeps its state.
    let mut lent = Call::new(rules);
    (&mut lent).into_policy().unwrap().record_failure(TRANSIENT, Instant::ZERO, 0);
    assert_eq!(lent.state().failures(), 1);
}

#[test]
fn a_limited_call_decides_as_a_call_with_those_limits() {
    let deadline = Instant::from_secs(40);
    let rules = Exponential::new(s(1), s(16)).attempts(5).elapsed(s(25)).rules().unwrap();
    // Every sequence of seven outcomes: a success, a transient failure, a terminal one; a second or ten between them.
    for number in 0..6_u32.pow(7) {
        let (mine, theirs) = (TokenBucket::new(6).cost(2).unwrap(), TokenBucket::new(6).cost(2).unwrap());
        let mut limited = Limited::new(Call::new(rules)).budget(&mine).deadline(deadline);
        let mut call = Call::with_budget(rules.with_deadline(deadline), &theirs);
        let (mut now, mut rest) = (Instant::ZERO, number);
        for _ in 0..7 {
            now = now + if rest % 2 == 0 { s(1) } else { s(10) };
            let failure = match rest / 2 % 3 {
                0 => None,
                1 => Some(TRANSIENT),
                _ => Some(FailureKind::Unexpected.into()),
            };
            rest /= 6;
            match failure {
                None => {
                    limited.record_success(now);
                    call.record_success(now);
                }
                Some(failure) => {
                    let draw = u64::from(number) << 32;
                    assert_eq!(
                        limited.record_failure(failure, now, draw),
                        call.record_failure(failure, now, draw),
                        "sequence {number}"
                    );
                }
            }
            assert_eq!((limited.next_delay(), mine.tokens()), (call.next_delay(), theirs.tokens()), "{number}");
        }
    }
}

#[test]
fn a_refused_retry_gives_the_policy_its_own_price_back() {
    let (inner, outer) = (TokenBucket::new(4), TokenBucket::new(1));
    let rules = Constant::new(s(1)).attempts(9).rules().unwrap();
    let mut limited = Limited::new(Call::with_budget(rules, &inner)).budget(&outer);
    assert_eq!(limited.record_failure(TRANSIENT, Instant::ZERO, 0), Decision::RetryAfter(s(1)));
    assert_eq!(limited.record_failure(TRANSIENT, Instant::ZERO, 0), Decision::GiveUp(GiveUp::Budget));
    assert_eq!((inner.tokens(), outer.tokens()), (3, 0));
    // An abandoned retry is refunded by both.
    let mut limited = Limited::new(Call::with_budget(rules, &inner)).budget(Both(&inner, TokenBucket::new(9)));
    assert_eq!(limited.record_failure(TRANSIENT, Instant::ZERO, 0), Decision::RetryAfter(s(1)));
    assert_eq!(inner.tokens(), 1);
    limited.record_cancelled_retry(TRANSIENT);
    limited.record_abandoned();
    assert_eq!(inner.tokens(), 3);
}

#[test]
fn a_deadline_bounds_a_policy_that_never_gives_up() {
    let stream = Retry::new(RetryRules::streaming(s(1)));
    let mut limited = Limited::new(stream).deadline(Instant::from_secs(10));
    // At 0 s it waits 1 s, at 1 s 2 s, at 3 s 4 s, which ends at 7 s; 8 s more would end at 15 s.
    for (at, wait) in [(0, 1), (1, 2), (3, 4)] {
        assert_eq!(limited.record_failure(TRANSIENT, Instant::from_secs(at), 0), Decision::RetryAfter(s(wait)));
    }
    let decision = limited.record_failure(TRANSIENT, Instant::from_secs(7), 0);
    assert_eq!(decision, Decision::GiveUp(GiveUp::Elapsed));
    // A wait that ends exactly there fits.
    let mut exact = Limited::new(Retry::new(RetryRules::streaming(s(10)))).deadline(Instant::from_secs(10));
    assert_eq!(exact.record_failure(TRANSIENT, Instant::ZERO, 0), Decision::RetryAfter(s(10)));
}

/// Counts what it hears of.
#[derive(Default)]
struct Counting {
    requests: Cell<u32>,
    successes: Cell<u32>,
}

impl Budget for Counting {
    fn record_request(&self) {
        self.requests.set(self.requests.get() + 1);
    }

    fn withdraw(&self, _: &Failure) -> bool {
        true
    }

    fn refund(&self, _: &Failure) {}

    fn record_success(&self) {
        self.successes.set(self.successes.get() + 1);
    }
}

#[test]
fn each_operation_is_one_request_however_it_ends() {
    let counted = Counting::default();
    let rules = Constant::new(s(1)).attempts(2).rules().unwrap();
    let mut limited = Limited::new(Call::new(rules)).budget(&counted);
    let mut requests = Vec::new();
    for failures in [0, 1, 2] {
        for _ in 0..failures {
            limited.record_failure(TRANSIENT, Instant::ZERO, 0);
        }
        if failures < 2 {
            limited.record_success(Instant::ZERO);
        }
        requests.push(counted.requests.get());
    }
    // One that succeeds at once, one that is retried, one that gives up.
    assert_eq!((requests, counted.successes.get()), (vec![1, 2, 3], 2));
}
