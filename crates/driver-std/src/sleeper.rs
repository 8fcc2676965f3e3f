//! Who waits.

use std::time::Duration;

use crate::cancel::Cancel;

/// The longest wait that a sleeper is asked for, in whole seconds of `i64::MAX` nanoseconds, about 292 years: what
/// platforms can wait for. A policy may answer more; only the wait is cut to this, not what is stored or reported.
pub const LONGEST_WAIT: Duration = Duration::from_secs(9_223_372_036);

/// Waits on this thread. A closure that takes the delay is a sleeper that cannot be cancelled, which is what a test wants
/// that records its waits.
///
/// ```
/// use std::cell::RefCell;
/// use std::time::Duration;
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver_std::Driver;
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
    /// Waits for `delay`, or until `cancel` is cancelled, which may have happened before.
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
