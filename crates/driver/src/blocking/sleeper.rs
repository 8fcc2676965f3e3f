//! The wait of a thread.

use std::time::Duration;

use super::cancel::Cancel;

/// Waits on this thread. A closure that takes the delay is a sleeper that cannot be cancelled, for tests that record
/// waits.
///
/// ```
/// use std::cell::RefCell;
/// use std::time::Duration;
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver::blocking::Driver;
///
/// let waits = RefCell::new(Vec::new());
/// let driver = Driver::new().sleeper(|delay| waits.borrow_mut().push(delay)).entropy(|| 0);
/// let call = Call::new(CallRules::builder().attempts(3).build()?);
/// let answer = driver.retry(call, || Err::<(), _>("refused"));
/// assert_eq!(answer.unwrap_err().to_string(), "giving up after 3 attempts");
/// assert_eq!(waits.take(), [Duration::from_millis(500), Duration::from_secs(1)]);
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
pub trait Sleeper {
    /// Waits for `delay`, or until `cancel` is cancelled, also if it already is.
    fn sleep(&self, delay: Duration, cancel: &Cancel);
}

impl<F: Fn(Duration)> Sleeper for F {
    fn sleep(&self, delay: Duration, _: &Cancel) {
        self(delay);
    }
}

/// Blocks the thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadSleeper;

impl Sleeper for ThreadSleeper {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        cancel.wait(delay);
    }
}
