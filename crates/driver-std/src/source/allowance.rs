//! How much a server may send that comes to nothing.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most bytes that may come in before one of the body has come of them: trailers and packed nothing may go on for ever,
/// and no read is late while they do.
const MOST: usize = 1 << 20;

/// What is left of it, for the connection that is read from. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct Allowance(Arc<AtomicUsize>);

/// Nothing came of what came.
#[derive(Debug)]
struct Spent;

impl Allowance {
    /// Without a limit.
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }

    /// What follows has limits of its own, as the head of an answer does.
    pub(super) fn lift(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }

    /// Bytes of the body are to follow.
    pub(super) fn renew(&self) {
        self.0.store(MOST, Ordering::Relaxed);
    }

    /// Something came in.
    ///
    /// # Errors
    ///
    /// If it was too much.
    pub(super) fn spend(&self, amount: usize) -> io::Result<()> {
        let left = self.0.load(Ordering::Relaxed).checked_sub(amount).ok_or_else(|| io::Error::other(Spent))?;
        self.0.store(left, Ordering::Relaxed);
        Ok(())
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MOST} bytes came that bring no data")
    }
}

impl std::error::Error for Spent {}
