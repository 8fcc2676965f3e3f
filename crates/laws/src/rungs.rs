//! The bases of a claimed ladder, and the waits that its jitter allows: a second, independent computation with integers of
//! any size.

use core::iter::successors;
use core::ops::RangeInclusive;
use core::time::Duration;

use retrylab_core::{Jitter, nanos};
use retrylab_spec::LadderSpec;

use crate::claim::{Claim, Drawing};

/// The bases of a ladder, computed once, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bases {
    pub(crate) ladder: LadderSpec,
    /// From rung 1 to where they no longer change, [`MOST`] at most.
    bases: Vec<u64>,
    pub(crate) ceiling: u64,
    /// The first rung, from 1, from which every base is the ceiling, if it is among the first [`MOST`].
    pub(crate) ceiling_from: Option<u32>,
}

/// Longer ladders are computed anew for each rung.
const MOST: usize = 1000;

impl From<LadderSpec> for Bases {
    fn from(ladder: LadderSpec) -> Self {
        let ceiling = nanos(ceiling(&ladder));
        let bases: Vec<u64> = rungs(&ladder).take(MOST).map(|rung| narrow(rung).min(ceiling)).collect();
        let at_ceiling = match ladder {
            // The last entry repeats, and is the ceiling only if none before it is longer.
            LadderSpec::List(_) if bases.len() == MOST => None,
            LadderSpec::List(_) => bases.len().checked_sub(1).filter(|&last| bases[last] == ceiling),
            _ => bases.iter().position(|&base| base == ceiling),
        };
        let ceiling_from = at_ceiling.and_then(|at| u32::try_from(at + 1).ok());
        Self { ladder, bases, ceiling, ceiling_from }
    }
}

impl Bases {
    /// The base of rung `number`, from 1; rung 0 is no wait.
    pub(crate) fn base(&self, number: u32) -> u64 {
        let nth = number as usize;
        match self.bases.get(nth.wrapping_sub(1)) {
            Some(base) => *base,
            None if nth == 0 => 0,
            None if self.bases.len() < MOST => self.bases.last().copied().unwrap_or(0),
            None => nanos(base(&self.ladder, number)),
        }
    }
}

/// The base of rung `number`, from 1; rung 0 is no wait.
#[must_use]
pub fn base(ladder: &LadderSpec, number: u32) -> Duration {
    let Some(below) = number.checked_sub(1) else { return Duration::ZERO };
    let rung = match ladder {
        // As many steps as there are failures would take long.
        LadderSpec::Linear { base, step, .. } => wide(base) + u128::from(below) * wide(step),
        _ => rungs(ladder).take(number as usize).last().unwrap_or(0),
    };
    Duration::from_nanos(narrow(rung)).min(ceiling(ladder))
}

/// The rungs of a ladder, from rung 1 to where their bases no longer change.
fn rungs(ladder: &LadderSpec) -> Box<dyn Iterator<Item = u128> + '_> {
    match ladder {
        LadderSpec::Constant(delay) => Box::new(core::iter::once(wide(delay))),
        LadderSpec::List(rungs) => Box::new(rungs.iter().map(wide)),
        LadderSpec::Linear { base, step, ceiling } => Box::new(successors(Some(wide(base)), move |rung| {
            (!step.is_zero() && *rung <= wide(ceiling)).then(|| rung + wide(step))
        })),
        LadderSpec::Fibonacci { base, ceiling } => {
            let grown = move |&(rung, before): &(u128, u128)| {
                (!base.is_zero() && rung * wide(base) <= wide(ceiling)).then_some((rung + before, rung))
            };
            Box::new(successors(Some((1, 0)), grown).map(move |(rung, _)| rung * wide(base)))
        }
        LadderSpec::Exponential { base, ratio, ceiling } => Box::new(successors(Some(wide(base)), move |&rung| {
            let next = (rung * u128::from(ratio.numerator)).div_ceil(u128::from(ratio.denominator.max(1)));
            (next != rung && rung <= wide(ceiling)).then_some(next)
        })),
    }
}

/// The longest possible base.
#[must_use]
pub fn ceiling(ladder: &LadderSpec) -> Duration {
    let longest = match ladder {
        LadderSpec::Constant(delay) => *delay,
        LadderSpec::List(rungs) => rungs.iter().copied().max().unwrap_or_default(),
        LadderSpec::Exponential { ceiling, .. }
        | LadderSpec::Linear { ceiling, .. }
        | LadderSpec::Fibonacci { ceiling, .. } => *ceiling,
    };
    Duration::from_nanos(nanos(longest))
}

/// The waits that the claimed jitter allows for a base of this ladder, before the cadence. `before` is the previous wait, if
/// there was one. A single wait if the draw is known.
pub(crate) fn spread(
    claim: &Claim,
    base: u64,
    bases: &Bases,
    before: Option<u64>,
    draw: Option<u64>,
) -> Option<RangeInclusive<u64>> {
    let draw = draw.filter(|_| claim.drawing() == Drawing::Given);
    // A draw takes its part of the span, or of half of it.
    let below = |highest: u64, span: u64, half: u32| match draw {
        Some(draw) => {
            let wait = highest - narrow((u128::from(span) * u128::from(draw)) >> (64 + half));
            wait..=wait
        }
        None => highest - (span >> half)..=highest,
    };
    Some(match claim.jitter()? {
        Jitter::None => base..=base,
        Jitter::Full => below(base, base, 0),
        Jitter::SubtractHalf => below(base, base, 1),
        jitter @ (Jitter::Decorrelated | Jitter::DecorrelatedPublished) => {
            let (first, ceiling) = (bases.base(1), bases.ceiling);
            let lowest = first.min(ceiling);
            let thrice = narrow(3 * u128::from(before.unwrap_or(first)));
            let is_cut_first = jitter == Jitter::Decorrelated;
            let highest = lowest.max(if is_cut_first { thrice.min(ceiling) } else { thrice });
            let waits = below(highest, highest - lowest, 0);
            (*waits.start()).min(ceiling)..=(*waits.end()).min(ceiling)
        }
    })
}

