//! Data sources over HTTP, as tasks of tokio: a stream that is kept open, a question that is asked at an interval. Nothing
//! the network does ends them; whoever has the handle does.
//!
//! The machines of [`retrylab_source`] decide everything; this module connects, reads and waits for them. A source is one
//! task and at most one connection, which belongs to the task: when [`Handle::closed`] returns, nothing of either is left.
//!
//! Reading map:
//!
//! * [`Source`]: what is configured, and can be started as often as you like. [`Handle`]: what was started.
//! * [`Repeating`]: a callback that is called again and again.
//! * What a source works with comes from [`retrylab_source`]: its configurations, stores, decoders, observers.
//!
//! ```no_run
//! use std::sync::Arc;
//! use retrylab_driver_tokio::source::Source;
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

mod connect;
mod exchange;
mod handle;
mod http;
mod repeating;
mod running;
mod start;
mod tls;
mod world;

pub use handle::Handle;
pub use repeating::{Repeating, Stopper};
pub use start::Source;
