//! A background thread that any thread can wait for.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};

use crate::blocking::Cancel;

/// At most one thread.
#[derive(Debug)]
pub struct Background {
    name: String,
    thread: Mutex<Option<JoinHandle<()>>>,
    id: OnceLock<ThreadId>,
}

impl Background {
    /// No thread yet.
    pub(super) const fn named(name: String) -> Self {
        Self { name, thread: Mutex::new(None), id: OnceLock::new() }
    }

    /// Runs `work` on the thread. Returns whether the system could create one; if not, the log has an error.
    pub(super) fn spawn(&self, work: impl FnOnce() + Send + 'static) -> bool {
        let begin = Cancel::new();
        let begun = begin.clone();
        let spawned = thread::Builder::new().name(self.name.clone()).spawn(move || {
            // A join from inside must find the thread.
            while !begun.wait(crate::LONGEST_WAIT) {}
            work();
        });
        match spawned {
            Ok(thread) => {
                // Each value spawns once.
                let _ = self.id.set(thread.thread().id());
                *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
                begin.cancel();
                true
            }
            Err(error) => {
                tracing::error!(target: "retrylab", "Cannot create a thread for {}: {error}", self.name);
                false
            }
        }
    }

    /// Waits for the end of the thread. On the thread itself it does not wait.
    pub(super) fn join(&self) {
        if self.id.get() == Some(&thread::current().id()) {
            return;
        }
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // A panicked thread has ended, too.
            let _ = thread.join();
        }
    }
}
