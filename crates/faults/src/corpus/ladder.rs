//! Ladders of another shape, and numbers that are too large or invalid.

use core::time::Duration;

use super::drive::{Exact, fails, text};
use super::maker::{Configured, Maker, Odd, SharedSetting};
use super::{BugTrial, BugVerdict};

pub(super) const HALF_A_SECOND_IS_DOUBLED: BugTrial = BugTrial {
    kind: "ladder-shape",
    name: "half-a-second-is-doubled",
    question: "Does half a second double to one, two, four and on to the ceiling?",
    put: |maker, seed| doubles(maker, Duration::from_millis(500), seed),
};

pub(super) const FRACTIONS_ARE_KEPT: BugTrial = BugTrial {
    kind: "ladder-shape",
    name: "fractions-are-kept",
    question: "Does a second and a half double to three, six and on to the ceiling?",
    put: |maker, seed| doubles(maker, Duration::from_millis(1500), seed),
};

pub(super) const STAYS_AT_THE_CEILING: BugTrial = BugTrial {
    kind: "overflow",
    name: "stays-at-the-ceiling",
    question: "Do waits grow to the ceiling and stay there, for 1100 failures?",
    put: stays_at_the_ceiling,
};

pub(super) const ODD_NUMBERS_ARE_REFUSED: BugTrial = BugTrial {
    kind: "nan-config",
    name: "odd-numbers-are-refused",
    question: "Is a wait of NaN, infinity or below zero, or a factor below one, refused or replaced with a warning?",
    put: odd_numbers_are_refused,
};

fn doubles(maker: &dyn Maker, base: Duration, seed: u64) -> Result<(), BugVerdict> {
    // Half a second doubled 13 times is more than an hour.
    const RUNGS: usize = 14;
    let asked = SharedSetting { base, ceiling: Duration::from_secs(3600), ..SharedSetting::default() };
    let climb = maker.climb(&asked);
    if climb.base != base {
        let why = format!("its ladder is fixed, from {} to {}", text(climb.base), text(climb.ceiling));
        return Err(BugVerdict::NotApplicable { why });
    }
    let exact = Exact::climb(maker, &asked, seed, RUNGS)?;
    let expected = |place: usize| climb.ceiling.min(base.saturating_mul(1 << place));
    let Some(wrong) = (0..RUNGS).find(|&place| !exact.is(place, expected(place))) else { return Ok(()) };
    let shown: Vec<String> = exact.waits.iter().take(wrong + 2).map(|&wait| text(wait)).collect();
    let right = text(expected(wrong));
    Err(fails(seed, format!("waits {}, where wait {} would be {right}", shown.join(", "), wrong + 1)))
}

fn stays_at_the_ceiling(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    // A double holds no more than 1024 doublings, 64 bits of nanoseconds 34 of a second.
    const FAILURES: usize = 1100;
    let asked = SharedSetting::default();
    let ceiling = maker.climb(&asked).ceiling;
    let exact = Exact::climb(maker, &asked, seed, FAILURES)?;
    // 1 s, 2 s, 4 s, 8 s, 16 s, 30 s.
    const CLIMB: usize = 5;
    let Some(place) = (CLIMB..FAILURES).find(|&place| !exact.is(place, ceiling)) else { return Ok(()) };
    let wait = exact.waits.get(place).copied().unwrap_or_default();
    let wait = if wait.is_zero() { "does not wait".to_owned() } else { format!("waits {}", text(wait)) };
    Err(fails(seed, format!("{wait} after {} failures, where the ceiling is {}", place + 1, text(ceiling))))
}

fn odd_numbers_are_refused(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    let odd = [
        (Odd::NotANumber, "a wait of NaN"),
        (Odd::Infinite, "an infinite wait"),
        (Odd::Negative, "a wait of -1s"),
        (Odd::Shrinking, "a factor of 1/2"),
    ];
    let mut asked = false;
    for (odd, what) in odd {
        match maker.configure(odd) {
            Configured::Unsayable => {}
            Configured::Refused => asked = true,
            Configured::Accepted => return Err(fails(seed, format!("accepts {what} without a warning"))),
        }
    }
    if asked { Ok(()) } else { Err(BugVerdict::NotApplicable { why: "its setting has no such numbers".to_owned() }) }
}
