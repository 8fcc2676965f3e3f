//! Policies other than the bounded call, and policies that live longer than one operation.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use retrylab_core::{
    AllTerminal, Call, Classified, Classify, Decision, Failure, FailureKind, Fault, GiveUp, HealthyFor, Instant,
    Policy, Regime, Retry, RetryRules, TokenBucket,
};
use retrylab_driver::RetryError;
use retrylab_driver::blocking::{Cancel, Driver, retry};

use crate::script::{exact, ms, s};

#[test]
fn a_policy_that_never_gives_up_continues_for_every_kind() {
    // 1, 2 s, then the extended ladder: 300, 600 s.
    let waits = RefCell::new(Vec::new());
    let driver = Driver::new()
        .sleeper(|delay| waits.borrow_mut().push(delay))
        .entropy(|| 0)
        .classify(|status: &i64| FailureKind::for_source_status(*status));
    let mut statuses = [503, 503, 401, 503].into_iter();
    let stream = Retry::new(RetryRules::streaming(s(1)));
    assert_eq!(driver.retry(stream, || statuses.next().map_or(Ok("open"), Err)), Ok("open"));
    assert_eq!(waits.take(), [s(1), s(2), s(300), s(600)]);
}

#[test]
fn a_borrowed_policy_keeps_its_state_and_receives_the_success() {
    let now = Cell::new(Instant::ZERO);
    let waits = RefCell::new(Vec::new());
    let driver = Driver::new().clock(|| now.get()).entropy(|| 0).sleeper(|delay| {
        waits.borrow_mut().push(delay);
        now.set(now.get() + delay);
    });
    let mut stream = Retry::new(RetryRules::streaming(s(1)));
    let fail = |stream: &mut Retry<HealthyFor>, failures| {
        let mut left = failures;
        let operation = || {
            left -= 1;
            if left < 0 { Ok(()) } else { Err(()) }
        };
        driver.retry(stream, operation).unwrap();
        waits.take()
    };
    assert_eq!(fail(&mut stream, 3), [s(1), s(2), s(4)]);
    // Healthy for 59 s: the ladder goes on. Then for 60 s: it starts again.
    now.set(now.get() + s(59));
    assert_eq!(fail(&mut stream, 1), [s(8)]);
    now.set(now.get() + s(60));
    assert_eq!(fail(&mut stream, 2), [s(1), s(2)]);
    assert_eq!((stream.regime(), stream.attempts()), (Regime::Normal, 2));
}

#[test]
fn an_error_that_no_classifier_knows_is_retried_as_without_a_classifier() {
    let cut = |error: &&str| (*error == "cut").then(Classified::transient);
    let unknown = |_: &&str| None::<Classified>;
    let fail = || Err::<(), _>("odd");
    let call = || Call::new(exact(3).build().unwrap());
    let driver = Driver::new().sleeper(|_| {});
    let answers = [
        driver.retry(call(), fail),
        driver.clone().classify(cut).retry(call(), fail),
        driver.clone().classify(cut.or(unknown)).retry(call(), fail),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(RetryError::Exhausted { attempts: 3, last: "odd", .. })), "{answer:?}");
    }
    // Unless the end of the chain says otherwise.
    assert_eq!(driver.classify(cut.or(AllTerminal)).retry(call(), fail), Err(RetryError::Terminal("odd")));
}

#[test]
fn a_terminal_error_ends_a_call_and_its_count() {
    let driver = Driver::new().sleeper(|_| {}).classify(|error: &&str| *error == "cut");
    let mut call = Call::new(exact(3).build().unwrap());
    let mut errors = ["cut", "odd"].into_iter();
    let answer = driver.retry(&mut call, || Err::<(), _>(errors.next().unwrap()));
    assert_eq!(answer, Err(RetryError::Terminal("odd")));
    assert_eq!(call.state().failures(), 0, "the next call starts anew");
    let answer = driver.retry(&mut call, || Err::<(), _>("cut"));
    assert!(matches!(answer, Err(RetryError::Exhausted { attempts: 3, .. })), "{answer:?}");
}

#[test]
fn a_policy_may_be_a_box() {
    let mut boxed: Box<dyn Policy> = Box::new(Call::new(exact(2).build().unwrap()));
    let answer = Driver::new().sleeper(|_| {}).retry(&mut *boxed, || Err::<(), _>(()));
    assert!(matches!(answer, Err(RetryError::Exhausted { attempts: 2, why: GiveUp::Attempts, .. })), "{answer:?}");
}

