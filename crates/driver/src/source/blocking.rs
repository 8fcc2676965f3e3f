//! Data sources over sockets, each on a thread of its own until it is stopped.
//!
//! * [`Source`]: a configured source, ready to start. [`Handle`]: a started source.
//! * [`Repeating`]: a repeated callback, on a thread of its own.

mod allowance;
mod background;
mod client;
mod credential;
mod handle;
mod repeating;
mod runtime;
mod sockets;
mod start;

pub use handle::Handle;
pub use repeating::Repeating;
pub use start::Source;
