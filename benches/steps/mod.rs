//! Stepping through outages: this project's rules, and the public crates beside them.

pub(crate) mod own;
pub(crate) mod peers;

use std::hint::black_box;

use crate::contender::Contender;

/// Failures in one outage. Everyone starts afresh after as many: at 1 s doubling to 30 s those are five rungs and eleven
/// failures at the ceiling.
pub(crate) const FAILURES: u32 = 16;

/// A contender whose one thing is an outage: begun with `begin`, and every failure met with `step`, which is given the
/// failure's number in the outage, from 0. What `step` returns is read in the same way for everyone.
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
