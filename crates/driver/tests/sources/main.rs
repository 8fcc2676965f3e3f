//! The data sources of both drivers, over real sockets of this machine. A test that names no driver holds for both. No test
//! waits long: waits are recorded, and time limits are short where a limit is the point.
#![expect(
    clippy::disallowed_methods,
    reason = "tokio's clock stands still in some tests, or shows how long was waited"
)]

mod classification;
mod journal;
mod polling;
mod redirects;
mod secrets;
mod server;
mod start_wait;
mod stopping;
mod stream;
mod survival;
mod tasks;
mod threads;
mod tls;
mod watch;
