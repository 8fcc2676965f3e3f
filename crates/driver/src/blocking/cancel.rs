//! Ends a wait from another thread.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A handle that cancels retries: a wait ends at once, and no further attempt begins. A running attempt finishes, and
/// counts if it succeeds.
///
/// Clones share the handle. Cancelling is final, and may come before, during or after the operation.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Retry, RetryRules};
/// use retrylab_driver::RetryError;
/// use retrylab_driver::blocking::{Cancel, Driver};
///
/// let cancel = Cancel::new();
/// let shutdown = cancel.clone();
/// let reconnecting = std::thread::spawn(move || {
///     let rules = RetryRules::streaming(Duration::from_secs(3600));
///     Driver::new().cancel(cancel).retry(Retry::new(rules), || Err::<(), _>("refused"))
/// });
/// shutdown.cancel();
/// let ended = reconnecting.join().unwrap();
/// assert!(matches!(ended, Err(RetryError::Cancelled { .. })));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: Mutex<bool>,
    changed: Condvar,
}

impl Cancel {
    /// A handle that has not been cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, and wakes every wait.
    pub fn cancel(&self) {
        *self.lock() = true;
        self.shared.changed.notify_all();
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.lock()
    }

    /// Waits for `delay`, or until cancelled. Returns whether it was cancelled.
    #[expect(clippy::disallowed_methods, reason = "the one place where a thread really waits")]
    pub fn wait(&self, delay: Duration) -> bool {
        // The flag is read and the wait begun under one lock, so no wake-up is lost in between; after a spurious one
        // the flag is unset and the wait continues.
        let waited = self.shared.changed.wait_timeout_while(self.lock(), delay, |cancelled| !*cancelled);
        let (cancelled, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *cancelled
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        // No code under the lock panics, and a flag has no intermediate state.
        self.shared.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::LONGEST_WAIT;

    #[test]
    fn a_spurious_wake_up_does_not_end_a_wait() {
        let cancel = Cancel::new();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| tell.send(cancel.wait(LONGEST_WAIT)));
            // From the start of its wait, the other thread gets spurious wake-ups. If one ended the wait, it would
            // report that it was not cancelled.
            for _ in 0..1000 {
                cancel.shared.changed.notify_all();
                thread::yield_now();
                assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Empty));
            }
            cancel.cancel();
            assert_eq!(told.recv(), Ok(true));
        });
    }
}
