//! The decision, held to the conformance vectors and to the reference model, in crates that depend on it. What needs
//! nothing but the core is in its own target of this name. Fast enough to run once for every mutant of the core crate.

mod classification;
mod exhaustive;
mod vectors;
