//! The data sources, over real sockets of this machine. No test waits: what a source waits for is recorded, and what it
//! awaits of the network is given or never comes.
#![expect(
    clippy::disallowed_methods,
    reason = "tokio's clock stands still in these tests, or shows how long was waited"
)]

mod classification;
mod foreign;
mod journal;
mod polling;
mod redirects;
mod repeating;
mod secrets;
mod server;
mod start_wait;
mod stopping;
mod stream;
mod tls;
