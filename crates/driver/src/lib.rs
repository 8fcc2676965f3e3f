//! Runs an operation under a retry policy in the real world: with a clock, a sleeper and entropy, each of which is a
//! parameter that defaults to the real one.
//!
//! The policy decides every wait. A retry needs no thread or task of its own, and leaves nothing behind.
//!
//! | module | feature | waits on |
//! |---|---|---|
//! | [`blocking`] | | the calling thread |
//! | `tokio` | `tokio` | a future, on tokio's time |
//! | `source::blocking` | `http` | a data source over sockets, on a thread of its own |
//! | `source::tokio` | `tokio-http` | a data source over sockets, as a task of its own |
//!
//! With the features `tower` and `retry-policies` rules also drop into other people's clients: `tower::TowerRetry` is a
//! policy of tower's `Retry`, and `retry_policies::RetryView` a `RetryPolicy` of reqwest-middleware.
//!
//! The shared parts:
//!
//! * [`Driver`]: a generic type; write [`blocking::Driver`] or `tokio::Driver`, which say what it waits with.
//! * [`WithRetry`]: an operation with its retry in one expression, `fetch.retry(policy).when(…).call()` or `.await`
//!   ([`BlockingRetryable`], `tokio::Retryable`).
//! * [`RetryError`]: the errors of an operation under a policy.
//! * [`Clock`] and [`Entropy`]: the policy's inputs from the real world ([`Monotonic`], [`SystemEntropy`]).
//! * [`OnRetry`]: a hook for every retry, beside `tracing`.
//! * [`IoErrors`]: the classifier of I/O errors; for others see [`retrylab_core::Classify`].
//! * [`Session`]: the steps without the loop, for a driver of another runtime.
//!
//! ```
//! use std::io;
//! use retrylab_core::{Call, CallRules};
//! use retrylab_driver::IoErrors;
//! use retrylab_driver::blocking::Driver;
//!
//! # fn fetch(_: &str) -> io::Result<String> { Ok("payload".to_owned()) }
//! let url = "https://example.org/flags";
//! let call = Call::new(CallRules::builder().attempts(4).build()?);
//! let payload = Driver::new().classify(IoErrors).target(url).retry(call, || fetch(url))?;
//! assert_eq!(payload, "payload");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod blocking;
mod clock;
mod driver;
mod entropy;
mod error;
mod fluent;
mod hook;
mod io_errors;
#[cfg(feature = "retry-policies")]
pub mod retry_policies;
mod session;
#[cfg(feature = "http")]
pub mod source;
#[cfg(feature = "tokio")]
pub mod tokio;
#[cfg(feature = "tower")]
pub mod tower;

pub use clock::{Clock, Monotonic};
pub use driver::Driver;
pub use entropy::{Entropy, SystemEntropy};
pub use error::RetryError;
pub use fluent::{BlockingRetryable, WithRetry};
pub use hook::{OnRetry, Retrying, Silent};
pub use io_errors::IoErrors;
pub use session::{LONGEST_WAIT, Pending, Session};
