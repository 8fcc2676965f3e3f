//! The decision, held to exact values worked by hand, to the conformance vectors and to the reference model. A target of
//! its own, quick enough to be run once for every mutant of the core crate.

mod exhaustive;
