//! How many vectors were played, and how they fared.

use std::fmt;

use super::{Vector, Verdict};

/// Counts of vectors. Totals include what is skipped; a repeated step is one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All vectors.
    pub vectors: usize,
    /// Their steps.
    pub steps: usize,
    /// Vectors with an expectation that did not hold.
    pub failed: usize,
    /// Vectors that were not played.
    pub skipped: usize,
}

impl Tally {
    /// Counts one vector.
    pub fn add(&mut self, vector: &Vector, verdict: &Verdict) {
        self.vectors += 1;
        self.steps += vector.steps.len();
        match verdict {
            Verdict::Passed => {}
            Verdict::Skipped => self.skipped += 1,
            Verdict::Failed(_) => self.failed += 1,
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
