//! What must hold of a retry policy, and the means to say whether it does.
//!
//! * [`model`]: the reference model, the two-regime state machine said a second time and in another way.
//! * [`exhaustive`]: every short call sequence there is, played against it.
//! * [`LAWS`]: what holds of every run, as values that a trace is held against; [`report`](report()) does so for a file.
//! * [`SPECIMENS`]: formulas that are known to be wrong, which the bug corpus has to catch.
//! * [`MISTAKES`]: policies that are known to be wrong in one step, which the laws have to catch.
//! * [`corpus`]: the bug corpus as trials that any policy can be put to.
//! * [`vectors`]: the conformance vectors: recorded call sequences with the exact answers.
//!
//! Nothing here shares code with the decision it judges: from the core crate come only the words (kinds, regimes,
//! instants, the [`Policy`](retrylab_core::Policy) trait) and the subjects themselves.
//! Specimens are subjects too: each is the real policy but for its fault.
#![forbid(unsafe_code)]

mod accounts;
mod claim;
pub mod corpus;
pub mod exhaustive;
mod law;
mod marks;
mod mistake;
pub mod model;
mod past;
mod report;
mod rungs;
pub mod search;
mod specimen;
mod subject;
mod told;
mod trial;
pub mod vectors;

pub use claim::{CallLimits, Claim, Drawing};
pub use law::{Compared, Finding, LAWS, Law};
pub use marks::{Mark, Marks};
pub use mistake::{MISTAKES, Mistake};
pub use past::{Moment, Past, Place};
pub use report::{CannotReport, Report, report, report_until, reportable, unreportable};
pub use specimen::{SPECIMENS, Specimen};
pub use subject::{Described, Fault, Subject};
pub use told::{Answered, History, Retold, Told, What, tell};
pub use trial::{Breach, Judged, Standing, Trial};
