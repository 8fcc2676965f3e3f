//! Recording an outcome and reading the wait allocates nothing, for every rule, policy, ladder and jitter kind of core.

use std::hint::black_box;
use std::time::Duration;

use allocation_counter::measure;
use retrylab_core::{
    Backoff, Both, Budget, BuiltInReset, Call, CallRules, Failure, FailureKind, Instant, Jitter, Ladder, Policy,
    RatioBudget, ResetBy, ResetRule, Retry, RetryRules, ServerDelay, Successes, TokenBucket, Unlimited,
};

/// Failures in one run: enough to climb every ladder to its ceiling and to stay there.
const FAILURES: u64 = 64;

#[test]
fn the_counter_sees_an_allocation_where_there_is_one() {
    assert_eq!(measure(|| drop(black_box(Box::new(1_u64)))).count_total, 1);
}

#[test]
fn a_streaming_client_allocates_nothing() {
    assert_eq!(allocations_of_a_client(RetryRules::streaming(Duration::from_secs(1))), 0);
}

#[test]
fn a_polling_client_allocates_nothing() {
    assert_eq!(allocations_of_a_client(RetryRules::polling(Duration::from_secs(30))), 0);
}

#[test]
fn a_client_whose_reset_rule_is_chosen_at_run_time_allocates_nothing() {
    assert_eq!(
        allocations_of_a_client(RetryRules::<BuiltInReset>::from(RetryRules::streaming(Duration::from_secs(1)))),
        0
    );
    assert_eq!(
        allocations_of_a_client(RetryRules::<BuiltInReset>::from(RetryRules::polling(Duration::from_secs(30)))),
        0
    );
}

#[test]
fn building_rules_allocates_nothing_even_when_the_configured_value_is_unusable() {
    let allocations = measure(|| {
        black_box(RetryRules::streaming_from_secs_f64(f64::NAN));
        black_box(RetryRules::polling_from_secs_f64(-1.0));
    });
    assert_eq!(allocations.count_total, 0);
}

#[test]
fn a_policy_behind_a_trait_object_allocates_nothing_once_it_is_boxed() {
    let mut policy: Box<dyn Policy> = Box::new(Retry::new(RetryRules::streaming(Duration::from_secs(1))));
    let allocations = measure(|| {
        for number in 0..FAILURES {
            black_box(policy.record_failure(Failure::from(kind(number)), Instant::from_secs(number), number));
            black_box((policy.next_delay(), policy.explain(number)));
        }
        policy.record_success(Instant::from_secs(FAILURES));
    });
    assert_eq!(allocations.count_total, 0);
}

#[test]
fn no_ladder_allocates_with_any_jitter() {
    let [base, ceiling] = [Duration::from_secs(1), Duration::from_secs(30)];
    static RUNGS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];
    let rungs = [base, ceiling];
    let allocations = measure(|| {
        let ladders = [
            Ladder::exponential(base, 3, 2, ceiling),
            Ok(Ladder::constant(base)),
            Ok(Ladder::linear(base, base, ceiling)),
            Ok(Ladder::fibonacci(base, ceiling)),
            Ladder::list(&rungs),
            Ladder::static_list(&RUNGS),
        ];
        for ladder in ladders {
            let ladder = ladder.expect("each of the six is well formed");
            for jitter in Jitter::ALL {
                let backoff = Backoff::new(ladder, jitter);
                let mut state = backoff.start();
                for number in 0..FAILURES {
                    black_box(backoff.next_wait(&mut state, number << 32));
                }
            }
        }
    });
    assert_eq!(allocations.count_total, 0);
}

#[test]
fn a_bounded_call_allocates_nothing_with_any_budget() {
    let ratio = || RatioBudget::new(1, 2, 4).expect("a fraction");
    for server_delay in server_delays() {
        assert_eq!(allocations_of_calls(call(server_delay, Unlimited)), 0);
        assert_eq!(allocations_of_calls(call(server_delay, TokenBucket::new(50))), 0);
        assert_eq!(allocations_of_calls(call(server_delay, ratio())), 0);
        assert_eq!(allocations_of_calls(call(server_delay, Both(&TokenBucket::new(50), &ratio()))), 0);
    }
}

#[test]
fn a_reset_rule_in_front_of_a_call_allocates_nothing() {
    for server_delay in server_delays() {
        let calls = call(server_delay, TokenBucket::new(50));
        assert_eq!(allocations_of_calls(ResetBy::new(Successes::new(2), calls)), 0);
    }
}

fn server_delays() -> [ServerDelay; 3] {
    let [most, spread] = [50, 5].map(Duration::from_secs);
    [ServerDelay::Ignore, ServerDelay::clamp(most).spread(spread), ServerDelay::refuse(most).spread(spread)]
}

fn call<B: Budget>(server_delay: ServerDelay, budget: B) -> Call<B> {
    let seconds = Duration::from_secs;
    let rules = CallRules::builder().attempts(5).elapsed(seconds(40)).server_delay(server_delay).build();
    Call::with_budget(rules.expect("five attempts are allowed"), budget)
}

/// Calls end in every way: by attempts, elapsed time, a refused wait, a terminal failure, a success, an empty budget, and
/// because nobody waits any more.
fn allocations_of_calls(mut call: impl Policy) -> u64 {
    let seconds = Duration::from_secs;
    let outcomes = || {
        for number in 0..FAILURES {
            let retry_after = (number % 5 == 4).then(|| seconds(number));
            let kind = if number % 11 == 10 { FailureKind::Unexpected } else { FailureKind::Normal };
            let failure = Failure { retry_after, ..kind.into() };
            black_box(call.record_failure(failure, Instant::from_secs(number * 4), number << 32));
            black_box((call.next_delay(), call.explain(number)));
            if number % 7 == 6 {
                call.record_connected(Instant::from_secs(number * 4));
                call.record_success(Instant::from_secs(number * 4));
            }
            if number % 13 == 12 {
                call.record_cancelled_retry(failure);
                call.record_abandoned();
            }
        }
    };
    measure(outcomes).count_total
}

fn allocations_of_a_client<R: ResetRule>(rules: RetryRules<R>) -> u64 {
    let outcomes = || {
        let mut state = rules.start();
        for number in 0..FAILURES {
            rules.record_failure(&mut state, kind(number), Instant::from_secs(number), number << 32);
            black_box((state.next_delay(), state.next_delay_nanos(), state.regime(), state.attempts()));
        }
        // The last two are a minute apart, so that either built-in rule resets.
        rules.record_success(&mut state, Instant::from_secs(FAILURES));
        rules.record_success(&mut state, Instant::from_secs(FAILURES + 60));
        assert_eq!(black_box(state).attempts(), 0);
    };
    measure(outcomes).count_total
}

/// Normal for the first half, so that both ladders are climbed.
fn kind(number: u64) -> FailureKind {
    if number < FAILURES / 2 { FailureKind::Normal } else { FailureKind::Unexpected }
}
