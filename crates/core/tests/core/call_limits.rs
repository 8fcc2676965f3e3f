//! The limits of a bounded call: time, deadline, budget, and their order.

use std::cell::Cell;
use std::time::Duration;

use retrylab_core::{
    Backoff, Budget, Call, CallRules, Decision, Failure, Fault, GiveUp, Instant, Jitter, Ladder, Policy, ServerDelay,
    TokenBucket, Unlimited,
};

use crate::call::{Client, TERMINAL, TRANSIENT, constant, ends, exact, retry_after, waits};
use crate::client::{ms, ns, s};

#[test]
fn the_time_allowed_ends_where_the_last_wait_ends_and_that_instant_fits() {
    let mut client = Client::new(constant(9, s(4)).elapsed(s(10)));
    assert_eq!(client.transient(s(0)), waits(s(4)), "ends at 4 s");
    assert_eq!(client.transient(s(5)), waits(s(4)), "ends at 9 s");
    assert_eq!(client.transient(s(6)), waits(s(4)), "ends at 10 s");
    assert_eq!(client.transient(s(6) + ns(1)), ends(GiveUp::Elapsed), "would end a nanosecond later");
}

#[test]
fn the_time_allowed_counts_from_the_first_failure_of_the_call() {
    let mut client = Client::new(constant(9, s(4)).elapsed(s(10)));
    // However long the first attempt took, and whatever the clock shows.
    assert_eq!(client.transient(s(1_000_000)), waits(s(4)));
    assert_eq!(client.transient(s(1_000_006)), waits(s(4)));
    assert_eq!(client.transient(s(1_000_007)), ends(GiveUp::Elapsed));
    // The next call has its own first failure.
    assert_eq!(client.transient(s(1_000_007)), waits(s(4)));
    assert_eq!(client.transient(s(1_000_013)), waits(s(4)));
    client.rules.record_success(&mut client.state, &Unlimited);
    assert_eq!(client.transient(s(2_000_000)), waits(s(4)));
}

#[test]
fn a_wait_that_cannot_fit_is_not_begun_even_after_the_first_failure() {
    assert_eq!(Client::new(constant(9, s(4)).elapsed(s(4))).transient(s(0)), waits(s(4)));
    assert_eq!(Client::new(constant(9, s(4)).elapsed(s(4) - ns(1))).transient(s(0)), ends(GiveUp::Elapsed));
    assert_eq!(Client::new(constant(9, s(4)).elapsed(s(0))).transient(s(0)), ends(GiveUp::Elapsed));
    assert_eq!(Client::new(constant(9, s(0)).elapsed(s(0))).transient(s(7)), waits(s(0)), "no wait fits into no time");
}

#[test]
fn a_shorter_wait_may_fit_where_the_longest_does_not() {
    // Full jitter: half a draw makes 2 s of 4.
    let backoff = Backoff::new(Ladder::constant(s(4)), Jitter::Full);
    let rules = CallRules::builder().backoff(backoff).elapsed(s(3));
    assert_eq!(Client::new(rules).fails(TRANSIENT, s(0), 1 << 63), waits(s(2)));
    assert_eq!(Client::new(rules).fails(TRANSIENT, s(0), 0), ends(GiveUp::Elapsed));
}

#[test]
fn the_deadline_is_the_last_instant_at_which_an_attempt_may_start() {
    let rules = constant(9, s(4)).deadline(Instant::from_secs(10));
    assert_eq!(rules.build().unwrap().deadline(), Some(Instant::from_secs(10)));
    assert_eq!(Client::new(rules).transient(s(0)), waits(s(4)));
    assert_eq!(Client::new(rules).transient(s(6)), waits(s(4)), "starts at 10 s");
    assert_eq!(Client::new(rules).transient(s(6) + ns(1)), ends(GiveUp::Elapsed));
    assert_eq!(Client::new(rules).transient(s(11)), ends(GiveUp::Elapsed), "the deadline has passed");
    assert_eq!(Client::new(constant(9, s(0)).deadline(Instant::ZERO)).transient(s(0)), waits(s(0)));
    assert_eq!(Client::new(constant(9, s(0)).deadline(Instant::ZERO)).transient(ns(1)), ends(GiveUp::Elapsed));
}

