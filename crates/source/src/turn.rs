//! The delivery of a machine's outputs: by one thread at a time, in order.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A machine, and whether a thread is delivering its outputs.
pub(crate) struct Shared<M>(Mutex<Locked<M>>);

struct Locked<M> {
    machine: M,
    taken: bool,
}

impl<M> Shared<M> {
    pub(crate) const fn new(machine: M) -> Self {
        Self(Mutex::new(Locked { machine, taken: false }))
    }

    /// Runs a function on the machine. It must not call foreign code.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut M) -> T) -> T {
        act(&mut self.lock().machine)
    }

    /// The outputs of the machine, if no other thread is delivering them.
    pub(crate) const fn turn(&self) -> Turn<'_, M> {
        Turn { shared: self, mine: false }
    }

    fn lock(&self) -> MutexGuard<'_, Locked<M>> {
        // A panic under the lock has changed nothing that matters to others.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to deliver the outputs. It is released when dropped, also by a panic.
pub(crate) struct Turn<'a, M> {
    shared: &'a Shared<M>,
    mine: bool,
}

impl<M> Turn<'_, M> {
    /// The next output. `None`: there is none, or another thread is delivering and will take the rest.
    ///
    /// An output that `takes_long` is delivered out of turn, so that a stop need not wait for it.
    pub(crate) fn next<O>(
        &mut self,
        pop: impl FnOnce(&mut M) -> Option<O>,
        takes_long: impl FnOnce(&O) -> bool,
    ) -> Option<O> {
        let mut locked = self.shared.lock();
        if locked.taken && !self.mine {
            return None;
        }
        let output = pop(&mut locked.machine);
        self.mine = !output.as_ref().is_none_or(takes_long);
        locked.taken = self.mine;
        output
    }
}

impl<M> Drop for Turn<'_, M> {
    fn drop(&mut self) {
        if self.mine {
            self.shared.lock().taken = false;
        }
    }
}
