//! What a data source hears from its server, as plain functions of what was heard and of the time.
//!
//! This crate never opens a socket, never spawns, never sleeps and never reads a clock.
//!
//! Reading map:
//!
//! * [`retry_after`]: when the server says to come back, from the header `Retry-After`.
#![forbid(unsafe_code)]

pub mod retry_after;

pub use retry_after::{PastDate, RetryAfter};
