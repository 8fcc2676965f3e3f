//! What must hold of a retry policy, and the means to say whether it does.
//!
//! * [`vectors`]: the conformance vectors: recorded call sequences with the exact answers.
//!
//! Nothing here shares code with the decision it judges: from the core crate come only the words (kinds, regimes,
//! instants, the [`Policy`](retrylab_core::Policy) trait) and the subjects themselves.
#![forbid(unsafe_code)]

pub mod vectors;
