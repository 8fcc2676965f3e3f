//! Counts of vectors and their verdicts.

use std::fmt;

use serde::Serialize;

use crate::{Vector, VectorVerdict};

/// Counts of vectors. Totals include skipped vectors; a repeated step counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All vectors.
    pub vectors: usize,
    /// Their steps.
    pub steps: usize,
    /// Vectors with a failed expectation.
    pub failed: usize,
    /// Vectors that were not played.
    pub skipped: usize,
}

impl Tally {
    /// Counts one vector.
    pub fn add(&mut self, vector: &Vector, verdict: &VectorVerdict) {
        self.vectors += 1;
        self.steps += vector.steps.len();
        match verdict {
            VectorVerdict::Passed => {}
            VectorVerdict::Skipped => self.skipped += 1,
            VectorVerdict::Failed(_) => self.failed += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vectors, steps, failed, skipped } = self;
        let many = |count: usize| if count == 1 { "" } else { "s" };
        write!(
            f,
            "{vectors} vector{}, {steps} step{}, {failed} failed, {skipped} skipped",
            many(*vectors),
            many(*steps)
        )
    }
}
