//! Runs an asynchronous operation under a retry policy, on tokio's time.
//!
//! A retry needs no task beside the awaited future: dropping the future cancels the retry, timer included. Under
//! `tokio::time::pause` every wait is virtual and exact.
//!
//! * [`retry`] is the short form, [`Driver`] the one with parameters.
//! * [`TokioClock`] and [`TokioSleeper`]: tokio's time. [`AsyncSleeper`]: the wait.
//! * [`CancellationToken`]: ends a wait at once, and lets a running attempt finish.
//!
//! ```
//! use std::io;
//! use retrylab_core::{Call, CallRules};
//! use retrylab_driver::IoErrors;
//! use retrylab_driver::tokio::Driver;
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

mod driver;
mod retryable;
mod time;

pub use driver::{Driver, retry};
pub(crate) use retryable::AttemptTimeout;
pub use retryable::{AttemptTimedOut, Retryable};
pub use time::{AsyncSleeper, TokioClock, TokioSleeper};
pub use tokio_util::sync::CancellationToken;
