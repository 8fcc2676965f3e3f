//! Budgets: payments and refunds, which conserve tokens on any number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use retrylab_core::{
    Both, Budget, BudgetError, Call, Decision, Failure, FailureKind, Fault, GiveUp, Instant, Policy, RatioBudget,
    TokenBucket, Unlimited,
};

use crate::call::{TRANSIENT, exact};
use crate::generated::always;

const TIMEOUT: Failure = Failure { kind: FailureKind::Normal, retry_after: None, fault: Some(Fault::Timeout) };

/// The number of retries paid for, of `requested` ones.
fn paid(budget: &impl Budget, failure: Failure, requested: usize) -> usize {
    (0..requested).filter(|_| budget.withdraw(&failure)).count()
}

#[test]
fn a_bucket_starts_full_and_a_retry_takes_its_cost() {
    let bucket = TokenBucket::new(10);
    assert_eq!((bucket.tokens(), bucket.maximum()), (10, 10));
    assert_eq!(paid(&bucket, TRANSIENT, 20), 10, "a token each");
    assert_eq!((bucket.tokens(), bucket.maximum()), (0, 10));

    // 13 tokens at 5 each: two retries, and the rest stays.
    let bucket = TokenBucket::new(13).cost(5).unwrap();
    assert_eq!(paid(&bucket, TRANSIENT, 20), 2);
    assert_eq!(bucket.tokens(), 3, "too few tokens stay in the bucket");
}

#[test]
fn a_timeout_may_cost_more_than_another_failure() {
    let bucket = TokenBucket::new(100).cost(5).unwrap().timeout_cost(10).unwrap();
    assert!(bucket.withdraw(&TIMEOUT));
    assert_eq!(bucket.tokens(), 90);
    for fault in Fault::ALL.into_iter().filter(|fault| *fault != Fault::Timeout) {
        let before = bucket.tokens();
        assert!(bucket.withdraw(&Failure { fault: Some(fault), ..TRANSIENT }));
        assert_eq!(bucket.tokens(), before - 5, "{fault}");
    }
    // 90 - 10 · 5 are 40 tokens: four timeouts.
    assert_eq!(paid(&bucket, TIMEOUT, 20), 4);

    // The cost is that of a timeout, too, until that has its own.
    let bucket = TokenBucket::new(100).cost(7).unwrap();
    assert!(bucket.withdraw(&TIMEOUT));
    assert_eq!(bucket.tokens(), 93);
    let bucket = TokenBucket::new(100).timeout_cost(9).unwrap();
    assert!(bucket.withdraw(&TRANSIENT) && bucket.withdraw(&TIMEOUT));
    assert_eq!(bucket.tokens(), 90);
}

#[test]
fn the_bucket_by_default_is_that_of_the_aws_sdks() {
    // 500 tokens, 5 a retry, 10 after a timeout, 1 back for each success.
    assert_eq!(paid(&TokenBucket::default(), TRANSIENT, 1000), 100);
    assert_eq!(paid(&TokenBucket::default(), TIMEOUT, 1000), 50);
    let bucket = TokenBucket::default();
    paid(&bucket, TRANSIENT, 1000);
    for _ in 0..4 {
        bucket.record_success();
    }
    assert!(!bucket.withdraw(&TRANSIENT), "4 tokens are no retry");
    bucket.record_success();
    assert!(bucket.withdraw(&TRANSIENT));
    assert_eq!((bucket.tokens(), bucket.maximum()), (0, 500));
}

#[test]
fn a_success_puts_back_its_refill_and_never_above_the_maximum() {
    let bucket = TokenBucket::new(10).refill(7);
    bucket.record_success();
    assert_eq!(bucket.tokens(), 10, "it was full");
    paid(&bucket, TRANSIENT, 5);
    bucket.record_success();
    assert_eq!(bucket.tokens(), 10, "5 and 7 are 10 at most");
    paid(&bucket, TRANSIENT, 10);
    bucket.record_success();
    assert_eq!(bucket.tokens(), 7);

    let bucket = TokenBucket::new(10).refill(0);
    assert_eq!(paid(&bucket, TRANSIENT, 3), 3);
    bucket.record_success();
    assert_eq!(bucket.tokens(), 7);

    let bucket = TokenBucket::new(u32::MAX).refill(u32::MAX);
    assert!(bucket.withdraw(&TRANSIENT));
    bucket.record_success();
    assert_eq!(bucket.tokens(), u32::MAX, "no wrap");
}

