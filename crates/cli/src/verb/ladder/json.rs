//! JSON output: a line about the ladder, then one per rung.

use std::io::{self, Write};

use retrylab_core::{GiveUp, nanos};
use retrylab_sim::ladder::Climb;
use retrylab_spec::JitterChoice;
use serde::Serialize;

use super::describe::Bounds;
use super::{Chosen, Header, SEEDS};
use crate::json::line;

pub(super) fn print(header: &Header<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (seed, seeds, gave_up) = match &header.chosen {
        Chosen::One(seed, climb) => (Some(seed), None, climb.gave_up),
        Chosen::Many(_) => (None, Some(SEEDS), None),
    };
    let Bounds { initial, ceiling, cadence, .. } = header.bounds;
    let about = About {
        ladder: header.client.kind.name(),
        regime: header.regime.name(),
        initial_ns: nanos(initial),
        ceiling_ns: nanos(ceiling),
        cadence_ns: nanos(cadence),
        jitter: match header.client.jitter {
            JitterChoice::None => "none",
            JitterChoice::Own | JitterChoice::Coarse => {
                header.client.kind.call().map_or("own", |call| call.jitter.name())
            }
        },
        seed: seed.map(|seed| seed.value),
        seed_from: seed.map(|seed| seed.source.name()),
        seeds,
        gave_up: gave_up.map(GiveUp::name),
        longest: (&header.longest).into(),
        shortest: (&header.shortest).into(),
        within: header.within.as_ref().map(|within| Attempts {
            time_ns: nanos(within.time),
            longest: within.longest.attempts,
            shortest: within.shortest.attempts,
        }),
    };
    line(&about, out)?;
    match &header.chosen {
        Chosen::One(_, climb) => climb.rows.iter().try_for_each(|row| line(row, out)),
        Chosen::Many(spread) => spread.iter().try_for_each(|rung| line(rung, out)),
    }
}

#[derive(Serialize)]
struct About {
    ladder: &'static str,
    regime: &'static str,
    initial_ns: u64,
    ceiling_ns: u64,
    cadence_ns: u64,
    jitter: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gave_up: Option<&'static str>,
    longest: Extreme,
    shortest: Extreme,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<Attempts>,
}

/// All waits at one extreme.
#[derive(Serialize)]
struct Extreme {
    total_ns: u64,
    waits: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    gave_up: Option<&'static str>,
}

impl From<&Climb> for Extreme {
    fn from(climb: &Climb) -> Self {
        Self { total_ns: nanos(climb.total()), waits: climb.rows.len(), gave_up: climb.gave_up.map(GiveUp::name) }
    }
}

/// The number of attempts that start within a time.
#[derive(Serialize)]
struct Attempts {
    time_ns: u64,
    longest: u32,
    shortest: u32,
}
