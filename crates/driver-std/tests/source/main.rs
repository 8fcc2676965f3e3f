//! Data sources over real sockets, against a server that does exactly what it is told. Only the waits are not real.

mod classification;
mod polling;
mod redirect;
mod repeating;
mod secrets;
mod server;
mod sse;
mod stage;
mod start_wait;
mod stop;
mod survival;
mod tls;
mod watch;
