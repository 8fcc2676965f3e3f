//! The draw of each failure, by its address.

use retrylab_scenario::JitterChoice;

use crate::entropy::{Draws, Entropy};

/// What answered an attempt, which decides the address of its draws; with the address that was written there, if one was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answerer {
    /// An entry of the script, by its number in the file.
    Script(usize, Option<u64>),
    /// A window, by its number in the file.
    Window(usize, Option<u64>),
    /// `then = "succeed"`: nothing was written.
    Tail,
}

/// Gives each failure its draw, and counts.
#[derive(Debug)]
pub(super) struct FailureDraws {
    draws: Draws,
    jitter: JitterChoice,
    /// Failures so far in the whole run: the address of the next draw, unless one is written.
    ordinal: u64,
    /// Failures so far of each entry, and of each window.
    entries: Vec<u64>,
    windows: Vec<u64>,
    /// The draw of the last failure.
    last: u64,
}

impl FailureDraws {
    pub(super) fn new(seed: u64, jitter: JitterChoice) -> Self {
        let draws = Entropy::new(seed).client(0);
        Self { draws, jitter, ordinal: 0, entries: Vec::new(), windows: Vec::new(), last: 0 }
    }

    /// The draw of a failure that `answerer` made, counting the failure.
    pub(super) fn draw(&mut self, answerer: Answerer) -> u64 {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        let (first, so_far) = match answerer {
            Answerer::Script(index, first) => (first, count(&mut self.entries, index)),
            Answerer::Window(index, first) => (first, count(&mut self.windows, index)),
            Answerer::Tail => (None, 0),
        };
        let address = first.map_or(ordinal, |first| first.wrapping_add(so_far));
        self.last = match self.jitter {
            JitterChoice::None => 0,
            JitterChoice::Own => self.draws.at(address),
            JitterChoice::Coarse => coarse(self.draws.at(address)),
        };
        self.last
    }

    /// The draw of the last failure.
    pub(super) const fn last(&self) -> u64 {
        self.last
    }
}

/// The 8 highest bits of a draw.
const fn coarse(draw: u64) -> u64 {
    draw >> 56 << 56
}

fn count(failures: &mut Vec<u64>, index: usize) -> u64 {
    if index >= failures.len() {
        failures.resize(index + 1, 0);
    }
    let so_far = failures[index];
    failures[index] += 1;
    so_far
}
