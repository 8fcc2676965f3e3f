//! The surroundings of a source: time and chance.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_source::{Surroundings, guarded};

use super::runtime::{Runtime, Signal};
use crate::{Clock, Entropy, LONGEST_WAIT};

/// The pause after a panic of the user's clock or entropy, which prevents a busy loop.
pub(crate) const AFTER_PANIC: Duration = Duration::from_secs(1);

/// The real world, or a test's replacement.
pub struct World<R: Runtime> {
    pub(crate) clock: Arc<dyn Clock + Send + Sync>,
    pub(crate) sleeper: Arc<R::Sleeper>,
    pub(crate) entropy: Arc<dyn Entropy + Send + Sync>,
}

impl<R: Runtime> World<R> {
    /// Waits until then, or until cancelled.
    pub(crate) async fn wait(&self, until: Instant, cancel: &R::Signal) {
        loop {
            let left = until.since(self.now());
            let delay = left.min(LONGEST_WAIT);
            R::sleep(&self.sleeper, delay, cancel).await;
            // A wait above the maximum of a sleeper takes several.
            if delay == left || cancel.is_cancelled() {
                return;
            }
        }
    }
}

impl<R: Runtime> Clone for World<R> {
    fn clone(&self) -> Self {
        Self { clock: Arc::clone(&self.clock), sleeper: Arc::clone(&self.sleeper), entropy: Arc::clone(&self.entropy) }
    }
}

impl<R: Runtime> Surroundings for World<R> {
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn draw(&self) -> u64 {
        self.entropy.draw()
    }
}

/// Awaits foreign code; a panic is an error with its text.
pub(crate) async fn caught<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    poll_fn(|cx| match guarded(|| future.as_mut().poll(cx)) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}
