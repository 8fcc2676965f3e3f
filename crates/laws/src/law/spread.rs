//! Laws of the spread of clients that fail together.

use std::rc::Rc;

use retrylab_core::{Jitter, ServerDelay, nanos};
use retrylab_sim::{Given, Input, Response};

use super::{Check, Law, Need, Ruling, text, violated_at};
use crate::claim::{Claim, Drawing};
use crate::comparison::Comparison;

pub(super) const JITTER_SPREADS: Law = Law {
    name: "jitter-spreads",
    statement: "With jitter on, clients that fail together have different waits at every rung and at the ceiling: of eight, \
                no three have the same wait before the cadence; if waits may be rounded, no more than half of sixty-four.",
    cite: "tower 0.5.3; yoshuawuyts/exponential-backoff PR #36; Exponential Backoff And Jitter, AWS Architecture Blog, 2015",
    about: is_spread,
    needs: &[Need::Comparison, Need::Clients, Need::Waits(1)],
    check: Check::Compared(|comparison| {
        let Some(mut clients) = comparison.clients(FEW) else { return Ruling::Silent };
        let mut tested = Ruling::Silent;
        for nth in 0..comparison.inputs.len() {
            let Some(waits) = spread_waits(comparison, &clients[..FEW], nth) else { continue };
            tested = Ruling::Holds;
            let (alike, wait) = most_alike(waits);
            if alike < 3 {
                continue;
            }
            if !is_coarse(comparison.claim) {
                let got = format!("three of them wait {}", text(wait));
                return violated_at(nth, "eight clients of which no three wait the same", got);
            }
            // Of eight that round, three may wait the same by chance. Of many, half do not.
            let Some(many) = comparison.clients(MANY) else { return Ruling::Silent };
            clients = many;
            let Some(waits) = spread_waits(comparison, &clients, nth) else { continue };
            let (alike, wait) = most_alike(waits);
            if alike > MANY / 2 {
                let expected = format!("{MANY} clients of which no more than half wait the same");
                return violated_at(nth, expected, format!("{alike} of them wait {}", text(wait)));
            }
        }
        tested
    }),
};

pub(super) const CLIENTS_DIFFER: Law = Law {
    name: "clients-differ",
    statement: "Two clients with the same outcomes do not always have the same waits, nor do eight if waits may be rounded.",
    cite: "heroiclabs/nakama-dotnet PR #105; tower 0.5.3",
    about: is_spread,
    needs: &[Need::Comparison, Need::Clients, Need::Waits(1)],
    check: Check::Compared(|comparison| {
        let of = if is_coarse(comparison.claim) { FEW } else { 2 };
        let Some(clients) = comparison.clients(of) else { return Ruling::Silent };
        let waits = |nth| Some((nth, spread_waits(comparison, &clients[..of], nth)?));
        let judged: Vec<(usize, Vec<u64>)> = (0..comparison.inputs.len()).filter_map(waits).collect();
        match judged.as_slice() {
            // One wait alone may be the same by chance.
            [] | [_] => Ruling::Silent,
            [first, ..] if judged.iter().all(|(_, waits)| waits.iter().all(|wait| *wait == waits[0])) => {
                let (these, all) = if of == 2 { ("two", "both") } else { ("eight", "all") };
                let got = format!("{all} wait the same, {} times", judged.len());
                violated_at(first.0, format!("{these} clients that differ"), got)
            }
            _ => Ruling::Holds,
        }
    }),
};

/// The first clients with the inputs, and all of them if those are too much alike.
const FEW: usize = 8;
const MANY: usize = 64;

/// Waits that are not rounded and have this much room are the same by chance less than once in a million times.
const ROOM: u64 = 1_000_000;

/// Timers and configurations of many languages count in milliseconds, and a policy that draws for itself may round to them.
const MILLISECOND: u64 = 1_000_000;

/// Rounded waits need room for this many. Then a given one is drawn once in ten times, and more than half of 64
/// are it less than once in 10^15 times: 33 are `C(64, 33) · 0.1^33 · 0.9^31`, about 7 · 10^-17, which is ten times that for
/// any of the ten. That eight clients wait the same twice has a chance of 10^-14.
const ROUNDED_ROOM: u64 = 10;

/// Whether waits may be rounded so that draws are no longer told apart.
const fn is_coarse(claim: &Claim) -> bool {
    matches!(claim.drawing(), Drawing::Own) || claim.tolerance_ns() > 1
}

/// The range of the jitter from which on the waits are judged.
fn room(claim: &Claim) -> u64 {
    match claim.drawing() {
        Drawing::Own => ROUNDED_ROOM.saturating_mul(MILLISECOND.max(claim.tolerance_ns())),
        // Off by that much either way.
        Drawing::Given if is_coarse(claim) => ROOM.max(claim.tolerance_ns().saturating_mul(2 * ROUNDED_ROOM)),
        Drawing::Given => ROOM,
    }
}

/// The largest number of equal waits, and their length.
fn most_alike(mut waits: Vec<u64>) -> (usize, u64) {
    waits.sort_unstable();
    waits.chunk_by(|a, b| a == b).map(|alike| (alike.len(), alike[0])).max().unwrap_or_default()
}

const fn is_spread(claim: &Claim) -> bool {
    matches!(claim.jitter(), Some(jitter) if !matches!(jitter, Jitter::None))
}

/// The waits of the clients after this input, before the cadence, if they have room to differ there.
fn spread_waits(comparison: &Comparison<'_>, clients: &[Rc<[Response]>], nth: usize) -> Option<Vec<u64>> {
    if !is_meant_to_spread(comparison.claim, &comparison.inputs[nth]) {
        return None;
    }
    let cadence = comparison.claim.cadence().unwrap_or_default();
    let room = room(comparison.claim);
    // Collected options would be a vector that grows.
    let mut waits = Vec::with_capacity(clients.len());
    for responses in clients {
        let wait = responses[nth].decision?.delay()?;
        waits.push(match responses[nth].rung {
            Some(rung) if nanos(rung.base) / 2 >= room => nanos(rung.base.saturating_sub(rung.jitter)),
            // What the cadence hides cannot be judged.
            None if wait > cadence && nanos(wait) / 2 >= room => nanos(wait),
            _ => return None,
        });
    }
    Some(waits)
}

/// A `retry_after` has a claimed spread of its own, which may be zero.
fn is_meant_to_spread(claim: &Claim, input: &Input) -> bool {
    let Given::Failure { failure, .. } = input.given else { return false };
    match (failure.retry_after, claim.retry_after()) {
        (None, _) => true,
        (Some(_), Some(ServerDelay::Honour { spread, .. })) => nanos(spread) / 2 >= room(claim),
        (Some(_), None | Some(ServerDelay::Ignore)) => false,
    }
}