fn wide(span: &Duration) -> u128 {
    u128::from(nanos(*span))
}

fn narrow(wait: u128) -> u64 {
    u64::try_from(wait).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use retrylab_spec::Ratio;

    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn the_bases_of_every_shape_are_those_worked_by_hand() {
        let rungs = |ladder: &LadderSpec| [1, 2, 3, 4, 5, 6, 100].map(|number| base(ladder, number).as_millis());
        let ratio = |numerator, denominator| Ratio { numerator, denominator };
        let exponential = |ratio| LadderSpec::Exponential { base: S(1), ratio, ceiling: S(30) };
        assert_eq!(rungs(&exponential(ratio(2, 1))), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
        // 1.5, 2.25, 3.375, 5.0625, 7.59375: rounded up to a nanosecond, shown in milliseconds.
        assert_eq!(rungs(&exponential(ratio(3, 2))), [1000, 1500, 2250, 3375, 5062, 7593, 30_000]);
        assert_eq!(rungs(&exponential(ratio(1, 1))), [1000; 7]);
        assert_eq!(rungs(&LadderSpec::Constant(S(3))), [3000; 7]);
        let linear = LadderSpec::Linear { base: S(1), step: S(2), ceiling: S(10) };
        assert_eq!(rungs(&linear), [1000, 3000, 5000, 7000, 9000, 10_000, 10_000]);
        let fibonacci = LadderSpec::Fibonacci { base: S(1), ceiling: S(30) };
        assert_eq!(rungs(&fibonacci), [1000, 1000, 2000, 3000, 5000, 8000, 30_000]);
        let list = LadderSpec::List(vec![S(1), S(5), S(2)]);
        assert_eq!(rungs(&list), [1000, 5000, 2000, 2000, 2000, 2000, 2000]);
        assert_eq!(base(&list, 0), S(0));
    }

    #[test]
    fn the_bases_that_are_kept_are_those_that_are_computed() {
        let ratio = |numerator, denominator| Ratio { numerator, denominator };
        for ladder in [
            LadderSpec::Exponential { base: S(1), ratio: ratio(3, 2), ceiling: S(30) },
            // A thousand rungs from 1 ms up are below 1 s: the thousandth is kept, the next is computed.
            LadderSpec::Exponential { base: S(1) / 1000, ratio: ratio(1001, 1000), ceiling: S(30) },
            LadderSpec::Linear { base: S(1), step: S(0), ceiling: S(30) },
            LadderSpec::Linear { base: S(1), step: S(1) / 1000, ceiling: S(30) },
            LadderSpec::Fibonacci { base: S(0), ceiling: S(30) },
            LadderSpec::Fibonacci { base: S(1), ceiling: S(30) },
            LadderSpec::List(vec![S(1), S(5), S(2)]),
            LadderSpec::Constant(S(3)),
        ] {
            let bases = Bases::from(ladder.clone());
            for number in [0, 1, 2, 3, 4, 7, 999, 1000, 1001, 4000] {
                assert_eq!(bases.base(number), nanos(base(&ladder, number)), "rung {number} of {ladder:?}");
            }
        }
    }

    #[test]
    fn the_ceiling_is_reached_at_the_rung_worked_by_hand() {
        let doubling =
            LadderSpec::Exponential { base: S(1), ratio: Ratio { numerator: 2, denominator: 1 }, ceiling: S(30) };
        let ceiling_from = |ladder| Bases::from(ladder).ceiling_from;
        assert_eq!(ceiling_from(doubling), Some(6));
        assert_eq!(ceiling_from(LadderSpec::List(vec![S(1), S(5), S(2)])), None);
        assert_eq!(ceiling_from(LadderSpec::List(vec![S(5), S(1), S(5)])), Some(3));
        assert_eq!(ceiling_from(LadderSpec::Constant(S(1))), Some(1));
    }

    #[test]
    fn a_draw_gives_one_wait_and_none_the_whole_band() {
        let claim = Claim::anything(retrylab_spec::Shape::Call);
        let spread = |jitter, draw| {
            let doubling =
                LadderSpec::Exponential { base: S(1), ratio: Ratio { numerator: 2, denominator: 1 }, ceiling: S(30) };
            let claim = claim.clone().with_jitter(jitter);
            let waits = super::spread(&claim, 8 * SECOND, &Bases::from(doubling), Some(4 * SECOND), draw);
            waits.map(|waits| (waits.start() / 1_000_000, waits.end() / 1_000_000))
        };
        let half = Some(1 << 63);
        assert_eq!(spread(Jitter::None, half), Some((8000, 8000)));
        assert_eq!(spread(Jitter::Full, half), Some((4000, 4000)));
        assert_eq!(spread(Jitter::SubtractHalf, half), Some((6000, 6000)));
        // Between 1 and 12 s.
        assert_eq!(spread(Jitter::Decorrelated, half), Some((6500, 6500)));
        assert_eq!(spread(Jitter::Full, None), Some((0, 8000)));
        assert_eq!(spread(Jitter::SubtractHalf, None), Some((4000, 8000)));
        assert_eq!(spread(Jitter::Decorrelated, None), Some((1000, 12_000)));
    }
}
