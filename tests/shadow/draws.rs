//! The draw of each failure, by its address, as the page about timeline files has it.

use std::collections::BTreeMap;

use retrylab_sim::{Draws, Entropy};
use retrylab_spec::{Draw, JitterChoice};

/// What answers an attempt, with the draw that is written there, if one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answerer {
    /// An entry of the script, by its number.
    Script(usize, Option<Draw>),
    /// A window, by its number.
    Window(usize, Option<Draw>),
    /// What follows the script.
    Tail,
}

pub(crate) struct FailureDraws {
    draws: Draws,
    jitter: JitterChoice,
    failures: u64,
    failures_of: BTreeMap<Answerer, u64>,
}

impl FailureDraws {
    pub(crate) fn new(seed: u64, jitter: JitterChoice) -> Self {
        Self { draws: Entropy::new(seed).client(0), jitter, failures: 0, failures_of: BTreeMap::new() }
    }

    /// The draw of a failure that this made.
    pub(crate) fn draw(&mut self, answerer: Answerer) -> u64 {
        let of_it = self.failures_of.entry(answerer).or_default();
        let draw = match answerer {
            Answerer::Script(_, Some(Draw::Value(value))) | Answerer::Window(_, Some(Draw::Value(value))) => value,
            Answerer::Script(_, Some(Draw::Address(first))) | Answerer::Window(_, Some(Draw::Address(first))) => {
                self.draws.at(first.wrapping_add(*of_it))
            }
            Answerer::Script(_, None) | Answerer::Window(_, None) | Answerer::Tail => self.draws.at(self.failures),
        };
        *of_it += 1;
        self.failures += 1;
        match self.jitter {
            JitterChoice::None => 0,
            JitterChoice::Own => draw,
            // The 8 highest bits.
            JitterChoice::Coarse => draw >> 56 << 56,
        }
    }
}
