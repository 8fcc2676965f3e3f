//! The search for a timeline that breaks a law, and for the shortest one.
//!
//! * [`cases`]: made-up timelines with faults that belong together, each with its own seed.
//! * [`Search`]: plays them and holds each run against the laws that apply.
//! * [`exhaust`]: every script of up to so many entries, over a small alphabet.
//! * [`shrink`](shrink()): makes a timeline that breaks a law as small as it gets, as the same run.

pub mod cases;
mod exhaustive;
mod seek;
mod shrink;
mod size;

pub use exhaustive::{Broken, Letter, Walked, alphabet, exhaust};
pub use seek::{Case, Found, Progress, Search, Searched, Verdict};
pub use shrink::{Shrunk, shrink};
pub use size::events;
