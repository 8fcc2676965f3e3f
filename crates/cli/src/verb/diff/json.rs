//! JSON output: a line about the request, one about the first difference if there is one, one per rung, one per side.

use std::io::{self, Write};

use retrylab_core::nanos;
use retrylab_sim::diff::{Diff, LadderDifference, Rungs, Side, Step};
use retrylab_sim::ladder::Percentiles;
use serde::Serialize;

use super::Request;
use crate::json::line;
use crate::seed::Seed;

pub(super) fn print(request: &Request<'_>, found: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let [a, b] = request.clients;
    let about = About {
        diff: [request.verb.a.describe(a), request.verb.b.describe(b)],
        timeline: request.timeline.as_ref().map(crate::Input::argument),
        seed: request.seed,
        seeds: request.verb.seeds.into(),
        same: found.is_same() && found.is_whole(),
    };
    line(&about, out)?;
    if let Some(parted) = &found.parted {
        line(parted, out)?;
    }
    let [first, second] = &found.sides;
    for (a, b) in first.ladders.iter().zip(&second.ladders) {
        let differs = found.ladders.iter().find(|difference| difference.kind == a.kind).map(Differs::from);
        line(&LadderLine { ladder: a.kind.name(), differs }, out)?;
        for index in 0..a.longest.rows.len().max(b.longest.rows.len()) {
            line(&RungLine { rung: index + 1, a: OneRung::of(a, index), b: OneRung::of(b, index) }, out)?;
        }
    }
    for (name, side) in [("a", first), ("b", second)] {
        line(&SideLine { figures: name, side }, out)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct About {
    diff: [String; 2],
    timeline: Option<String>,
    #[serde(flatten)]
    seed: Seed,
    seeds: u64,
    same: bool,
}

#[derive(Serialize)]
struct LadderLine {
    ladder: &'static str,
    differs: Option<Differs>,
}

#[derive(Serialize)]
struct Differs {
    rung: u32,
    a: Step,
    b: Step,
}

impl From<&LadderDifference> for Differs {
    fn from(difference: &LadderDifference) -> Self {
        let [a, b] = difference.steps;
        Self { rung: difference.rung, a, b }
    }
}

#[derive(Serialize)]
struct RungLine {
    rung: usize,
    a: OneRung,
    b: OneRung,
}

#[derive(Serialize)]
struct OneRung {
    longest_ns: Option<u64>,
    wait: Option<Percentiles>,
    runs: usize,
    together: usize,
    distinct: usize,
}

impl OneRung {
    fn of(side: &Rungs, index: usize) -> Self {
        let dispersion = side.dispersion.get(index);
        Self {
            longest_ns: side.longest.rows.get(index).map(|row| nanos(row.longest)),
            wait: side.spread.get(index).map(|spread| spread.wait),
            runs: dispersion.map_or(0, |dispersion| dispersion.runs),
            together: dispersion.map_or(0, |dispersion| dispersion.together),
            distinct: dispersion.map_or(0, |dispersion| dispersion.distinct),
        }
    }
}

#[derive(Serialize)]
struct SideLine<'a> {
    figures: &'static str,
    #[serde(flatten)]
    side: &'a Side,
}