#[test]
fn one_call_of_many_may_have_its_own_deadline() {
    let rules = constant(9, s(4)).deadline(Instant::from_secs(10)).build().unwrap();
    let mut state = rules.start();
    let later = rules.with_deadline(Instant::from_secs(11));
    let at = Instant::from_secs(7);
    assert_eq!(later.record_failure(&mut state, &Unlimited, TRANSIENT, at, 0), waits(s(4)));
    assert_eq!(rules.record_failure(&mut state, &Unlimited, TRANSIENT, at, 0), ends(GiveUp::Elapsed));
}

#[test]
fn the_earlier_of_elapsed_time_and_deadline_ends_the_call() {
    let rules = constant(9, s(4)).elapsed(s(10));
    let mut early_deadline = Client::new(rules.deadline(Instant::from_secs(8)));
    assert_eq!(early_deadline.transient(s(0)), waits(s(4)));
    assert_eq!(early_deadline.transient(s(5)), ends(GiveUp::Elapsed));
    let mut late_deadline = Client::new(rules.deadline(Instant::from_secs(100)));
    assert_eq!(late_deadline.transient(s(0)), waits(s(4)));
    assert_eq!(late_deadline.transient(s(7)), ends(GiveUp::Elapsed));
}

#[test]
fn at_the_end_of_time_nothing_wraps() {
    let end = Duration::MAX;
    let last = |rules| Client::new(rules).transient(end);
    assert_eq!(last(exact(4)), waits(Duration::from_millis(500)), "without a limit of time there is always time");
    assert_eq!(last(exact(4).deadline(Instant::MAX)), ends(GiveUp::Elapsed), "past the last instant there is");
    assert_eq!(last(constant(4, s(0)).deadline(Instant::MAX)), waits(s(0)));
    assert_eq!(last(constant(4, Duration::MAX).elapsed(ns(u64::MAX - 1))), ends(GiveUp::Elapsed));
    assert_eq!(last(constant(4, Duration::MAX).elapsed(Duration::MAX)), waits(ns(u64::MAX)), "as good as no limit");
    let rules = exact(4).elapsed(Duration::MAX).build().unwrap();
    assert_eq!(rules.elapsed(), None);
    let rules = exact(4).elapsed(ns(u64::MAX - 1)).build().unwrap();
    assert_eq!(rules.elapsed(), Some(ns(u64::MAX - 1)));
}

#[test]
fn a_clock_that_goes_back_allows_no_more_than_if_it_stood_still() {
    let mut client = Client::new(constant(9, s(4)).elapsed(s(4)));
    assert_eq!(client.transient(s(10)), waits(s(4)));
    assert_eq!(client.transient(s(3)), waits(s(4)), "no time has passed");
    assert_eq!(client.transient(s(11)), ends(GiveUp::Elapsed));
}

/// What a failure does to a bucket of one token in which a retry costs one.
fn decided(rules: CallRules, failures: &[(Failure, u64)]) -> (Vec<Decision>, u32) {
    let bucket = TokenBucket::new(1);
    let mut state = rules.start();
    let decide = |&(failure, at)| rules.record_failure(&mut state, &bucket, failure, Instant::from_secs(at), 0);
    (failures.iter().map(decide).collect(), bucket.tokens())
}

#[test]
fn the_limits_are_checked_in_order_and_the_budget_pays_last() {
    let refuse = ServerDelay::refuse(s(60));
    let rules = constant(2, s(4)).elapsed(s(10)).server_delay(refuse).build().unwrap();
    let too_long = retry_after(s(61));
    // Terminal before attempts, attempts before the server's wait, that before the time, that before the budget.
    let one = |failure, at| decided(rules, &[(TRANSIENT, 0), (failure, at)]);
    assert_eq!(one(TERMINAL, 99).0[1], ends(GiveUp::Terminal));
    assert_eq!(one(too_long, 99).0[1], ends(GiveUp::Attempts));
    let three = exact(3).elapsed(s(10)).server_delay(refuse).build().unwrap();
    let one = |failure, at| decided(three, &[(TRANSIENT, 0), (failure, at)]);
    assert_eq!(one(too_long, 99).0[1], ends(GiveUp::RetryAfter(s(61))));
    assert_eq!(one(retry_after(s(60)), 0).0[1], ends(GiveUp::Elapsed), "the server's wait, too, has to fit");
    assert_eq!(one(TRANSIENT, 99).0[1], ends(GiveUp::Elapsed));
    assert_eq!(one(TRANSIENT, 0).0[1], ends(GiveUp::Budget));

    // A call that ends before the budget is reached costs nothing.
    for failure in [TERMINAL, too_long, retry_after(s(11))] {
        let (decisions, tokens) = decided(three, &[(failure, 0)]);
        assert!(matches!(decisions[0], Decision::GiveUp(_)), "{decisions:?}");
        assert_eq!(tokens, 1);
    }
    assert_eq!(decided(exact(1).build().unwrap(), &[(TRANSIENT, 0)]), (vec![ends(GiveUp::Attempts)], 1));
}

