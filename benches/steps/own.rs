//! This project's rules, with the draws given or made in the loop.

use std::hint::black_box;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use retrylab_core::{FailureKind, Instant, ResetRule, RetryRules, RetryState};

use super::{FAILURES, outages};
use crate::contender::Contender;

/// Where the one draw of a failure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draws {
    /// Read in order from memory: what the state machine costs by itself.
    Given,
    /// Made by ChaCha8 in the loop, read in order: what it costs a client that has no draws lying ready.
    #[allow(dead_code, reason = "the bench of calls compares decisions only")]
    ChaCha8,
}

impl Draws {
    const fn name(self) -> &'static str {
        match self {
            Self::Given => "draw given",
            Self::ChaCha8 => "ChaCha8",
        }
    }
}

/// Meets failures of these kinds, one second apart, from a fresh state at each outage, and reads the
/// wait with `read`. Its row is called by `name` and its draws.
pub(crate) fn stepper<R, Wait>(
    name: &str,
    draws: Draws,
    rules: RetryRules<R>,
    kind: impl Fn(u32) -> FailureKind + 'static,
    read: impl Fn(&RetryState<R>) -> Wait + 'static,
) -> Contender
where
    R: ResetRule + 'static,
{
    // Hidden from the optimiser, so that it can prepare nothing for these bounds.
    let rules = black_box(rules);
    let fail = move |state: &mut RetryState<R>, number: u32, draw: u64| {
        rules.record_failure(state, kind(number), Instant::from_secs(u64::from(number)), draw);
        read(state)
    };
    drawing(name, draws, move || rules.start(), fail)
}

/// Meets each failure of an outage, begun with `begin`, with `fail`, which is given the failure's number and one draw. Its
/// row is called by `name` and its draws.
pub(crate) fn drawing<State, Wait>(
    name: &str,
    draws: Draws,
    begin: impl Fn() -> State + 'static,
    fail: impl Fn(&mut State, u32, u64) -> Wait + 'static,
) -> Contender
where
    State: 'static,
{
    let name = format!("{name}, {}", draws.name());
    let mut rng = ChaCha8Rng::from_seed([7; 32]);
    match draws {
        Draws::Given => {
            let mut given = drawn_outages(&mut rng).iter().cycle();
            let begin = move || (begin(), given.next().unwrap_or(&NO_DRAWS));
            outages(name, begin, move |(state, draws), number| fail(state, number, draws[number as usize]))
        }
        Draws::ChaCha8 => outages(name, begin, move |state, number| fail(state, number, draw(&mut rng))),
    }
}

/// Every failure is normal.
pub(crate) const fn normal(_number: u32) -> FailureKind {
    FailureKind::Normal
}

/// The first failure is unexpected, so that all of them are on the extended ladder.
pub(crate) const fn extended(number: u32) -> FailureKind {
    if number == 0 { FailureKind::Unexpected } else { FailureKind::Normal }
}

/// One draw as a client makes it: 53 random bits at the top of a `u64`.
fn draw(rng: &mut ChaCha8Rng) -> u64 {
    rng.next_u64() & !0x7ff
}

const NO_DRAWS: [u64; FAILURES as usize] = [0; FAILURES as usize];

/// Draws for 256 outages, 32 KiB, never freed.
fn drawn_outages(rng: &mut ChaCha8Rng) -> &'static [[u64; FAILURES as usize]] {
    (0..256).map(|_| std::array::from_fn(|_| draw(rng))).collect::<Vec<_>>().leak()
}
