//! What must hold of a retry policy, and the means to say whether it does.
//!
//! * [`model`]: the reference model, the two-regime state machine said a second time and in another way.
//! * [`exhaustive`]: every short call sequence there is, played against it.
//! * [`vectors`]: the conformance vectors: recorded call sequences with the exact answers.
//!
//! Nothing here shares code with the decision it judges: from the core crate come only the words (kinds, regimes,
//! instants, the [`Policy`](retrylab_core::Policy) trait) and the subjects themselves.
#![forbid(unsafe_code)]

pub mod exhaustive;
pub mod model;
pub mod vectors;
