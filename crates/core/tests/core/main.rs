//! The decision, held to exact values worked by hand. Fast enough to run once for every mutant of this crate.
//!
//! The target `core` of the root package holds it to the conformance vectors and to the reference model, which depend on
//! this crate. The tests called `spec_15_NN_…` cover the list of common bugs in retry state machines; the tidy test knows
//! the list.

mod algebra;
mod budget;
mod call;
mod call_laws;
mod call_limits;
mod calls;
mod classifier;
mod client;
mod configuration;
mod generated;
mod inputs;
mod jitter;
mod ladder;
mod regimes;
mod reset_by;
mod resets;
mod totality;
mod values;
mod waits;
