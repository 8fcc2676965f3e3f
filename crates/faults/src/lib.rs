//! Faulty retry policies, and the tests that catch them.
//!
//! * [`FAULTS`]: the catalogue: every known faulty policy, once, with its reports.
//! * [`uncatchable`]: the faults of a file's `catches` that its client cannot have.
//! * [`Diagnosis`]: the faults that answer as a policy does which violates a law.
//! * [`corpus`]: the bug corpus, as trials for any policy.
//!
//! Each is the real policy, or a plain correct one, with one fault.
#![forbid(unsafe_code)]

mod catalogue;
mod catches;
pub mod corpus;
mod diagnosis;
mod fault;

pub use catalogue::FAULTS;
pub use catches::{CannotCatch, NotCaught, uncatchable, uncaught};
pub use diagnosis::{CASES, Diagnosis, Number, Suspect};
pub use fault::{Category, Faulty, KnownFault};