#[test]
fn a_bucket_that_cannot_hold_a_retry_pays_for_none() {
    for bucket in [TokenBucket::new(0), TokenBucket::new(4).cost(5).unwrap()] {
        let before = bucket.tokens();
        assert_eq!(paid(&bucket, TRANSIENT, 10), 0);
        for _ in 0..10 {
            bucket.record_success();
        }
        assert_eq!(paid(&bucket, TRANSIENT, 10), 0);
        assert_eq!(bucket.tokens(), before);
    }
}

#[test]
fn a_refund_returns_the_amount_taken() {
    let bucket = TokenBucket::new(100).cost(5).unwrap().timeout_cost(10).unwrap();
    for failure in [TRANSIENT, TIMEOUT] {
        assert!(bucket.withdraw(&failure));
        bucket.refund(&failure);
        assert_eq!(bucket.tokens(), 100);
    }
    let ratio = RatioBudget::new(1, 3, 2).unwrap();
    assert_eq!(paid(&ratio, TRANSIENT, 10), 2);
    ratio.refund(&TRANSIENT);
    assert_eq!(ratio.retries(), 1);
    assert_eq!(paid(&ratio, TRANSIENT, 10), 1);
}

#[test]
fn a_thousand_requests_earn_exactly_their_fraction() {
    let earned = |numerator, denominator| {
        let budget = RatioBudget::new(numerator, denominator, 0).unwrap();
        for _ in 0..1000 {
            budget.record_request();
        }
        paid(&budget, TRANSIENT, 10_000)
    };
    assert_eq!(earned(34, 100), 340);
    assert_eq!(earned(6, 10), 600);
    assert_eq!(earned(3, 10), 300);
    assert_eq!(earned(15, 10), 1500);
    assert_eq!(earned(4, 10), 400);
    assert_eq!(earned(7, 10), 700);
    assert_eq!(earned(9, 10), 900);
    // What does not come out even is rounded down once, at the end.
    assert_eq!(earned(1, 3), 333);
    assert_eq!(earned(2, 3), 666);
    assert_eq!(earned(1, 1000), 1);
    assert_eq!(earned(1, 1001), 0);
    assert_eq!(earned(0, 1), 0);
    assert_eq!(earned(1, u32::MAX), 0);
}

#[test]
fn a_retry_is_earned_at_the_request_that_completes_it() {
    // With 3 of 10, requests 4, 7 and 10 of each ten complete one: 12, 21 and 30 tenths.
    let budget = RatioBudget::new(3, 10, 0).unwrap();
    let mut earned = Vec::new();
    for request in 1..=20 {
        budget.record_request();
        if paid(&budget, TRANSIENT, 10) == 1 {
            earned.push(request);
        }
    }
    assert_eq!(earned, [4, 7, 10, 14, 17, 20]);
}

#[test]
fn the_reserve_pays_before_anything_is_earned() {
    let budget = RatioBudget::new(1, 10, 5).unwrap();
    assert_eq!(budget.retries(), 5);
    assert_eq!(paid(&budget, TRANSIENT, 10), 5);
    for _ in 0..10 {
        budget.record_request();
    }
    assert_eq!(paid(&budget, TIMEOUT, 10), 1, "a timeout costs what the others cost");
    budget.record_success();
    assert_eq!(budget.retries(), 0, "a success earns nothing");
}

#[test]
fn the_credit_of_a_ratio_saturates() {
    let budget = RatioBudget::new(u32::MAX, u32::MAX, u32::MAX).unwrap();
    assert_eq!(budget.retries(), u64::from(u32::MAX));
    budget.record_request();
    assert_eq!(budget.retries(), 1 << 32);
    for _ in 0..10 {
        budget.record_request();
        budget.refund(&TRANSIENT);
    }
    // (2^64 - 1) / (2^32 - 1) is 2^32 + 1.
    assert_eq!(budget.retries(), (1 << 32) + 1);
}

