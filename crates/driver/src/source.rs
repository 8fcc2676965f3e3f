//! Data sources over sockets: a stream that is kept open, an endpoint that is polled. No network event ends them; only
//! their handle stops them.
//!
//! The machines of [`retrylab_source`] decide everything; these modules connect, read and wait for them: [`blocking`] on a
//! thread of its own, `tokio` (with the feature `tokio-http`) as a task of its own. A source has at most one connection.
//!
//! [`Source`], [`Handle`] and [`Repeating`] are generic; write those of [`blocking`] or of `tokio`.
//!
//! No source takes a proxy from the environment, so it connects to its address alone, and none takes a user and a
//! password in an address as its credential. The credential is in no log line, not even where an HTTP client logs every
//! byte, and in no `Debug` form.

pub mod blocking;
mod fault;
mod handle;
mod head;
mod http;
mod redirect;
mod repeating;
mod running;
mod runtime;
mod start;
#[cfg(feature = "tokio-http")]
pub mod tokio;
mod watch;
mod world;

pub use handle::Handle;
pub use repeating::Repeating;
pub use start::Source;
pub use watch::Watch;
