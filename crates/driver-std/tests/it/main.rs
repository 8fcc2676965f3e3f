//! The blocking driver, in virtual time; threads wait for real only where waking them is the point.

mod cancel;
mod entropy;
mod errors;
mod hooks;
mod io_errors;
mod part_b;
mod policies;
mod script;
mod server_delay;
