//! What must hold of a retry policy, and the means to say whether it does.
//!
//! * [`model`]: the reference model, the two-regime state machine said a second time and in another way.
//! * [`exhaustive`]: every short call sequence there is, played against it.
//! * [`LAWS`]: what holds of every run, as values that a trace is held against; [`report`](report()) does so for a file.
//! * [`SPECIMENS`]: formulas that are known to be wrong, which the bug corpus has to catch.
//! * [`corpus`]: the bug corpus as trials that any policy can be put to.
//! * [`vectors`]: the conformance vectors: recorded call sequences with the exact answers.
//!
//! Nothing here shares code with the decision it judges: from the core crate come only the words (kinds, regimes,
//! instants, the [`Policy`](retrylab_core::Policy) trait) and the subjects themselves.
//! Specimens are subjects too: each is the real policy but for its fault.
#![forbid(unsafe_code)]

pub mod corpus;
pub mod exhaustive;
mod law;
pub mod model;
mod report;
mod specimen;
pub mod vectors;
mod watch;

pub use law::{Facts, Finding, LAWS, Law, NewWatch, Watch};
pub use report::{CannotReport, Report, report, report_until, reportable};
pub use specimen::{SPECIMENS, Specimen};
