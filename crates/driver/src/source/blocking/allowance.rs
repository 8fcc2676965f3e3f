//! The limit of useless bytes from a server.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of bytes without a resulting byte of the body: trailers and empty compressed data could go on
/// without end, and no read would be late.
const MOST: usize = 1 << 20;

/// The rest of the allowance, for the present connection. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Allowance(Arc<AtomicUsize>);

/// The bytes read had no result.
#[derive(Debug)]
struct Spent;

impl Allowance {
    /// No limit.
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }

    /// Lifts the limit for a part with limits of its own, such as the head of a response.
    pub(super) fn lift(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }

    /// Starts the limit for a body.
    pub(super) fn renew(&self) {
        self.0.store(MOST, Ordering::Relaxed);
    }

    /// Counts bytes read.
    ///
    /// # Errors
    ///
    /// If the limit is exceeded.
    pub(super) fn spend(&self, amount: usize) -> io::Result<()> {
        let left = self.0.load(Ordering::Relaxed).checked_sub(amount).ok_or_else(|| io::Error::other(Spent))?;
        self.0.store(left, Ordering::Relaxed);
        Ok(())
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MOST} bytes brought no data")
    }
}

impl std::error::Error for Spent {}
