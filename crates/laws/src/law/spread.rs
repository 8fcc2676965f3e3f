//! Laws of how clients that fail together are spread.

use core::ops::Range;
use core::time::Duration;

use retrylab_core::{Jitter, ServerDelay, nanos};
use retrylab_scenario::duration::Text;
use retrylab_sim::Entropy;

use super::waits::server_delay;
use super::{Check, Compared, Law};
use crate::claim::{Claim, Drawing};
use crate::told::{Answered, Retold, Told, What};

pub(super) const JITTER_SPREADS: Law = Law {
    name: "jitter-spreads",
    statement: "Where jitter is on, clients that fail together wait differently at every rung and at the ceiling: of eight, \
                no three wait the same, judged before the cadence; where waits may be rounded, of sixty-four no more than half.",
    cite: "tower 0.5.3; yoshuawuyts/exponential-backoff PR #36; Exponential Backoff And Jitter, AWS Architecture Blog, 2015",
    about: is_spread,
    check: Check::Retold(|retold| {
        let Some(mut clients) = clients(retold, 0..FEW) else { return Compared::Silent };
        let mut tested = Compared::Silent;
        for nth in 0..retold.history.len() {
            let Some(waits) = spread_waits(retold, &clients[..FEW], nth) else { continue };
            tested = Compared::Holds;
            let (alike, wait) = most_alike(waits);
            if alike < 3 {
                continue;
            }
            if !is_coarse(retold.claim) {
                let expected = "eight clients of which no three wait the same".to_owned();
                let got = format!("three of them wait {}", Text(Duration::from_nanos(wait)));
                return Compared::Broken { nth, expected, got };
            }
            // Of eight that round, three may wait the same by chance. Of many, half do not.
            if clients.len() == FEW {
                let Some(more) = self::clients(retold, FEW..MANY) else { return Compared::Silent };
                clients.extend(more);
            }
            let Some(waits) = spread_waits(retold, &clients, nth) else { continue };
            let (alike, wait) = most_alike(waits);
            if alike > MANY / 2 {
                let expected = format!("{MANY} clients of which no more than half wait the same");
                let got = format!("{alike} of them wait {}", Text(Duration::from_nanos(wait)));
                return Compared::Broken { nth, expected, got };
            }
        }
        tested
    }),
};

pub(super) const CLIENTS_DIFFER: Law = Law {
    name: "clients-differ",
    statement: "Two clients that meet the same do not wait the same all along, nor, where waits may be rounded, do eight.",
    cite: "heroiclabs/nakama-dotnet PR #105; tower 0.5.3",
    about: is_spread,
    check: Check::Retold(|retold| {
        let of = if is_coarse(retold.claim) { FEW } else { 2 };
        let Some(clients) = clients(retold, 0..of) else { return Compared::Silent };
        let waits = |nth| Some((nth, spread_waits(retold, &clients, nth)?));
        let judged: Vec<(usize, Vec<u64>)> = (0..retold.history.len()).filter_map(waits).collect();
        match judged.as_slice() {
            // One wait alone may be the same by chance.
            [] | [_] => Compared::Silent,
            [first, ..] if judged.iter().all(|(_, waits)| waits.iter().all(|wait| *wait == waits[0])) => {
                let (these, all) = if of == 2 { ("two", "both") } else { ("eight", "all") };
                Compared::Broken {
                    nth: first.0,
                    expected: format!("{these} clients that differ"),
                    got: format!("{all} wait the same, {} times", judged.len()),
                }
            }
            _ => Compared::Holds,
        }
    }),
};

/// Clients that are told a history first, and all that are told it if those are too much alike.
const FEW: usize = 8;
const MANY: usize = 64;

/// Waits that are not rounded and have this much room are the same by chance less than once in a million times.
const ROOM: u64 = 1_000_000;

/// Timers and configurations of many languages count in milliseconds, and what draws for itself may round to them.
const MILLISECOND: u64 = 1_000_000;

/// Waits that are rounded need room for so many of them. Then a given one is drawn once in ten times, and more than half of 64
/// are it less than once in 10^15 times: 33 are `C(64, 33) · 0.1^33 · 0.9^31`, about 7 · 10^-17, which is ten times that for
/// any of the ten. That eight clients wait the same twice has a chance of 10^-14.
const ROUNDED_ROOM: u64 = 10;

/// Whether waits may be rounded to more than what their draws tell apart.
const fn is_coarse(claim: &Claim) -> bool {
    matches!(claim.drawing, Drawing::Own) || claim.tolerance_ns > 1
}

/// How much jitter has to be able to take for the waits to be judged.
fn room(claim: &Claim) -> u64 {
    match claim.drawing {
        Drawing::Own => ROUNDED_ROOM.saturating_mul(MILLISECOND.max(claim.tolerance_ns)),
        // Off by that much either way.
        Drawing::Given if is_coarse(claim) => ROOM.max(claim.tolerance_ns.saturating_mul(2 * ROUNDED_ROOM)),
        Drawing::Given => ROOM,
    }
}

/// How many wait the same at most, and how long.
fn most_alike(mut waits: Vec<u64>) -> (usize, u64) {
    waits.sort_unstable();
    waits.chunk_by(|a, b| a == b).map(|alike| (alike.len(), alike[0])).max().unwrap_or_default()
}

const fn is_spread(claim: &Claim) -> bool {
    matches!(claim.jitter, Some(jitter) if !matches!(jitter, Jitter::None))
}

/// What the clients of these numbers answer to the same history, each with draws of its own.
fn clients(retold: &mut Retold<'_>, numbers: Range<usize>) -> Option<Vec<Vec<Answered>>> {
    if !retold.history.iter().any(Told::is_failure) {
        return None;
    }
    let draw = |client: usize| {
        let mut draws = Entropy::new(0).client(client as u64);
        let given = retold.claim.drawing == Drawing::Given;
        let redrawn = |told: &Told| if given { told.with_draw(draws.next_draw()) } else { *told };
        retold.history.iter().map(redrawn).collect::<Vec<Told>>()
    };
    let histories: Vec<Vec<Told>> = numbers.map(draw).collect();
    histories.iter().map(|history| retold.tell(history)).collect()
}

/// What the clients wait at this place before the cadence, if they have room to differ there.
fn spread_waits(retold: &Retold<'_>, clients: &[Vec<Answered>], nth: usize) -> Option<Vec<u64>> {
    if !is_meant_to_spread(retold.claim, &retold.history[nth]) {
        return None;
    }
    let cadence = retold.claim.cadence.unwrap_or_default();
    let room = room(retold.claim);
    let waits: Option<Vec<u64>> = clients
        .iter()
        .map(|answers| {
            let answer = &answers[nth];
            let wait = answer.decision?.delay()?;
            match answer.rung {
                Some(rung) => (nanos(rung.base) / 2 >= room).then(|| nanos(rung.base.saturating_sub(rung.jitter))),
                // What the cadence hides cannot be judged.
                None => (wait > cadence && nanos(wait) / 2 >= room).then(|| nanos(wait)),
            }
        })
        .collect();
    waits
}

/// What the server asked for is spread by what is claimed for that, which may be nothing.
fn is_meant_to_spread(claim: &Claim, told: &Told) -> bool {
    let What::Failure { failure, .. } = told.what else { return false };
    match (failure.retry_after, server_delay(claim)) {
        (None, _) | (Some(_), Some(ServerDelay::Ignore)) => true,
        (Some(_), Some(ServerDelay::Clamp { spread, .. } | ServerDelay::Refuse { spread, .. })) => {
            nanos(spread) / 2 >= room(claim)
        }
        (Some(_), None) => false,
    }
}
