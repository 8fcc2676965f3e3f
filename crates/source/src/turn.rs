//! Who tells what a machine puts out: one thread at a time, so that it is told in order.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A machine, and whether somebody is telling what it puts out.
pub(crate) struct Shared<M>(Mutex<Locked<M>>);

struct Locked<M> {
    machine: M,
    taken: bool,
}

impl<M> Shared<M> {
    pub(crate) const fn new(machine: M) -> Self {
        Self(Mutex::new(Locked { machine, taken: false }))
    }

    /// Does something with the machine. No foreign code may run in it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut M) -> T) -> T {
        act(&mut self.lock().machine)
    }

    /// The outputs of the machine, for as long as nobody else is telling them.
    pub(crate) const fn turn(&self) -> Turn<'_, M> {
        Turn { shared: self, mine: false }
    }

    fn lock(&self) -> MutexGuard<'_, Locked<M>> {
        // What panics while it is locked has changed nothing that others go by.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to tell what the machine puts out. It is given back where the caller is done, a panic included.
pub(crate) struct Turn<'a, M> {
    shared: &'a Shared<M>,
    mine: bool,
}

impl<M> Turn<'_, M> {
    /// The next output. `None`: there is none, or another thread is telling them and will come to what is left.
    ///
    /// An output that `takes_long` is done out of turn, so that a stop has not to wait for it.
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
