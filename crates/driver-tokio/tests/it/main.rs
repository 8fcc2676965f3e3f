//! The asynchronous driver, on tokio's paused clock: every wait is virtual, and exact.
#![expect(clippy::disallowed_methods, reason = "the paused clock shows how long was waited")]

mod cancel;
mod part_b;
mod runtime;
mod script;
