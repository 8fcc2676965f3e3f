//! Sources on threads: their sleepers and their threads.

use std::sync::Arc;
use std::time::Duration;

use retrylab_source::guarded;

use super::background::Background;
use super::client::UreqClient;
use crate::blocking::{Cancel, Sleeper, ThreadSleeper};
use crate::source::runtime::{Runtime, Signal};
use crate::source::world::{AFTER_PANIC, World};
use crate::{Monotonic, SystemEntropy};

/// On a thread of its own.
#[derive(Clone, Copy, Debug)]
pub enum Threads {}

impl Runtime for Threads {
    type Sleeper = dyn Sleeper + Send + Sync;
    type Signal = Cancel;
    type Transport = UreqClient;
    type Work = Background;
    type Callback = Box<dyn FnMut() -> Result<(), String> + Send>;
    type Stopper = Cancel;

    fn world() -> World<Self> {
        World { clock: Arc::new(Monotonic), sleeper: Arc::new(ThreadSleeper), entropy: Arc::new(SystemEntropy) }
    }

    async fn sleep(sleeper: &Self::Sleeper, delay: Duration, cancel: &Cancel) {
        if guarded(|| sleeper.sleep(delay, cancel)).is_err() {
            // Without a wait the thread would spin.
            cancel.wait(delay);
        }
    }

    async fn pause(cancel: &Cancel) {
        cancel.wait(AFTER_PANIC);
    }

    async fn call(callback: &mut Self::Callback, _: &Cancel) -> Option<Result<(), String>> {
        Some(guarded(callback).unwrap_or_else(Err))
    }

    fn stopped(stopper: &Cancel) -> &Cancel {
        stopper
    }
}

impl Signal for Cancel {
    fn cancel(&self) {
        self.cancel();
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }
}
