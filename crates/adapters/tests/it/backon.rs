//! backon, beside its own loop.

use std::cell::{Cell, RefCell};
use std::future::{Future, ready};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use retrylab_adapters::{Backon, Client, Library};
use retrylab_core::{Decision, GiveUp, Instant, Policy};

use crate::{asked, fail, s, setting};

/// Three retries, and an operation that fails this many times before it succeeds, each time with a `Retry-After` of 60
/// s: the sleeps of the library's own loop, and whether it succeeds.
fn own_loop(failures: u32) -> (Vec<Duration>, Result<(), ()>) {
    let slept = Rc::new(RefCell::new(Vec::new()));
    let calls = Cell::new(0);
    let operation = || {
        calls.set(calls.get() + 1);
        ready(if calls.get() > failures { Ok(()) } else { Err(()) })
    };
    let sleeper = Rc::clone(&slept);
    let record = move |wait| {
        sleeper.borrow_mut().push(wait);
        ready(())
    };
    let builder = ExponentialBuilder::new().with_max_times(3);
    let call = operation.retry(builder).sleep(record).adjust(|&(), _| Some(s(60)));
    let mut call = pin!(call);
    // Nothing in it waits, so one poll runs it to its end.
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => (slept.take(), result),
        Poll::Pending => panic!("a call that waits for nothing is pending"),
    }
}

#[test]
fn a_retry_after_with_each_failure_disables_the_attempt_limit() {
    assert_eq!(own_loop(500), (vec![s(60); 500], Ok(())));
    let limited = setting().attempts(4);
    let mut policy = Client::new(Backon::new(&limited, 7).expect("it counts attempts"));
    for _ in 0..500 {
        assert_eq!(policy.record_failure(asked(s(60)), Instant::ZERO, 0), Decision::RetryAfter(s(60)));
    }
    // Without a header the limit applies, and was reached long before.
    assert_eq!(fail(&mut policy, Instant::ZERO), Decision::GiveUp(GiveUp::Attempts));
}

#[test]
fn a_retry_after_disables_the_time_limit_too() {
    let limited = setting().elapsed(s(10));
    let mut policy = Client::new(Backon::new(&limited, 7).expect("it limits time"));
    for number in 0..500 {
        let decision = policy.record_failure(asked(s(60)), Instant::from_secs(number * 60), 0);
        assert_eq!(decision, Decision::RetryAfter(s(60)));
    }
}

/// Exact waits of 1, 2 and 4 s are 7 s; 8 s more do not fit into 10. Nine attempts are never used up, over any number
/// of calls.
#[test]
fn each_call_counts_its_own_attempts() {
    let limited = setting().without_jitter().elapsed(s(10)).attempts(9);
    let mut policy = Client::new(Backon::new(&limited, 7).expect("it has both limits"));
    for _ in 0..5 {
        for wait in [1, 2, 4] {
            assert_eq!(fail(&mut policy, Instant::ZERO), Decision::RetryAfter(s(wait)));
        }
        assert_eq!(fail(&mut policy, Instant::ZERO), Decision::GiveUp(GiveUp::Elapsed));
    }
}