/// A budget that counts: calls, retries requested and retries paid for.
#[derive(Default)]
pub(crate) struct Books {
    pub(crate) left: Cell<u32>,
    pub(crate) paid: Cell<u32>,
    pub(crate) requests: Cell<u32>,
    pub(crate) successes: Cell<u32>,
}

impl Budget for Books {
    fn record_request(&self) {
        self.requests.set(self.requests.get() + 1);
    }

    fn withdraw(&self, _: &Failure) -> bool {
        let pays = self.left.get() > 0;
        if pays {
            self.left.set(self.left.get() - 1);
            self.paid.set(self.paid.get() + 1);
        }
        pays
    }

    fn refund(&self, _: &Failure) {
        self.left.set(self.left.get() + 1);
        self.paid.set(self.paid.get() - 1);
    }

    fn record_success(&self) {
        self.successes.set(self.successes.get() + 1);
    }
}

#[test]
fn a_budget_records_each_call_once_and_each_success() {
    let rules = exact(3).build().unwrap();
    let books = Books { left: Cell::new(100), ..Books::default() };
    let mut state = rules.start();
    let counts = || (books.requests.get(), books.paid.get(), books.successes.get());
    // Exhausted after three attempts.
    for expected in [(1, 1, 0), (1, 2, 0), (1, 2, 0)] {
        rules.record_failure(&mut state, &books, TRANSIENT, Instant::ZERO, 0);
        assert_eq!(counts(), expected);
    }
    // A success at once; a success after a failure; a terminal failure.
    rules.record_success(&mut state, &books);
    assert_eq!(counts(), (2, 2, 1));
    rules.record_failure(&mut state, &books, TRANSIENT, Instant::ZERO, 0);
    rules.record_success(&mut state, &books);
    assert_eq!(counts(), (3, 3, 2));
    rules.record_failure(&mut state, &books, TERMINAL, Instant::ZERO, 0);
    assert_eq!(counts(), (4, 3, 2));
}

#[test]
fn a_cancelled_retry_is_refunded_and_an_abandoned_call_is_followed_by_a_new_one() {
    let books = Books { left: Cell::new(100), ..Books::default() };
    let mut call = Call::with_budget(exact(3).build().unwrap(), &books);
    let counts = || (books.requests.get(), books.paid.get(), books.successes.get());
    let fails = |call: &mut Call<&Books>| call.record_failure(TRANSIENT, Instant::ZERO, 0);
    assert_eq!([fails(&mut call), fails(&mut call)], [waits(ms(500)), waits(s(1))]);
    call.record_cancelled_retry(TRANSIENT);
    assert_eq!(counts(), (1, 1, 0));
    assert_eq!(call.state().failures(), 2);
    call.record_abandoned();
    assert_eq!((*call.state(), call.next_delay()), (call.rules().start(), s(0)));
    assert_eq!(counts(), (1, 1, 0), "a retry that happened stays paid");
    // All three attempts.
    let decisions = [fails(&mut call), fails(&mut call), fails(&mut call)];
    assert_eq!(decisions, [waits(ms(500)), waits(s(1)), ends(GiveUp::Attempts)]);
    assert_eq!(counts(), (2, 3, 0));
    // No call is open, so nothing was paid for one.
    call.record_cancelled_retry(TRANSIENT);
    assert_eq!(counts(), (2, 3, 0));
}

#[test]
fn the_refund_is_the_cost_of_that_failure() {
    let timeout = Failure { fault: Some(Fault::Timeout), ..TRANSIENT };
    for (failure, left) in [(TRANSIENT, 95), (timeout, 90)] {
        let bucket = TokenBucket::new(100).cost(5).unwrap().timeout_cost(10).unwrap();
        let mut call = Call::with_budget(exact(9).build().unwrap(), &bucket);
        call.record_failure(failure, Instant::ZERO, 0);
        assert_eq!(bucket.tokens(), left);
        call.record_cancelled_retry(failure);
        assert_eq!(bucket.tokens(), 100);
    }
}