#[test]
fn a_ratio_never_pays_for_more_than_its_fraction_and_its_reserve() {
    fn law(numerator: u32, denominator: u32, reserve: u32, events: Vec<bool>) -> bool {
        let (numerator, denominator, reserve) = (numerator % 5, 1 + denominator % 7, reserve % 4);
        let budget = RatioBudget::new(numerator, denominator, reserve).expect("a denominator");
        let (mut requests, mut retries) = (0, 0);
        events.into_iter().all(|is_request| {
            if is_request {
                budget.record_request();
                requests += 1;
                true
            } else {
                // It pays exactly as long as `retries + 1 ≤ requests · n / d + reserve`.
                let allowed = (retries + 1) * denominator <= requests * numerator + reserve * denominator;
                let pays = budget.withdraw(&TRANSIENT);
                retries += u32::from(pays);
                pays == allowed
            }
        })
    }
    always(law as fn(_, _, _, _) -> bool);
}

#[test]
fn a_bucket_holds_the_refills_less_the_payments() {
    fn law(maximum: u32, cost: u32, refill: u32, events: Vec<bool>) -> bool {
        let (maximum, cost, refill) = (maximum % 50, 1 + cost % 9, refill % 9);
        let bucket = TokenBucket::new(maximum).cost(cost).expect("a cost").refill(refill);
        let mut tokens = maximum;
        events.into_iter().all(|is_success| {
            if is_success {
                bucket.record_success();
                tokens = maximum.min(tokens + refill);
            } else if bucket.withdraw(&TRANSIENT) {
                let Some(left) = tokens.checked_sub(cost) else { return false };
                tokens = left;
            } else if tokens >= cost {
                return false;
            }
            bucket.tokens() == tokens && tokens <= maximum
        })
    }
    always(law as fn(_, _, _, _) -> bool);
}

#[test]
fn both_budgets_have_to_pay_and_the_first_is_refunded_if_the_second_does_not() {
    let (bucket, ratio) = (TokenBucket::new(10).cost(2).unwrap(), RatioBudget::new(1, 1, 3).unwrap());
    let both = Both(&bucket, &ratio);
    assert_eq!(paid(&both, TRANSIENT, 20), 3);
    assert_eq!((bucket.tokens(), ratio.retries()), (4, 0), "three retries were paid for, on both sides");

    // A request earns in the second; the first then pays for two more and is empty.
    for _ in 0..5 {
        both.record_request();
    }
    assert_eq!(paid(&both, TRANSIENT, 20), 2);
    assert_eq!((bucket.tokens(), ratio.retries()), (0, 3), "an empty first budget leaves the second alone");
    both.record_success();
    assert_eq!(bucket.tokens(), 1);
    both.refund(&TRANSIENT);
    assert_eq!((bucket.tokens(), ratio.retries()), (3, 4));
    assert!(Both(Unlimited, Unlimited).withdraw(&TRANSIENT));
}

#[test]
fn calls_share_a_budget_by_reference_and_have_their_own_by_clone() {
    let bucket = TokenBucket::new(3);
    let rules = exact(9).build().unwrap();
    let retries = |call: &mut dyn Policy| {
        let mut retries = 0;
        loop {
            match call.record_failure(TRANSIENT, Instant::ZERO, 0) {
                Decision::RetryAfter(_) => retries += 1,
                Decision::GiveUp(why) => {
                    assert_eq!(why, GiveUp::Budget);
                    return retries;
                }
            }
        }
    };
    let (mut one, mut two) = (Call::with_budget(rules, &bucket), Call::with_budget(rules, &bucket));
    assert!(one.record_failure(TRANSIENT, Instant::ZERO, 0).delay().is_some());
    assert!(two.record_failure(TRANSIENT, Instant::ZERO, 0).delay().is_some());
    assert_eq!((retries(&mut one), retries(&mut two)), (1, 0), "three between them");

    let shared = Arc::new(TokenBucket::new(3));
    let (mut one, mut two) = (Call::with_budget(rules, shared.clone()), Call::with_budget(rules, shared));
    assert_eq!((retries(&mut one), retries(&mut two)), (3, 0));

    let mut one = Call::with_budget(rules, TokenBucket::new(3));
    let mut two = one.clone();
    assert_eq!((retries(&mut one), retries(&mut two)), (3, 3));
    let ratio = RatioBudget::new(0, 1, 2).unwrap();
    let other = ratio.clone();
    assert_eq!((paid(&ratio, TRANSIENT, 9), paid(&other, TRANSIENT, 9)), (2, 2));
}

