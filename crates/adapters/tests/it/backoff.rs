//! backoff, beside its own loop.

use std::cell::Cell;
use std::time::{Duration, Instant as SystemInstant};

use backoff::Clock;
use backoff::exponential::ExponentialBackoff;
use retrylab_adapters::{Backoff, Client, Library};
use retrylab_core::{Decision, GiveUp, Instant, Policy};

use crate::{asked, fail, s, setting};

/// An hour later whenever it is read.
struct Hourly {
    origin: SystemInstant,
    read: Cell<u32>,
}

impl Clock for Hourly {
    fn now(&self) -> SystemInstant {
        self.read.set(self.read.get() + 1);
        self.origin + s(3600) * self.read.get()
    }
}

/// A limit of 10 s, and an operation that fails this many times before it succeeds, each time after an hour.
fn own_loop(failures: u32, error: impl Fn() -> backoff::Error<()>) -> Result<u32, u32> {
    let origin = backoff::SystemClock::default().now();
    let policy = ExponentialBackoff {
        current_interval: s(1),
        initial_interval: s(1),
        randomization_factor: 0.0,
        multiplier: 2.0,
        max_interval: s(30),
        start_time: origin,
        max_elapsed_time: Some(s(10)),
        clock: Hourly { origin, read: Cell::new(0) },
    };
    let mut calls = 0;
    let result = backoff::retry(policy, || {
        calls += 1;
        if calls > failures { Ok(()) } else { Err(error()) }
    });
    result.map(|()| calls).map_err(|_| calls)
}

#[test]
fn retry_after_overrides_the_time_limit() {
    // A wait of zero, so that the loop, which really sleeps, does not.
    assert_eq!(own_loop(500, || backoff::Error::retry_after((), Duration::ZERO)), Ok(501));
    assert_eq!(own_loop(500, || backoff::Error::transient(())), Err(1));

    let limited = setting().elapsed(s(10));
    let mut policy = Client::new(Backoff::new(&limited, 7).expect("it limits time"));
    for number in 0..500 {
        let decision = policy.record_failure(asked(s(60)), Instant::from_secs(number * 3600), 0);
        assert_eq!(decision, Decision::RetryAfter(s(60)));
    }
    assert_eq!(fail(&mut policy, Instant::from_secs(500 * 3600)), Decision::GiveUp(GiveUp::Elapsed));
}

#[test]
fn the_time_of_a_call_counts_from_its_first_failure() {
    let limited = setting().without_jitter().elapsed(s(10));
    let mut policy = Client::new(Backoff::new(&limited, 7).expect("it limits time"));
    for call in 1..=3 {
        // An hour after the one before. 1 s fits; after 9 s, 2 s more do not.
        assert_eq!(fail(&mut policy, Instant::from_secs(call * 3600)), Decision::RetryAfter(s(1)));
        assert_eq!(fail(&mut policy, Instant::from_secs(call * 3600 + 9)), Decision::GiveUp(GiveUp::Elapsed));
    }
}
