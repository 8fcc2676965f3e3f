//! Clients do not draw alike, and take one draw a failure.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use retrylab_core::{Backoff, Call, CallRules, Jitter, Ladder};
use retrylab_driver::blocking::Driver;
use retrylab_driver::{Entropy, SystemEntropy};

use crate::script::{exact, ms, s};

/// Ten waits between nothing and an hour.
fn spread() -> Call {
    let backoff = Backoff::new(Ladder::constant(s(3600)), Jitter::Full);
    Call::new(CallRules::builder().attempts(11).backoff(backoff).build().expect("attempts"))
}

fn waits<N: Entropy>(entropy: N, policy: Call) -> Vec<Duration> {
    let waits = RefCell::new(Vec::new());
    let driver = Driver::new().sleeper(|delay| waits.borrow_mut().push(delay)).entropy(entropy);
    driver.retry(policy, || Err::<(), _>(())).expect_err("no success");
    waits.take()
}

#[test]
fn clones_of_one_policy_wait_differently() {
    let policy = spread();
    let (one, two) = (waits(SystemEntropy, policy), waits(SystemEntropy, policy));
    assert_eq!((one.len(), two.len()), (10, 10));
    // That one of the ten is equal by chance has a probability below 10^-11.
    assert!(one.iter().zip(&two).all(|(one, two)| one != two), "{one:?}\n{two:?}");
}

#[test]
fn clones_of_one_driver_wait_differently() {
    let waits = RefCell::new(Vec::new());
    let driver = Driver::new().sleeper(|delay| waits.borrow_mut().push(delay));
    for client in [driver.clone(), driver] {
        client.retry(spread(), || Err::<(), _>(())).unwrap_err();
    }
    let waits = waits.take();
    assert_ne!(waits[..10], waits[10..]);
}

#[test]
fn the_system_s_draws_reach_both_halves_of_the_range() {
    let draws: Vec<u64> = (0..200).map(|_| SystemEntropy.draw()).collect();
    // Each misses one half with a probability of 2^-200.
    assert!(draws.iter().any(|draw| *draw < 1 << 63));
    assert!(draws.iter().any(|draw| *draw >= 1 << 63));
}

#[test]
fn there_is_one_draw_for_each_failure_the_last_included_and_none_for_a_success() {
    let drawn = Cell::new(0);
    let driver = Driver::new().sleeper(|_| {}).entropy(|| {
        drawn.set(drawn.get() + 1);
        0
    });
    driver.retry(Call::new(exact(4).build().unwrap()), || Err::<(), _>(())).unwrap_err();
    assert_eq!(drawn.replace(0), 4);
    driver.retry(Call::new(exact(4).build().unwrap()), || Ok::<_, ()>(())).unwrap();
    assert_eq!(drawn.get(), 0);
}

#[test]
fn the_policy_receives_the_draw() {
    // Half a draw of full jitter takes half of each rung.
    let rules = CallRules::builder().attempts(3).build().unwrap();
    assert_eq!(waits(|| 1 << 63, Call::new(rules)), [ms(250), ms(500)]);
}
