//! The shared status of a source, with its listeners.

use core::fmt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retrylab_core::Instant;

use crate::apply::guarded;
use crate::outcome::StatusUpdate;
use crate::status::{State, Status};

/// Holds the status and notifies its listeners, in the order of the changes, from any thread. Nothing follows
/// [`State::Off`]. Clones share one status.
///
/// A listener that panics is notified of the next change like the others. A listener may call the sink.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use retrylab_core::Instant;
/// use retrylab_source::{State, StatusSink, StatusUpdate};
///
/// let sink = StatusSink::new(Instant::ZERO);
/// let seen = Arc::new(Mutex::new(Vec::new()));
/// let listener = Arc::clone(&seen);
/// sink.listen(move |status| listener.lock().unwrap().push(status.state));
/// sink.update(StatusUpdate { state: State::Valid, error: None }, Instant::ZERO);
/// sink.update(StatusUpdate { state: State::Off, error: None }, Instant::ZERO);
/// sink.update(StatusUpdate { state: State::Valid, error: None }, Instant::ZERO);
/// assert_eq!(*seen.lock().unwrap(), [State::Valid, State::Off]);
/// ```
#[derive(Clone)]
pub struct StatusSink {
    shared: Arc<Mutex<Shared>>,
}

type Listener = Arc<dyn Fn(&Status) + Send + Sync>;

struct Shared {
    status: Status,
    /// The latest status, which a reader gets before earlier changes have been delivered.
    foreseen: Option<Status>,
    listeners: Vec<(u64, Listener)>,
    added: u64,
    /// Changes not yet delivered, each with the last listener at its time.
    untold: VecDeque<(Status, u64)>,
    /// Whether a call is delivering.
    telling: bool,
}

/// The identity of a listener, for its removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListenerId(u64);

impl StatusSink {
    /// The status of a source that begins at `now`.
    #[must_use]
    pub fn new(now: Instant) -> Self {
        let shared = Shared {
            status: Status::new(now),
            foreseen: None,
            listeners: Vec::new(),
            added: 0,
            untold: VecDeque::new(),
            telling: false,
        };
        Self { shared: Arc::new(Mutex::new(shared)) }
    }

    /// The status as it is.
    #[must_use]
    pub fn status(&self) -> Status {
        let shared = self.lock();
        shared.foreseen.unwrap_or(shared.status)
    }

    /// Adds a listener for every later change and error.
    pub fn listen(&self, listener: impl Fn(&Status) + Send + Sync + 'static) -> ListenerId {
        let mut shared = self.lock();
        shared.added += 1;
        let id = shared.added;
        shared.listeners.push((id, Arc::new(listener)));
        ListenerId(id)
    }

    /// Removes a listener.
    pub fn forget(&self, id: ListenerId) {
        let forgotten: Vec<_> = self.lock().listeners.extract_if(.., |(present, _)| *present == id.0).collect();
        // Dropping the listener may call the sink, for instance through a source's handle.
        drop(forgotten);
    }

    /// Records a report of the source at `now`; see [`Status::update`] for its effect. Returns the texts of the
    /// listeners' panics during this call.
    pub fn update(&self, update: StatusUpdate, now: Instant) -> Vec<String> {
        let mut shared = self.lock();
        if shared.foreseen.is_some_and(|foreseen| foreseen.state == update.state) {
            shared.foreseen = None;
        }
        if shared.status.update(update.state, update.error, now) {
            let change = (shared.status, shared.added);
            shared.untold.push_back(change);
        }
        if shared.telling {
            return Vec::new();
        }
        shared.telling = true;
        drop(shared);
        self.tell()
    }

    /// Announces a report that is about to be delivered: readers see it at once, listeners in its turn.
    pub(crate) fn foresee(&self, update: StatusUpdate, now: Instant) {
        let mut shared = self.lock();
        let mut foreseen = shared.status;
        if foreseen.state != update.state && foreseen.update(update.state, update.error, now) {
            shared.foreseen = Some(foreseen);
        }
    }

    /// Whether the source is off.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.status().state == State::Off
    }

    /// Delivers one change after the other, without the lock, so that a listener may call the sink; changes that it
    /// makes wait their turn.
    fn tell(&self) -> Vec<String> {
        let mut panics = Vec::new();
        loop {
            let (status, last, listeners) = {
                let mut shared = self.lock();
                match shared.untold.pop_front() {
                    Some((status, last)) => (status, last, shared.listeners.clone()),
                    None => {
                        shared.telling = false;
                        return panics;
                    }
                }
            };
            let those_there = listeners.iter().filter(|(id, _)| *id <= last);
            panics.extend(those_there.filter_map(|(_, listener)| guarded(|| listener(&status)).err()));
            // A listener removed in the meantime is dropped here, and may panic.
            panics.extend(guarded(|| drop(listeners)).err());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // No foreign code runs under the lock.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for StatusSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusSink").field("status", &self.status()).finish_non_exhaustive()
    }
}
