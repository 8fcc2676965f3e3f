//! Runs an asynchronous operation under a retry policy, on tokio's time.
//!
//! The policy decides every wait; this crate gives it tokio's clock, tokio's timer and entropy, each of which is a
//! parameter. A retry has no task and no thread beside the future that is awaited: whoever drops it has cancelled it, timer
//! included. Under `tokio::time::pause` every wait is virtual and exact.
//!
//! Reading map:
//!
//! * [`retry`] is the short form, [`Driver`] the one with parameters.
//! * [`TokioClock`] and [`TokioSleeper`]: tokio's time. [`Sleeper`]: who waits.
//! * [`CancellationToken`]: ends a wait at once, and leaves a running attempt to finish.
//! * `source`, with the feature `http`: data sources over sockets, streaming and polling.
//! * What is not asynchronous is that of [`retrylab_driver_std`]: [`RetryError`], [`Clock`], [`Entropy`], [`OnRetry`],
//!   [`IoErrors`].
//!
//! ```
//! use std::io;
//! use std::time::Duration;
//! use retrylab_core::{Call, CallRules};
//! use retrylab_driver_tokio::{Driver, IoErrors};
//!
//! # async fn fetch(_: &str) -> io::Result<String> { Ok("payload".to_owned()) }
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let url = "https://example.org/flags";
//! let call = Call::new(CallRules::builder().attempts(4).build()?);
//! let payload = Driver::new().classify(IoErrors).target(url).retry(call, || fetch(url)).await?;
//! assert_eq!(payload, "payload");
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod driver;
#[cfg(feature = "http")]
pub mod source;
mod time;

pub use driver::{Driver, retry};
pub use retrylab_driver_std::{
    Clock, Entropy, IoErrors, LONGEST_WAIT, OnRetry, RetryError, Retrying, Silent, SystemEntropy,
};
pub use time::{Sleeper, TokioClock, TokioSleeper};
pub use tokio_util::sync::CancellationToken;
