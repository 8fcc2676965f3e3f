//! What a thread in the background has around it.

use std::sync::Arc;
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_source::{Surroundings, guarded};

use crate::{Cancel, Clock, Entropy, LONGEST_WAIT, Monotonic, Sleeper, SystemEntropy, ThreadSleeper};

/// The pause after a panic of what the user gave for clock or entropy, which nothing else could slow down.
pub(super) const AFTER_PANIC: Duration = Duration::from_secs(1);

/// The real world, or what a test has in place of it.
#[derive(Clone)]
pub(super) struct World {
    pub(super) clock: Arc<dyn Clock + Send + Sync>,
    pub(super) sleeper: Arc<dyn Sleeper + Send + Sync>,
    pub(super) entropy: Arc<dyn Entropy + Send + Sync>,
}

impl Default for World {
    fn default() -> Self {
        Self { clock: Arc::new(Monotonic), sleeper: Arc::new(ThreadSleeper), entropy: Arc::new(SystemEntropy) }
    }
}

impl World {
    /// Waits until then, or until it is cancelled.
    pub(super) fn wait(&self, until: Instant, cancel: &Cancel) {
        loop {
            let left = until.since(self.now());
            let delay = left.min(LONGEST_WAIT);
            if guarded(|| self.sleeper.sleep(delay, cancel)).is_err() {
                // Without a wait the thread would run wild.
                cancel.wait(delay);
            }
            // What is longer than a sleeper is asked for takes several.
            if delay == left || cancel.is_cancelled() {
                return;
            }
        }
    }
}

impl Surroundings for World {
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn draw(&self) -> u64 {
        self.entropy.draw()
    }
}
