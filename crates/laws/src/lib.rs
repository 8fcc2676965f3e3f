//! The laws of retry policies, and runs held against them.
//!
//! * [`model`]: the reference model, a second, independent form of the two-regime state machine.
//! * [`LAWS`]: the requirements of every run, as values; [`report`](report()) holds the run of a file against them.
//!
//! Nothing here shares code with the decision it judges: from the core crate come only the words (kinds, regimes,
//! instants, the [`Policy`](retrylab_core::Policy) trait) and the subjects themselves.
#![forbid(unsafe_code)]

mod accounts;
mod claim;
mod claimed;
mod comparison;
mod law;
mod marks;
pub mod model;
mod past;
mod replay;
mod report;
pub mod rungs;
mod subject;
mod trial;

pub use claim::{Claim, Drawing};
pub use comparison::{Comparison, History};
pub use law::{LAWS, Law, Need, Ruling};
pub use marks::{MOST_WAITS, Mark, Marks};
pub use past::{Addition, Moment, Past, Place};
pub use replay::{Replay, expected_laws, replay};
pub use report::{CannotReport, around, report, report_until, unreportable, violated_laws};
pub use subject::{Described, Subject, SubjectError};
pub use trial::{Judged, Standing, Trial};
