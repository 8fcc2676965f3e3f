//! The real world, or what a test has in place of it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver_std::{Clock, Entropy, LONGEST_WAIT, SystemEntropy};
use retrylab_source::{Surroundings, guarded};

use crate::time::{Sleeper, TokioClock, TokioSleeper};

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The pause after a panic of what the user gave for clock or entropy, which nothing else could slow down.
pub(super) const AFTER_PANIC: Duration = Duration::from_secs(1);

/// Time and chance, shared by everything that runs in it.
#[derive(Clone)]
pub(super) struct World {
    pub(super) clock: Arc<dyn Clock + Send + Sync>,
    pub(super) sleeper: Arc<dyn Fn(Duration) -> Sleep + Send + Sync>,
    pub(super) entropy: Arc<dyn Entropy + Send + Sync>,
}

impl World {
    pub(super) fn real() -> Self {
        Self { clock: Arc::new(TokioClock), sleeper: boxed(TokioSleeper), entropy: Arc::new(SystemEntropy) }
    }

    pub(super) async fn wait(&self, until: Instant) {
        loop {
            let left = until.since(self.now());
            let delay = left.min(LONGEST_WAIT);
            if caught((self.sleeper)(delay)).await.is_err() {
                // Without a wait the source would run wild.
                TokioSleeper.sleep(delay).await;
            }
            // A wait that is over at once must not keep the other tasks from running.
            tokio::task::yield_now().await;
            // What is longer than a sleeper is asked for takes several.
            if delay == left {
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

/// Any sleeper as one type.
pub(super) fn boxed(sleeper: impl Sleeper + Send + Sync + 'static) -> Arc<dyn Fn(Duration) -> Sleep + Send + Sync> {
    let sleeper = Arc::new(sleeper);
    Arc::new(move |delay| {
        let sleeper = Arc::clone(&sleeper);
        Box::pin(async move { sleeper.sleep(delay).await })
    })
}

/// Awaits foreign code; a panic is an error with its text.
pub(super) async fn caught<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    poll_fn(|cx| match guarded(|| future.as_mut().poll(cx)) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}
