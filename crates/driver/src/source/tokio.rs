//! Data sources over HTTP, as tasks of tokio: a stream that is kept open, an endpoint that is polled. No network event
//! ends them; only their handle does.
//!
//! The machines of [`retrylab_source`] decide everything; this module connects, reads and waits for them. A source is one
//! task and at most one connection, which belongs to the task: when [`Handle::closed`] returns, nothing of either is left.
//!
//! Reading map:
//!
//! * [`Source`]: a configured source, which can be started any number of times. [`Handle`]: a started source.
//! * [`Repeating`]: a repeated callback.
//! * The parts of a source come from [`retrylab_source`]: configurations, stores, decoders, observers.
//!
//! ```no_run
//! use std::sync::Arc;
//! use retrylab_driver::source::tokio::Source;
//! use retrylab_source::{Connection, Kind, MemoryStore, StartWait, StreamingConfig};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let store = Arc::new(MemoryStore::new());
//! let config = StreamingConfig::new(Connection::to("https://example.org"));
//! let flags = Source::streaming(config).store(store.clone()).listen(|status| println!("{}", status.state)).start();
//! if flags.start_wait(StartWait::default()).await {
//!     println!("{:?}", store.get(Kind::Flag, "dark-mode"));
//! }
//! flags.stop();
//! flags.closed().await;
//! # }
//! ```

mod client;
mod connect;
mod exchange;
mod handle;
mod repeating;
mod runtime;
mod start;
mod tls;

pub use handle::Handle;
pub use repeating::{Repeating, Stopper};
pub use start::Source;
