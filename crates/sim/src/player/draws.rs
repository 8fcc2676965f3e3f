//! The draw of each failure, by its address.

use retrylab_spec::{Draw, JitterChoice};

use crate::entropy::{Draws, Entropy};

/// The source of an outcome, which decides its draws; with the draw that is written there, if one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answerer {
    /// An entry of the script, by its number in the file.
    Script(usize, Option<Draw>),
    /// A window, by its number in the file.
    Window(usize, Option<Draw>),
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
    /// Failures so far of each entry, and of each window, where an address is written.
    entries: Vec<u64>,
    windows: Vec<u64>,
}

impl FailureDraws {
    pub(super) fn new(seed: u64, jitter: JitterChoice) -> Self {
        let draws = Entropy::new(seed).client(0);
        Self { draws, jitter, ordinal: 0, entries: Vec::new(), windows: Vec::new() }
    }

    /// The draw of a failure that `answerer` made, counting the failure.
    #[inline]
    pub(super) fn draw(&mut self, answerer: Answerer) -> u64 {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        if self.jitter == JitterChoice::None {
            return 0;
        }
        let written = match answerer {
            Answerer::Script(index, Some(first)) => first.later(count(&mut self.entries, index)),
            Answerer::Window(index, Some(first)) => first.later(count(&mut self.windows, index)),
            Answerer::Script(_, None) | Answerer::Window(_, None) | Answerer::Tail => Draw::Address(ordinal),
        };
        let draw = match written {
            Draw::Address(address) => self.draws.at(address),
            Draw::Value(draw) => draw,
        };
        if self.jitter == JitterChoice::Coarse { coarse(draw) } else { draw }
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
