//! Runs an operation under a retry policy, on the thread that asks.
//!
//! The policy decides every wait; this crate gives it a clock, a sleeper and entropy, each of which is a parameter that
//! defaults to the real one. Nothing of it runs in the background, and nothing is left behind.
//!
//! Reading map:
//!
//! * [`retry`] is the short form, [`Driver`] the one with parameters.
//! * [`RetryError`]: how an operation under a policy can fail.
//! * [`Clock`], [`Sleeper`], [`Entropy`]: what the policy knows of the real world ([`Monotonic`], [`ThreadSleeper`],
//!   [`SystemEntropy`]).
//! * [`Cancel`]: ends a wait at once. [`OnRetry`]: is told of every retry, and so is `tracing`.
//! * [`IoErrors`]: what I/O errors are; other classifiers are in [`retrylab_core::Classify`].
//! * [`Session`]: the same without a loop, for a driver of another runtime.
//! * `source`, with the feature `http`: data sources over sockets, each on a thread of its own, until they are stopped. With
//!   the feature `source` alone: what a driver of data sources needs whichever HTTP library it has.
//!
//! ```
//! use std::io;
//! use retrylab_core::{Call, CallRules};
//! use retrylab_driver_std::{Driver, IoErrors};
//!
//! # fn fetch(_: &str) -> io::Result<String> { Ok("payload".to_owned()) }
//! let url = "https://example.org/flags";
//! let call = Call::new(CallRules::builder().attempts(4).build()?);
//! let payload = Driver::new().classify(IoErrors).target(url).retry(call, || fetch(url))?;
//! assert_eq!(payload, "payload");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod cancel;
mod clock;
mod driver;
mod entropy;
mod error;
mod hook;
mod io_errors;
mod session;
mod sleeper;
#[cfg(feature = "source")]
pub mod source;

pub use cancel::Cancel;
pub use clock::{Clock, Monotonic};
pub use driver::{Driver, retry};
pub use entropy::{Entropy, SystemEntropy};
pub use error::RetryError;
pub use hook::{OnRetry, Retrying, Silent};
pub use io_errors::IoErrors;
pub use session::{Pending, Session};
pub use sleeper::{LONGEST_WAIT, Sleeper, ThreadSleeper};
