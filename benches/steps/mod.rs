//! Stepping through outages: this project's rules, and the public crates beside them.

pub(crate) mod own;
pub(crate) mod peers;

use std::hint::black_box;

use crate::contender::Contender;

/// Failures in one outage, after which each contender starts again: at 1 s doubling to 30 s those are five rungs and
/// eleven failures at the ceiling.
pub(crate) const FAILURES: u32 = 16;

/// A contender whose work is an outage: started with `begin`, with a `step` for each failure, which gets the failure's
/// number in the outage, from 0. The results of all contenders are read in the same way.
fn outages<State, Wait>(
    name: impl Into<String>,
    mut begin: impl FnMut() -> State + 'static,
    mut step: impl FnMut(&mut State, u32) -> Wait + 'static,
) -> Contender {
    Contender::new(name, move |times| {
        for _ in 0..times {
            let mut state = begin();
            for number in 0..FAILURES {
                black_box(step(&mut state, number));
            }
        }
    })
}
