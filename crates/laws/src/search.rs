//! The search for a timeline that breaks a law, and for the shortest one.
//!
//! * [`cases`]: made-up timelines with faults that belong together, each with its own seed.
//! * [`Search`]: plays them and holds each run against the laws that apply.
//! * [`exhaust`]: every script of up to so many entries, over a small alphabet.
//! * [`shrink`](shrink()): makes a timeline that breaks a law as small as it gets, as the same run.
//! * [`Excerpt`] and [`Regression`]: what was found, to be shown with its place marked, and to be kept as a file.

pub mod cases;
mod excerpt;
mod exhaustive;
mod found;
mod pinned;
mod place;
mod plainer;
mod regression;
mod repeats;
mod seek;
mod shrink;
mod size;
mod smaller;
mod walked;

pub use excerpt::Excerpt;
pub use exhaustive::{Begun, Broken, Letter, Walked, alphabet, exhaust};
pub use found::{Case, Faulted, Found, Progress, Searched, Stage, Verdict};
pub use regression::Regression;
pub use seek::Search;
pub use shrink::{Shrunk, shrink, shrink_until};
pub use size::events;
