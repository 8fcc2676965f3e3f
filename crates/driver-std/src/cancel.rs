//! Ends a wait from another thread.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A handle that cancels retries: a wait ends at once, no further attempt begins. An attempt that is running is left to
/// finish, and counts if it succeeds.
///
/// Clones are handles of the same. Cancelling is for good, and may come before, during or after what it cancels.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Retry, RetryRules};
/// use retrylab_driver_std::{Cancel, Driver, RetryError};
///
/// let cancel = Cancel::new();
/// let shutdown = cancel.clone();
/// let reconnecting = std::thread::spawn(move || {
///     let (rules, _) = RetryRules::streaming(3600.0);
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

    /// Waits for `delay`, or until it is cancelled. Returns whether it was cancelled.
    #[expect(clippy::disallowed_methods, reason = "the one place where a thread really waits")]
    pub fn wait(&self, delay: Duration) -> bool {
        // The flag is read and the wait begun under one lock, so a wake-up cannot come in between and be lost; a spurious
        // one finds the flag unset and waits for the rest.
        let waited = self.shared.changed.wait_timeout_while(self.lock(), delay, |cancelled| !*cancelled);
        let (cancelled, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *cancelled
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        // Nothing that holds the lock can panic, and a flag has no state in between.
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
    fn a_wake_up_without_a_reason_does_not_end_a_wait() {
        let cancel = Cancel::new();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| tell.send(cancel.wait(LONGEST_WAIT)));
            // Whenever the other thread begins to wait, it is woken in vain from then on. A wait that ended so would say
            // that it was not cancelled.
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
