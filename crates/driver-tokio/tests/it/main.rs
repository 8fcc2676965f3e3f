//! The asynchronous driver, on tokio's paused clock: every wait is virtual, and exact.

mod cancel;
mod part_b;
mod runtime;
mod script;
