//! Data sources over sockets: what their drivers have in common, whichever HTTP library and runtime they use.
//!
//! Neither driver takes a proxy from the environment, so that it connects to where it was told and nowhere else.
//!
//! * [`Settings`]: what a source works with, and the wiring that comes of it.
//! * [`Watch`]: what is known of a source while it runs, and its log lines.
//! * [`stream_head`] and [`poll_head`]: what the head of an answer means.
//! * `fault_of`, with the feature `tls`: what an error of the transport is.

#[cfg(feature = "tls")]
mod fault;
mod head;
mod settings;
mod watch;

#[cfg(feature = "tls")]
pub use fault::fault_of;
pub use head::{ENVIRONMENT, EVENT_STREAM, Met, PollHead, poll_head, stream_head};
pub use settings::{Settings, WallClock};
pub use watch::Watch;
