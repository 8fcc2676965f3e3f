//! Operations under a policy, in virtual time; threads wait for real only where waking them is the point. Without the
//! feature `tokio` the blocking driver alone is tested.

mod calls;
mod cancel;
mod entropy;
mod errors;
mod fluent;
mod hooks;
mod io_errors;
mod policies;
mod script;
mod server_delay;
#[cfg(feature = "tokio")]
mod tasks;
