//! Data sources over sockets: what their drivers have in common, whichever HTTP library and runtime they use.
//!
//! Neither driver takes a proxy from the environment, so that it connects to where it was told and nowhere else, and neither
//! makes a credential of a user and a password in an address. The credential is in no log line, not even where an HTTP client
//! logs every byte, and in nothing that `Debug` shows.
//!
//! * [`Settings`]: what a source works with, and the wiring that comes of it.
//! * [`Watch`]: what is known of a source while it runs, and its log lines.
//! * [`stream_head`] and [`poll_head`]: what the head of an answer means.
//! * `fault_of`, with the feature `tls`: what an error of the transport is.
//! * [`Repeating`]: a callback, again and again, on a thread of its own.
//! * `Source` and `Handle`, with the feature `http`: a source on a thread of its own.

#[cfg(feature = "http")]
mod allowance;
mod background;
#[cfg(feature = "http")]
mod client;
#[cfg(feature = "http")]
mod credential;
#[cfg(feature = "tls")]
mod fault;
#[cfg(feature = "http")]
mod handle;
mod head;
#[cfg(feature = "http")]
mod redirect;
mod repeating;
#[cfg(feature = "http")]
mod running;
mod settings;
#[cfg(feature = "http")]
mod sockets;
#[cfg(feature = "http")]
mod start;
mod watch;
mod world;

#[cfg(feature = "tls")]
pub use fault::fault_of;
#[cfg(feature = "http")]
pub use handle::Handle;
pub use head::{ENVIRONMENT, EVENT_STREAM, Met, PollHead, poll_head, stream_head};
pub use repeating::Repeating;
pub use settings::{Settings, WallClock};
#[cfg(feature = "http")]
pub use start::Source;
pub use watch::Watch;
