//! The base of each rung of a claimed ladder, and the waits that its jitter allows: said a second time, with whole numbers
//! of any size, so that a law does not lean on what it judges.

use core::ops::RangeInclusive;
use core::time::Duration;

use retrylab_core::{Jitter, Regime, nanos};
use retrylab_scenario::LadderSpec;

use crate::claim::{Claim, Drawing};

/// The base of rung `number`, from 1; rung 0 is no wait.
pub(crate) fn base(ladder: &LadderSpec, number: u32) -> Duration {
    let Some(below) = number.checked_sub(1) else { return Duration::ZERO };
    let wide = |span: &Duration| u128::from(nanos(*span));
    let rung = match ladder {
        LadderSpec::Constant(delay) => wide(delay),
        LadderSpec::List(rungs) => {
            let nth = usize::try_from(below).unwrap_or(usize::MAX);
            rungs.get(nth).or(rungs.last()).map_or(0, wide)
        }
        LadderSpec::Linear { base, step, .. } => wide(base) + u128::from(below) * wide(step),
        LadderSpec::Fibonacci { base, ceiling } => {
            let (mut rung, mut before) = (1_u128, 0_u128);
            for _ in 0..below {
                if rung * wide(base) > wide(ceiling) || wide(base) == 0 {
                    break;
                }
                (rung, before) = (rung + before, rung);
            }
            rung * wide(base)
        }
        LadderSpec::Exponential { base, ratio, ceiling } => {
            let mut rung = wide(base);
            for _ in 0..below {
                let next = (rung * u128::from(ratio.numerator)).div_ceil(u128::from(ratio.denominator.max(1)));
                if next == rung || rung > wide(ceiling) {
                    break;
                }
                rung = next;
            }
            rung
        }
    };
    Duration::from_nanos(narrow(rung)).min(ceiling(ladder))
}

/// The longest base that there is.
pub(crate) fn ceiling(ladder: &LadderSpec) -> Duration {
    let longest = match ladder {
        LadderSpec::Constant(delay) => *delay,
        LadderSpec::List(rungs) => rungs.iter().copied().max().unwrap_or_default(),
        LadderSpec::Exponential { ceiling, .. }
        | LadderSpec::Linear { ceiling, .. }
        | LadderSpec::Fibonacci { ceiling, .. } => *ceiling,
    };
    Duration::from_nanos(nanos(longest))
}

/// The first rung, from 1, from which on every base is the ceiling, if it is among the first `most`.
pub(crate) fn ceiling_from(ladder: &LadderSpec, most: u32) -> Option<u32> {
    match ladder {
        // The last entry holds for ever, and is the ceiling only if none before it is longer.
        LadderSpec::List(rungs) => {
            let last = u32::try_from(rungs.len()).ok()?;
            (base(ladder, last) == ceiling(ladder) && last <= most).then_some(last)
        }
        _ => (1..=most).find(|&number| base(ladder, number) == ceiling(ladder)),
    }
}

/// Which ladder a regime stands on.
pub(crate) fn of_regime(claim: &Claim, regime: Regime) -> Option<&LadderSpec> {
    match regime {
        Regime::Normal => claim.normal.as_ref(),
        Regime::Extended => claim.extended.as_ref(),
    }
}

/// The waits that the claimed jitter allows for a base, before the cadence. `first` is the first base of the ladder, and
/// `before` the wait before this one, if there was one. One wait alone where the draw is known.
pub(crate) fn spread(
    claim: &Claim,
    base: Duration,
    first: Duration,
    before: Option<Duration>,
    ceiling: Duration,
    draw: Option<u64>,
) -> Option<RangeInclusive<Duration>> {
    let jitter = claim.jitter?;
    let [base, first, ceiling] = [base, first, ceiling].map(|span| u128::from(nanos(span)));
    let before = before.map_or(first, |before| u128::from(nanos(before)));
    let draw = draw.filter(|_| claim.drawing == Drawing::Given);
    let below = |highest: u128, span: u128| match draw {
        Some(draw) => {
            let wait = highest - ((span * u128::from(draw)) >> 64);
            wait..=wait
        }
        None => highest - span..=highest,
    };
    let waits = match jitter {
        Jitter::None => base..=base,
        Jitter::Full => below(base, base),
        Jitter::SubtractHalf => match draw {
            Some(draw) => {
                let wait = base - ((base * u128::from(draw)) >> 65);
                wait..=wait
            }
            None => base - base / 2..=base,
        },
        Jitter::Decorrelated | Jitter::DecorrelatedPublished => {
            let lowest = first.min(ceiling);
            let thrice = before * 3;
            let cut_first = jitter == Jitter::Decorrelated;
            let highest = if cut_first { lowest.max(ceiling.min(thrice)) } else { lowest.max(thrice) };
            let waits = below(highest, highest - lowest);
            (*waits.start()).min(ceiling)..=(*waits.end()).min(ceiling)
        }
    };
    Some(Duration::from_nanos(narrow(*waits.start()))..=Duration::from_nanos(narrow(*waits.end())))
}

fn narrow(wait: u128) -> u64 {
    u64::try_from(wait).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use retrylab_scenario::Ratio;

    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

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
    fn the_ceiling_is_reached_at_the_rung_worked_by_hand() {
        let doubling =
            LadderSpec::Exponential { base: S(1), ratio: Ratio { numerator: 2, denominator: 1 }, ceiling: S(30) };
        assert_eq!(ceiling_from(&doubling, 100), Some(6));
        assert_eq!(ceiling_from(&doubling, 5), None);
        assert_eq!(ceiling_from(&LadderSpec::List(vec![S(1), S(5), S(2)]), 100), None);
        assert_eq!(ceiling_from(&LadderSpec::Constant(S(1)), 100), Some(1));
    }

    #[test]
    fn a_draw_gives_one_wait_and_none_the_whole_band() {
        let claim = Claim::anything(retrylab_scenario::Shape::Call);
        let spread = |jitter, draw| {
            let waits = super::spread(&claim.clone().with_jitter(jitter), S(8), S(1), Some(S(4)), S(30), draw);
            waits.map(|waits| (waits.start().as_millis(), waits.end().as_millis()))
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
