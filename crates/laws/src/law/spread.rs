//! Laws of how clients that fail together are spread.

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
                no three wait the same, judged before the cadence.",
    cite: "tower 0.5.3; yoshuawuyts/exponential-backoff PR #36; Exponential Backoff And Jitter, AWS Architecture Blog, 2015",
    about: is_spread,
    check: Check::Retold(|retold| {
        let Some(clients) = clients::<8>(retold) else { return Compared::Silent };
        let mut tested = Compared::Silent;
        for nth in 0..retold.history.len() {
            let Some(mut waits) = spread_waits(retold, &clients, nth) else { continue };
            waits.sort_unstable();
            if let Some(alike) = waits.windows(3).find(|alike| alike[0] == alike[2]) {
                let expected = "eight clients of which no three wait the same".to_owned();
                let got = format!("three of them wait {}", Text(Duration::from_nanos(alike[0])));
                return Compared::Broken { nth, expected, got };
            }
            tested = Compared::Holds;
        }
        tested
    }),
};

pub(super) const CLIENTS_DIFFER: Law = Law {
    name: "clients-differ",
    statement: "Two clients that meet the same do not wait the same all along.",
    cite: "heroiclabs/nakama-dotnet PR #105; tower 0.5.3",
    about: is_spread,
    check: Check::Retold(|retold| {
        let Some(clients) = clients::<2>(retold) else { return Compared::Silent };
        let waits = |nth| Some((nth, spread_waits(retold, &clients, nth)?));
        let judged: Vec<(usize, Vec<u64>)> = (0..retold.history.len()).filter_map(waits).collect();
        match judged.as_slice() {
            // One wait alone may be the same by chance.
            [] | [_] => Compared::Silent,
            [first, ..] if judged.iter().all(|(_, waits)| waits[0] == waits[1]) => Compared::Broken {
                nth: first.0,
                expected: "two clients that differ".to_owned(),
                got: format!("both wait the same, {} times", judged.len()),
            },
            _ => Compared::Holds,
        }
    }),
};

/// Two waits with this much room are the same by chance less than once in a million times.
const ROOM: u64 = 1_000_000;

const fn is_spread(claim: &Claim) -> bool {
    matches!(claim.jitter, Some(jitter) if !matches!(jitter, Jitter::None))
}

/// What so many clients answer to the same history, each with draws of its own.
fn clients<const N: usize>(retold: &mut Retold<'_>) -> Option<Vec<Vec<Answered>>> {
    if !retold.history.iter().any(Told::is_failure) {
        return None;
    }
    let draw = |client: usize| {
        let mut draws = Entropy::new(0).client(client as u64);
        let given = retold.claim.drawing == Drawing::Given;
        let redrawn = |told: &Told| if given { told.with_draw(draws.next_draw()) } else { *told };
        retold.history.iter().map(redrawn).collect::<Vec<Told>>()
    };
    let histories: Vec<Vec<Told>> = (0..N).map(draw).collect();
    histories.iter().map(|history| retold.tell(history)).collect()
}

/// What the clients wait at this place before the cadence, if they have room to differ there.
fn spread_waits(retold: &Retold<'_>, clients: &[Vec<Answered>], nth: usize) -> Option<Vec<u64>> {
    if !is_meant_to_spread(retold.claim, &retold.history[nth]) {
        return None;
    }
    let cadence = retold.claim.cadence.unwrap_or_default();
    let waits: Option<Vec<u64>> = clients
        .iter()
        .map(|answers| {
            let answer = &answers[nth];
            let wait = answer.decision?.delay()?;
            match answer.rung {
                Some(rung) => (nanos(rung.base) / 2 >= ROOM).then(|| nanos(rung.base.saturating_sub(rung.jitter))),
                // What the cadence hides cannot be judged.
                None => (wait > cadence && nanos(wait) / 2 >= ROOM).then(|| nanos(wait)),
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
            nanos(spread) / 2 >= ROOM
        }
        (Some(_), None) => false,
    }
}