#[test]
fn budgets_are_equal_with_equal_credit_and_equal_rules() {
    let bucket = |maximum| TokenBucket::new(maximum).cost(2).unwrap();
    let (one, other) = (bucket(3), bucket(3));
    assert_eq!(one, other);
    assert!(one.withdraw(&TRANSIENT));
    assert_ne!(one, other);
    // One token is in each of these, but not as many fit.
    assert_ne!(one, bucket(1));

    let ratio = |numerator| RatioBudget::new(numerator, 2, 1).unwrap();
    let (one, other) = (ratio(1), ratio(1));
    assert_eq!(one, other);
    one.record_request();
    assert_ne!(one, other);
    assert_ne!(other, ratio(0));
}

#[test]
fn an_invalid_budget_is_an_error_that_names_the_value() {
    let free = "the cost of a retry is 0; it must be at least 1";
    assert_eq!(TokenBucket::new(1).cost(0).unwrap_err().to_string(), free);
    assert_eq!(TokenBucket::new(1).timeout_cost(0).unwrap_err(), BudgetError::FreeRetry);
    assert_eq!(
        RatioBudget::new(3, 0, 0).unwrap_err().to_string(),
        "the ratio of the budget is 3/0; the denominator must be at least 1"
    );
}

/// Requests retries from four threads, `requested` times each; returns the number paid for.
fn paid_to_four_threads(budget: &(impl Budget + Sync), requested: usize) -> u64 {
    let granted = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| granted.fetch_add(paid(budget, TRANSIENT, requested) as u64, Ordering::Relaxed));
        }
    });
    granted.into_inner()
}

#[test]
fn threads_get_exactly_the_tokens_of_a_bucket() {
    let bucket = TokenBucket::new(100_003).cost(5).unwrap();
    // 20,000 retries and three tokens that pay for none.
    assert_eq!(paid_to_four_threads(&bucket, 20_000), 20_000);
    assert_eq!(bucket.tokens(), 3);
}

#[test]
fn threads_get_exactly_the_credit_of_a_ratio() {
    let budget = RatioBudget::new(34, 100, 7).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..25_000).for_each(|_| budget.record_request()));
        }
    });
    assert_eq!(paid_to_four_threads(&budget, 34_007), 34_007);
    assert_eq!(budget.retries(), 0);
}

#[test]
fn tokens_are_conserved_while_some_threads_pay_and_others_refill() {
    // Half full, and with room for all that comes in or goes out, so that neither end is ever reached.
    let bucket = TokenBucket::new(400_000).refill(3);
    assert_eq!(paid(&bucket, TRANSIENT, 200_000), 200_000);
    let ratio = RatioBudget::new(1, 2, 0).unwrap();
    let granted = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..30_000).for_each(|_| bucket.record_success()));
            scope.spawn(|| assert_eq!(paid(&bucket, TRANSIENT, 50_000), 50_000));
            scope.spawn(|| (0..30_000).for_each(|_| ratio.record_request()));
            scope.spawn(|| granted.fetch_add(paid(&ratio, TRANSIENT, 50_000) as u64, Ordering::Relaxed));
        }
    });
    // 200,000 + 2 · 30,000 · 3 - 2 · 50,000.
    assert_eq!(bucket.tokens(), 280_000);
    // 60,000 requests earn 30,000 retries, whenever they are taken.
    assert_eq!(granted.into_inner() + ratio.retries(), 30_000);
}

#[test]
fn two_budgets_stay_in_step_across_threads() {
    let (bucket, ratio) = (TokenBucket::new(20_000), RatioBudget::new(0, 1, 10_000).unwrap());
    // The bucket has more than four threads can hold for a moment and give back.
    assert_eq!(paid_to_four_threads(&Both(&bucket, &ratio), 20_000), 10_000);
    assert_eq!((bucket.tokens(), ratio.retries()), (10_000, 0));
}
