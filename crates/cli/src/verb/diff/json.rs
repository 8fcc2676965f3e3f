//! The machine form: a line about the question, one about the first difference if there is one, one a rung, one a side.

use std::io::{self, Write};

use retrylab_core::nanos;
use retrylab_sim::diff::{By, Diff, LadderDifference, Parted, Rungs, Side, Step};
use retrylab_sim::ladder::Percentiles;
use retrylab_sim::{Record, json_line};
use serde::Serialize;

use super::Asked;

pub(super) fn print(asked: &Asked<'_>, found: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let [a, b] = asked.clients;
    let about = About {
        diff: [asked.verb.a.describe(a), asked.verb.b.describe(b)],
        timeline: asked.timeline.as_ref().map(crate::Input::argument),
        seed: asked.seed.value,
        seed_from: asked.seed.source.name(),
        seeds: asked.verb.seeds.into(),
        same: found.is_same() && found.is_whole(),
    };
    line(&about, out)?;
    if let Some(parted) = &found.parted {
        divergence(parted, out)?;
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
        line(&SideLine::new(name, side), out)?;
    }
    Ok(())
}

/// The records have a form of their own.
fn divergence(parted: &Parted, out: &mut dyn Write) -> io::Result<()> {
    let Parted { by, seed, divergence } = parted;
    let by = match by {
        By::Timeline => "timeline",
        By::Reported => "reported",
        By::Told => "told",
    };
    let record = |record: Option<&Record>| record.map_or_else(|| Ok("null".to_owned()), json_line);
    let (a, b) = (record(divergence.first.as_ref())?, record(divergence.second.as_ref())?);
    let index = divergence.index;
    writeln!(out, "{{\"divergence\":\"{by}\",\"seed\":{seed},\"index\":{index},\"a\":{a},\"b\":{b}}}")
}

fn line(line: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

#[derive(Serialize)]
struct About {
    diff: [String; 2],
    timeline: Option<String>,
    seed: u64,
    seed_from: &'static str,
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
    a: OneStep,
    b: OneStep,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum OneStep {
    WaitNs(u64),
    GaveUp(&'static str),
}

impl From<&LadderDifference> for Differs {
    fn from(difference: &LadderDifference) -> Self {
        let [a, b] = difference.steps.map(|step| match step {
            Step::Wait(wait) => OneStep::WaitNs(nanos(wait)),
            Step::GiveUp(why) => OneStep::GaveUp(why.name()),
        });
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
    wait: Option<Nanoseconds>,
    runs: usize,
    together: usize,
    distinct: usize,
}

impl OneRung {
    fn of(side: &Rungs, index: usize) -> Self {
        let dispersion = side.dispersion.get(index);
        Self {
            longest_ns: side.longest.rows.get(index).map(|row| nanos(row.longest)),
            wait: side.spread.get(index).map(|spread| spread.wait.into()),
            runs: dispersion.map_or(0, |dispersion| dispersion.runs),
            together: dispersion.map_or(0, |dispersion| dispersion.together),
            distinct: dispersion.map_or(0, |dispersion| dispersion.distinct),
        }
    }
}

#[derive(Serialize)]
struct SideLine {
    figures: &'static str,
    total_wait: Option<Nanoseconds>,
    recovery: Option<Nanoseconds>,
    unrecovered: u64,
    /// In how many seeds a limit ended the run.
    cut_off: u64,
}

impl SideLine {
    fn new(figures: &'static str, side: &Side) -> Self {
        Self {
            figures,
            total_wait: side.total_wait.map(Nanoseconds::from),
            recovery: side.recovery.map(Nanoseconds::from),
            unrecovered: side.unrecovered,
            cut_off: side.cut_off,
        }
    }
}

#[derive(Serialize)]
struct Nanoseconds {
    p10_ns: u64,
    p50_ns: u64,
    p90_ns: u64,
    p99_ns: u64,
}

impl From<Percentiles> for Nanoseconds {
    fn from(percentiles: Percentiles) -> Self {
        let Percentiles { p10, p50, p90, p99 } = percentiles;
        let [p10_ns, p50_ns, p90_ns, p99_ns] = [p10, p50, p90, p99].map(nanos);
        Self { p10_ns, p50_ns, p90_ns, p99_ns }
    }
}
