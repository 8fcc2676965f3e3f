//! Every client there is, by number.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client::Client;

#[derive(Default)]
pub(super) struct Clients {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many there were so far: no number is used twice.
    entered: u64,
    clients: BTreeMap<u64, Arc<Client>>,
    closed: bool,
}

/// The place of a client, which it loses with this unless it is kept.
pub(super) struct Entry<'a> {
    clients: &'a Clients,
    id: u64,
    kept: bool,
}

impl Clients {
    /// Makes room for a client; `None` once no more are wanted.
    pub(super) fn enter(&self, client: &Arc<Client>) -> Option<Entry<'_>> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        state.entered += 1;
        let id = state.entered;
        state.clients.insert(id, Arc::clone(client));
        Some(Entry { clients: self, id, kept: false })
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Client>> {
        self.lock().clients.get(&id.parse().ok()?).cloned()
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<Client>> {
        self.lock().clients.remove(&id.parse().ok()?)
    }

    /// Hands out every client, and lets no other in.
    pub(super) fn close(&self) -> Vec<Arc<Client>> {
        let mut state = self.lock();
        state.closed = true;
        std::mem::take(&mut state.clients).into_values().collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry<'_> {
    pub(super) const fn id(&self) -> u64 {
        self.id
    }

    pub(super) const fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        let client = self.clients.lock().clients.remove(&self.id);
        if let Some(client) = client {
            client.stop();
        }
    }
}
