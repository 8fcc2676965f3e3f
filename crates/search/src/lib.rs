//! The search for a counterexample, and for the shortest one.
//!
//! * [`Search`]: generates timelines with related faults, each with its own seed, plays them, and checks each run against the
//!   applicable laws.
//! * [`exhaust`]: every script of up to a number of entries, over a small alphabet.
//! * [`shrink`](shrink()): makes a counterexample as small as possible, as the same run.
//! * [`Excerpt`] and [`Regression`]: a counterexample to print, with its place marked, and to save as a file.
//! * [`Store`]: the folder of those files.
#![forbid(unsafe_code)]

mod cases;
mod entries;
mod excerpt;
mod exhaustive;
mod found;
mod outages;
mod pinned;
mod plainer;
mod regression;
mod repeats;
mod seek;
mod shrink;
mod size;
mod smaller;
mod store;
mod walked;

pub use excerpt::Excerpt;
pub use exhaustive::{Begun, Broken, WALK_LACKS, Walked, alphabet, exhaust};
pub use found::{Case, Faulted, Found, Progress, Searched, Stage, Verdict};
pub use regression::Regression;
pub use seek::Search;
pub use shrink::{Shrunk, shrink, shrink_until};
pub use size::events;
pub use store::{Kept, NotSaved, Store, StoreError, Stored};
