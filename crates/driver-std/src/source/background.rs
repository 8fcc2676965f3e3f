//! A thread in the background, which can be waited for from anywhere.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};

use crate::Cancel;

/// At most one thread.
#[derive(Debug, Default)]
pub(super) struct Background {
    thread: Mutex<Option<JoinHandle<()>>>,
    id: OnceLock<ThreadId>,
}

impl Background {
    /// Runs `work` on the thread. Returns whether the system had one to give; an error in the log says why not.
    pub(super) fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) -> bool {
        let begin = Cancel::new();
        let begun = begin.clone();
        let spawned = thread::Builder::new().name(name.to_owned()).spawn(move || {
            // Whoever joins from inside has to be known by then.
            while !begun.wait(crate::LONGEST_WAIT) {}
            work();
        });
        match spawned {
            Ok(thread) => {
                // There is one spawn for each value.
                let _ = self.id.set(thread.thread().id());
                *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
                begin.cancel();
                true
            }
            Err(error) => {
                tracing::error!(target: "retrylab", "There is no thread for {name}: {error}");
                false
            }
        }
    }

    /// Waits until the thread has ended. On the thread itself it does not wait.
    pub(super) fn join(&self) {
        if self.id.get() == Some(&thread::current().id()) {
            return;
        }
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // If it panicked, it has ended, too.
            let _ = thread.join();
        }
    }
}
