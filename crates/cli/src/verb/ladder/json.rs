//! The machine form: a line about the ladder, then one a rung.

use std::io::{self, Write};

use retrylab_core::{GiveUp, nanos};
use retrylab_scenario::{ClientKind, JitterChoice, named};
use retrylab_sim::ladder::{Climb, Percentiles, Row, Spread};
use serde::Serialize;

use super::describe::Bounds;
use super::{Chosen, Header, SEEDS};

pub(super) fn print(header: &Header<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (seed, seeds, gave_up) = match &header.chosen {
        Chosen::One(seed, climb) => (Some(seed), None, climb.gave_up),
        Chosen::Many(_) => (None, Some(SEEDS), None),
    };
    let Bounds { initial, ceiling, cadence, .. } = header.bounds;
    let about = About {
        ladder: named::name(&header.client.kind),
        regime: header.regime.name(),
        initial_ns: nanos(initial),
        ceiling_ns: nanos(ceiling),
        cadence_ns: nanos(cadence),
        jitter: match (header.client.jitter, &header.client.kind) {
            (JitterChoice::None, _) => "none",
            (
                JitterChoice::Own | JitterChoice::Coarse,
                ClientKind::Call(call) | ClientKind::Reconnect { outage: call, .. },
            ) => call.jitter.name(),
            (JitterChoice::Own | JitterChoice::Coarse, _) => "own",
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
        Chosen::One(_, climb) => climb.rows.iter().try_for_each(|row| line(&OneRung::from(row), out)),
        Chosen::Many(spread) => spread.iter().try_for_each(|rung| line(&ManyRung::from(rung), out)),
    }
}

fn line(line: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
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

/// All waits at one end of what they can be.
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

/// How many attempts start within a time.
#[derive(Serialize)]
struct Attempts {
    time_ns: u64,
    longest: u32,
    shortest: u32,
}

#[derive(Serialize)]
struct OneRung {
    rung: u32,
    base_ns: Option<u64>,
    lowest_ns: u64,
    highest_ns: u64,
    jitter_ns: Option<u64>,
    wait_ns: u64,
    total_ns: u64,
}

impl From<&Row> for OneRung {
    fn from(row: &Row) -> Self {
        Self {
            rung: row.number,
            base_ns: row.rung.map(|rung| nanos(rung.base)),
            lowest_ns: nanos(row.shortest),
            highest_ns: nanos(row.longest),
            jitter_ns: row.rung.map(|rung| nanos(rung.jitter)),
            wait_ns: nanos(row.wait),
            total_ns: nanos(row.total),
        }
    }
}

#[derive(Serialize)]
struct ManyRung {
    rung: u32,
    runs: usize,
    wait: Nanoseconds,
    total: Nanoseconds,
}

#[derive(Serialize)]
struct Nanoseconds {
    p10_ns: u64,
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
}

impl From<&Spread> for ManyRung {
    fn from(spread: &Spread) -> Self {
        let Spread { number, runs, wait, total } = *spread;
        Self { rung: number, runs, wait: wait.into(), total: total.into() }
    }
}

impl From<Percentiles> for Nanoseconds {
    fn from(percentiles: Percentiles) -> Self {
        let Percentiles { p10, p50, p90, p99 } = percentiles;
        let [p10_ns, p50_ns, p90_ns, p99_ns] = [p10, p50, p90, p99].map(nanos);
        Self { p10_ns, p50_ns, p90_ns, p99_ns }
    }
}
