//! The decision, held to exact values worked by hand, to the conformance vectors and to the reference model. A target of
//! its own, quick enough to be run once for every mutant of the core crate.
//!
//! The tests called `spec_15_NN_…` are the list of what retry state machines get wrong; the tidy test knows the list.

mod algebra;
mod budget;
mod call;
mod call_laws;
mod call_limits;
mod classification;
mod classifier;
mod client;
mod configuration;
mod exhaustive;
mod inputs;
mod jitter;
mod ladder;
mod regimes;
mod reset_by;
mod resets;
mod totality;
mod values;
mod vectors;
mod waits;
