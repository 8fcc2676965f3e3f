//! Runs an operation under a retry policy, on the calling thread.
//!
//! * [`retry`] is the short form, [`Driver`] the one with parameters.
//! * [`Sleeper`]: the wait ([`ThreadSleeper`]).
//! * [`Cancel`]: ends a wait at once.

mod cancel;
mod driver;
mod future;
mod sleeper;

pub use cancel::Cancel;
pub use driver::{Driver, retry};
#[cfg(feature = "http")]
pub(crate) use future::blocking;
pub use sleeper::{Sleeper, ThreadSleeper};
