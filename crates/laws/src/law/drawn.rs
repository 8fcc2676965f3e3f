//! Laws of the distribution of waits, for policies that draw for themselves: a single wait shows little, many clients show
//! the claimed jitter.
//!
//! A client's wait is judged as a share of the band that the claim allows it there: uniform jitter gives uniform shares, at
//! every rung, whatever the band. A right policy is condemned by chance less than once in 10^9 searches of a million cases:
//! with [`CLIENTS`] = 200, the longest of 200 uniform shares is below 4/5 with probability (4/5)^200 = 4.1e-20, and the
//! shortest is above 1/5 with the same; fewer than 40 of 200 lie on one side of the middle with probability
//! Σ C(200, k) / 2^200 over k < 40 = 4.2e-19, twice that for either side, and so for two rungs together. A case has at most
//! [`RUNGS`] rungs with four such tests, so a million cases have at most 10^8 tests, and 10^8 · 10^-18 = 10^-10.
//!
//! Always found, to within the same probability: a largest wait below 4/5 of the claimed one, or a smallest above 1/5 of the
//! band. Found with probability 1/2 at least: more than four fifths of the clients on one side of the middle.

use retrylab_core::{Decision, FailureKind, Jitter, Regime, nanos};
use retrylab_sim::{Given, Input};

use super::{Check, Law, Need, Ruling, text, violated_at};
use crate::claim::{Claim, Drawing};
use crate::comparison::Comparison;
use crate::rungs;

pub(super) const WAITS_FILL_THE_BAND: Law = Law {
    name: "drawn-waits-fill-the-band",
    statement: "Of 200 clients that draw for themselves and fail together, at every rung the longest wait is in the top fifth \
                of the claimed band, the shortest in the bottom fifth, and a fifth at least on each side of the middle.",
    cite: "Exponential Backoff And Jitter, AWS Architecture Blog, 2015; tower 0.5.3",
    about: draws_evenly,
    needs: &[Need::Comparison, Need::Clients, Need::Waits(1)],
    check: Check::Compared(|comparison| {
        let Some(rungs) = shares(comparison) else { return Ruling::Silent };
        let mut tested = Ruling::Silent;
        for (nth, rung) in rungs.iter().enumerate() {
            let Some(rung) = rung else { continue };
            let Rung { lowest, highest, shares } = rung;
            tested = Ruling::Holds;
            let wait = |share: u64| text(lowest + part(highest - lowest, share));
            let (shortest, longest) =
                shares.iter().fold((WHOLE, 0), |(low, high), &share| (low.min(share), high.max(share)));
            let clients = format!("of {CLIENTS} clients at failure {}", nth + 1);
            if longest < WHOLE / 5 * 4 {
                let expected = format!("{clients} a wait above {}", wait(WHOLE / 5 * 4));
                return violated_at(nth, expected, format!("the longest is {}", wait(longest)));
            }
            if shortest > WHOLE / 5 {
                let expected = format!("{clients} a wait below {}", wait(WHOLE / 5));
                return violated_at(nth, expected, format!("the shortest is {}", wait(shortest)));
            }
            let above = rung.above();
            if !EVEN.contains(&above) {
                let expected = format!(
                    "{clients} between {} and {} that wait above {}",
                    EVEN.start(),
                    EVEN.end(),
                    wait(WHOLE / 2)
                );
                return violated_at(nth, expected, above);
            }
        }
        tested
    }),
};

pub(super) const DRAWS_ARE_INDEPENDENT: Law = Law {
    name: "draws-are-independent",
    statement: "Of 200 clients that draw for themselves, a fifth at least wait on the same side of the middle at two failures in \
                a row, and a fifth at least do not: a wait says nothing about the next one.",
    cite: "Exponential Backoff And Jitter, AWS Architecture Blog, 2015",
    about: draws_evenly,
    needs: &[Need::Comparison, Need::Clients, Need::Waits(2)],
    check: Check::Compared(|comparison| {
        let Some(rungs) = shares(comparison) else { return Ruling::Silent };
        let mut tested = Ruling::Silent;
        for (nth, pair) in rungs.windows(2).enumerate() {
            let [Some(before), Some(rung)] = pair else { continue };
            // Where most are on one side, they are alike without any dependence, and the law of the band is violated.
            if ![before, rung].iter().all(|rung| EVEN.contains(&rung.above())) {
                continue;
            }
            tested = Ruling::Holds;
            let is_alike = |(a, b): &(&u64, &u64)| (**a > WHOLE / 2) == (**b > WHOLE / 2);
            let alike = before.shares.iter().zip(&rung.shares).filter(is_alike).count();
            if !EVEN.contains(&alike) {
                let expected = format!(
                    "of {CLIENTS} clients between {} and {} on the same side of the middle at failures {} and {}",
                    EVEN.start(),
                    EVEN.end(),
                    nth + 1,
                    nth + 2
                );
                return violated_at(nth + 1, expected, alike);
            }
        }
        tested
    }),
};

