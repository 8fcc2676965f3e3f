//! The data sources, over real sockets of this machine. No test waits: what a source waits for is recorded, and what it
//! awaits of the network is given or never comes.

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
