//! What a source works with, before it is started.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use retrylab_core::Instant;
use retrylab_source::{Decode, FlagData, MemoryStore, Observer, Status, Store, Wiring};

use super::watch::Watch;

/// Tells the date, which a `Retry-After` may name. Nothing else depends on it.
pub type WallClock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

type Listener = Arc<dyn Fn(&Status) + Send + Sync>;

/// What every start of a source works with. Clones share the store, the decoder, the observer and the listeners.
#[derive(Clone)]
pub struct Settings {
    /// Where the data goes; a store in memory of its own unless it says otherwise.
    pub store: Arc<dyn Store>,
    /// What reads the data; [`FlagData`] unless it says otherwise.
    pub decoder: Arc<dyn Decode>,
    /// Who is told of what happens, beside `tracing`, which always is.
    pub observer: Arc<dyn Observer>,
    /// Tells the date.
    pub wall_clock: WallClock,
    listeners: Vec<Listener>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            store: Arc::new(MemoryStore::default()),
            decoder: Arc::new(FlagData),
            observer: Arc::new(()),
            wall_clock: Arc::new(system_date),
            listeners: Vec::new(),
        }
    }
}

impl Settings {
    /// Adds a listener, who is told of the status of everything that is started.
    pub fn listen(&mut self, listener: impl Fn(&Status) + Send + Sync + 'static) {
        self.listeners.push(Arc::new(listener));
    }

    /// For a start at `now`: a status that begins, with the listeners on it, and a watch that knows of nothing yet. `wake` is
    /// called when there is data.
    pub fn wire(&self, now: Instant, wake: impl Fn() + Send + Sync + 'static) -> (Wiring, Arc<Watch>) {
        let watch = Arc::new(Watch::new(Arc::clone(&self.observer), wake));
        let observer: Arc<dyn Observer> = watch.clone();
        let mut wiring = Wiring::new(Arc::clone(&self.store), observer, now);
        wiring.decoder = Arc::clone(&self.decoder);
        for listener in &self.listeners {
            let listener = Arc::clone(listener);
            wiring.sink.listen(move |status| listener(status));
        }
        (wiring, watch)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("listeners", &self.listeners.len()).finish_non_exhaustive()
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where the date is read")]
fn system_date() -> SystemTime {
    SystemTime::now()
}