/// See the head of this module for its consequences.
const CLIENTS: usize = 200;

/// The allowed numbers of clients on one side.
const EVEN: core::ops::RangeInclusive<usize> = 40..=160;

/// At most so many failures are judged: few ladders climb for longer.
const RUNGS: usize = 24;

/// A share of the band, in millionths.
const WHOLE: u64 = 1_000_000;

/// Timers of many languages round to milliseconds, which moves a share by a hundredth in a band of this length.
const ROOM: u64 = 100 * 1_000_000;

/// The waits of all clients at one failure.
struct Rung {
    /// The band of the first client.
    lowest: u64,
    highest: u64,
    /// The place of each client's wait in its band.
    shares: Vec<u64>,
}

impl Rung {
    /// The number of clients in the upper half of the band.
    fn above(&self) -> usize {
        self.shares.iter().filter(|&&share| share > WHOLE / 2).count()
    }
}

/// Whether the claimed waits are uniform in their bands, and drawn by the subject.
fn draws_evenly(claim: &Claim) -> bool {
    let is_even = matches!(claim.jitter(), Some(Jitter::Full | Jitter::SubtractHalf | Jitter::Decorrelated));
    claim.drawing() == Drawing::Own && is_even && claim.normal().is_some()
}

/// The shares of each failure of the outage with which the run begins, if it climbs the whole ladder or there is nothing
/// else in the run. No rung where the band leaves no room, or where the cadence hides a part of it.
fn shares(comparison: &mut Comparison<'_>) -> Option<Vec<Option<Rung>>> {
    let claim = comparison.claim;
    let failures = outage(comparison);
    let ladder = claim.bases(Regime::Normal)?;
    let climbed = ladder.ceiling_from.map_or(RUNGS, |rung| (rung as usize).saturating_add(2)).min(RUNGS);
    let length = failures.min(climbed);
    // One more may be the failure that is given up.
    let is_whole = failures >= climbed || comparison.inputs.len() <= failures + 1;
    if length == 0 || !is_whole {
        return None;
    }
    let none = || Some(Rung { lowest: 0, highest: 0, shares: Vec::new() });
    let mut rungs: Vec<Option<Rung>> = (0..length).map(|_| none()).collect();
    let cadence = claim.cadence().map_or(0, nanos);
    for responses in comparison.crowd(CLIENTS, length)?.iter() {
        let mut before = None;
        for ((rung, response), number) in rungs.iter_mut().zip(responses).zip(1..) {
            let wait = response.decision.and_then(Decision::delay).map(nanos)?;
            let band = rungs::spread(claim, ladder.base(number), ladder, before, None)?;
            let (lowest, highest) = (*band.start(), *band.end());
            before = Some(wait);
            if highest - lowest < ROOM || lowest < cadence {
                *rung = None;
                continue;
            }
            if let Some(rung) = rung {
                if rung.shares.is_empty() {
                    (rung.lowest, rung.highest) = (lowest, highest);
                }
                rung.shares.push(share(wait.clamp(lowest, highest) - lowest, highest - lowest));
            }
        }
    }
    Some(rungs)
}

/// The number of failures with which the run begins, all of them retried by the normal ladder.
fn outage(comparison: &Comparison<'_>) -> usize {
    let plain = |input: &Input| match input.given {
        Given::Failure { failure, .. } => failure.kind == FailureKind::Normal && failure.retry_after.is_none(),
        _ => false,
    };
    let is_retried = |(input, response): &(&Input, &retrylab_sim::Response)| {
        plain(input) && response.decision.is_some_and(|decision| decision.delay().is_some())
    };
    comparison.inputs.iter().zip(comparison.responses).take_while(is_retried).count()
}

fn share(part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(part) * u128::from(WHOLE) / u128::from(of)).unwrap_or(WHOLE)
}

fn part(of: u64, share: u64) -> u64 {
    u64::try_from(u128::from(of) * u128::from(share) / u128::from(WHOLE)).unwrap_or(of)
}