#[test]
fn the_policy_s_time_is_the_clock_s_when_the_attempt_ends() {
    /// Gives up at its second failure, and keeps the points in time.
    struct Watch(Vec<Instant>);

    impl Policy for Watch {
        fn record_failure(&mut self, _: Failure, now: Instant, _: u64) -> Decision {
            self.0.push(now);
            match self.0.len() {
                1 => Decision::RetryAfter(s(5)),
                _ => Decision::GiveUp(GiveUp::Elapsed),
            }
        }

        fn record_success(&mut self, now: Instant) {
            self.0.push(now);
        }

        fn next_delay(&self) -> std::time::Duration {
            s(5)
        }
    }

    let now = Cell::new(Instant::from_secs(7));
    let driver = Driver::new().clock(|| now.get()).sleeper(|delay| now.set(now.get() + delay));
    let attempt = || now.set(now.get() + ms(250));
    let mut watch = Watch(Vec::new());
    driver
        .retry(&mut watch, || {
            attempt();
            Err::<(), _>(())
        })
        .unwrap_err();
    driver
        .retry(&mut watch, || {
            attempt();
            Ok::<_, ()>(())
        })
        .unwrap();
    let at = |milliseconds| Instant::ZERO + ms(milliseconds);
    assert_eq!(watch.0, [at(7250), at(12_500), at(12_750)]);
}

#[test]
fn the_short_form_runs_on_the_real_clock() {
    let mut calls = 0;
    let answer = retry(Call::new(exact(4).build().unwrap()), || {
        calls += 1;
        Ok::<_, ()>(calls)
    });
    assert_eq!(answer, Ok(1));
    let answer = retry(Call::new(exact(1).build().unwrap()), || Err::<(), _>("cut"));
    assert!(matches!(answer, Err(RetryError::Exhausted { attempts: 1, last: "cut", .. })), "{answer:?}");
}

/// A bucket of 100 tokens: 5 a retry, 10 after a timeout.
fn bucket() -> TokenBucket {
    let retries = TokenBucket::new(100).cost(5).and_then(|bucket| bucket.timeout_cost(10));
    retries.expect("a retry costs something")
}

#[test]
fn a_borrowed_call_restarts_after_a_cancellation_with_a_refund() {
    let bucket = bucket();
    let mut call = Call::with_budget(exact(3).build().unwrap(), &bucket);
    let cancel = Cancel::new();
    let driver = Driver::new()
        .sleeper(|_| {})
        .cancel(cancel.clone())
        .classify(|fault: &Fault| Classified::for_call_fault(*fault))
        .on_retry(|retrying| {
            if retrying.attempt == 2 {
                cancel.cancel()
            }
        });
    let mut faults = [Fault::Reset, Fault::Timeout].into_iter();
    let answer = driver.retry(&mut call, || Err::<(), _>(faults.next().unwrap()));
    assert_eq!(answer, Err(RetryError::Cancelled { attempts: 2, last: Some(Fault::Timeout) }));
    assert_eq!(bucket.tokens(), 95, "the retry after the reset was made, that after the timeout was not");
    assert_eq!(call.state().failures(), 0);

    // The next operation has all its attempts, and pays for two retries.
    let answer = Driver::new().sleeper(|_| {}).retry(&mut call, || Err::<(), _>(()));
    assert!(matches!(answer, Err(RetryError::Exhausted { attempts: 3, .. })), "{answer:?}");
    assert_eq!(bucket.tokens(), 85);
}

#[test]
fn a_call_that_is_lent_begins_anew_after_a_panic_and_has_paid_for_the_attempt() {
    let bucket = bucket();
    let mut call = Call::with_budget(exact(3).build().unwrap(), &bucket);
    let driver = Driver::new().sleeper(|_| {});
    let mut attempts = 0;
    let panics = || {
        attempts += 1;
        assert!(attempts < 2, "the second attempt panics");
        Err::<(), _>(())
    };
    catch_unwind(AssertUnwindSafe(|| driver.retry(&mut call, panics))).unwrap_err();
    assert_eq!((call.state().failures(), bucket.tokens()), (0, 95));
}

/// Retries once, and counts what it hears of its end.
#[derive(Debug, Default, PartialEq)]
struct Ends {
    failures: u32,
    successes: u32,
    unmade: u32,
    abandoned: u32,
}

impl Policy for Ends {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        self.failures += 1;
        if self.failures == 1 { Decision::RetryAfter(s(5)) } else { Decision::GiveUp(GiveUp::Attempts) }
    }

    fn record_success(&mut self, _: Instant) {
        self.successes += 1;
    }

    fn record_cancelled_retry(&mut self, _: Failure) {
        self.unmade += 1;
    }

    fn record_abandoned(&mut self) {
        self.abandoned += 1;
    }

    fn next_delay(&self) -> std::time::Duration {
        s(5)
    }
}

#[test]
fn an_operation_that_came_to_its_end_is_not_abandoned() {
    let driver = Driver::new().sleeper(|_| {});
    let mut gives_up = Ends::default();
    driver.retry(&mut gives_up, || Err::<(), _>(())).unwrap_err();
    assert_eq!(gives_up, Ends { failures: 2, ..Ends::default() });

    let mut succeeds = Ends::default();
    let mut answers = [Err(()), Ok(())].into_iter();
    driver.retry(&mut succeeds, || answers.next().unwrap()).unwrap();
    assert_eq!(succeeds, Ends { failures: 1, successes: 1, ..Ends::default() });

    let cancel = Cancel::new();
    cancel.cancel();
    let mut never_begins = Ends::default();
    driver.cancel(cancel).retry(&mut never_begins, || Ok::<_, ()>(())).unwrap_err();
    assert_eq!(never_begins, Ends::default());
}
