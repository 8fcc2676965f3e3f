//! Two policies under the same outcomes and draws: where they part, and the size of the difference.
//!
//! ```
//! use retrylab_spec::{Timeline, named};
//! use retrylab_sim::diff::{Question, diff, outage};
//!
//! let timeline = |name: &str| Timeline::new(outage(named::client(name).unwrap())).unwrap();
//! let (a, b) = (timeline("streaming"), timeline("streaming:tls-unexpected"));
//! let question = Question { a: &a, b: &b, steps: true, seed: 0, seeds: 10, rungs: 8 };
//! let found = diff(question, |_| {})?;
//! // Until the first TLS failure they are the same.
//! let parted = found.parted.unwrap().divergence;
//! assert_eq!(parted.first.unwrap().event.to_string(), "tls");
//! assert_eq!(parted.second.unwrap().wait_ns() > parted.first.unwrap().wait_ns(), true);
//! # Ok::<(), retrylab_sim::NoBuiltIn>(())
//! ```

use core::iter::{repeat, repeat_with};
use core::time::Duration;

use retrylab_core::{FailureKind, GiveUp, Policy};
use retrylab_spec::{JitterChoice, Timeline};
use serde::Serialize;

use crate::client::{BuiltIn, NoBuiltIn, build};
use crate::determinism::{Divergence, first_divergence};
use crate::entropy::Entropy;
use crate::fields::{ns, why};
use crate::ladder::{Climb, Dispersion, Percentiles, Spread, Unjittered, climb, dispersion, spread};
use crate::metrics::MetricsObserver;
use crate::player::play;
use crate::record::{EndReason, Event, Record};

mod outage;
mod showing;
mod steps;

pub use outage::outage;
pub use showing::showing;
pub use steps::steps;

/// How far ladders are compared, in rungs.
pub const COMPARED: u32 = 100;

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The first policy, with what it meets.
    pub a: &'a Timeline,
    /// The second policy; of its file only the client may differ from the first.
    pub b: &'a Timeline,
    /// Whether the policies, those of streams, also take the [`steps`] that no timeline has.
    pub steps: bool,
    /// The first seed.
    pub seed: u64,
    /// The number of seeds, from 0, that are played as well. The figures are about these.
    pub seeds: u64,
    /// The number of rungs shown of each ladder; [`COMPARED`] are compared.
    pub rungs: u32,
}

/// The differences, and their size.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The first place where the runs part.
    pub parted: Option<Parted>,
    /// The first rung on which the ladders differ, for each kind of failure for which they do.
    pub ladders: Vec<LadderDifference>,
    /// The figures of both.
    pub sides: [Side; 2],
}

/// Where two runs part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parted {
    /// The inputs of both.
    #[serde(rename = "divergence")]
    pub by: By,
    /// The seed of both.
    pub seed: u64,
    /// The records.
    #[serde(flatten)]
    pub divergence: Divergence,
}

/// The inputs of two policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The timeline.
    Timeline,
    /// The timeline, where statuses and log lines are compared as well.
    Reported,
    /// The [`steps`] that no timeline has. In JSON they keep the name that readers know.
    #[serde(rename = "told")]
    Steps,
}

/// The first rung on which two ladders differ, though every failure is of the same kind and has the same draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderDifference {
    /// The kind of every failure.
    pub kind: FailureKind,
    /// Which failure, from 1.
    pub rung: u32,
    /// The response of each policy there.
    pub steps: [Step; 2],
}

/// The response of a policy on a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Step {
    /// It waits this long.
    #[serde(rename = "wait_ns", serialize_with = "ns")]
    Wait(Duration),
    /// It gives up.
    #[serde(rename = "gave_up", serialize_with = "why")]
    GiveUp(GiveUp),
}

/// The figures of one policy.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// Its ladder after normal failures, and after unexpected ones.
    #[serde(skip)]
    pub ladders: [Rungs; 2],
    /// All waits after failures together, and by how much those after good polls were longer than the policy's own cadence,
    /// over the seeds. `None` without a seed.
    pub total_wait: Option<Percentiles>,
    /// The longest recovery after a window, over the seeds in which all came; `None` if there is none.
    pub recovery: Option<Percentiles>,
    /// The seeds in which some recovery never came.
    pub unrecovered: u64,
    /// The seeds in which a limit ended the run, so that its rest is unknown.
    pub cut_off: u64,
}

/// A ladder, shown.
#[derive(Clone, Debug)]
pub struct Rungs {
    /// The kind of every failure.
    pub kind: FailureKind,
    /// With the longest waits.
    pub longest: Climb,
    /// Over the seeds.
    pub spread: Vec<Spread>,
    /// Over the seeds.
    pub dispersion: Vec<Dispersion>,
}

impl Diff {
    /// Whether no difference was found.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.parted.is_none() && self.ladders.is_empty()
    }

    /// Whether every run came to its end, so that all of it was compared.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        let [a, b] = &self.sides;
        a.cut_off == 0 && b.cut_off == 0
    }
}

/// The progress of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// Another few thousand records of a seed.
    Records,
    /// Another seed.
    Seed,
}

/// The records of one [`Tick::Records`].
const RECORDS_A_TICK: u64 = 1 << 12;

/// Plays both and compares them. `tick` is called now and then during a seed, and once after each.
///
/// # Errors
///
/// If only the owner of one of the policies can build it, or one of them allows no attempt.
pub fn diff(question: Question<'_>, mut tick: impl FnMut(Tick)) -> Result<Diff, NoBuiltIn> {
    let Question { a, b, steps, seed, seeds, .. } = question;
    let mut parted = part(a, b, By::Timeline, seed, &mut tick)?;
    let mut sides = [Totals::default(), Totals::default()];
    for each in 0..seeds {
        if parted.is_none() {
            parted = part(a, b, By::Timeline, each, &mut tick)?;
        }
        for (timeline, totals) in [a, b].into_iter().zip(&mut sides) {
            totals.add(timeline, each, &mut tick)?;
        }
        tick(Tick::Seed);
    }
    if parted.is_none() {
        parted = part(a, b, By::Reported, seed, &mut tick)?;
    }
    if steps && parted.is_none() {
        parted = part(a, b, By::Steps, seed, &mut tick)?;
    }
    let [first, second] = sides;
    Ok(Diff { parted, ladders: ladders(a, b, seed)?, sides: [first.side(a, question)?, second.side(b, question)?] })
}

fn part(
    a: &Timeline,
    b: &Timeline,
    by: By,
    seed: u64,
    tick: &mut impl FnMut(Tick),
) -> Result<Option<Parted>, NoBuiltIn> {
    let divergence = match by {
        By::Timeline => {
            let [a, b] = [play(a, seed)?, play(b, seed)?].map(|run| numbered(run.filter(Record::is_plain)));
            first_divergence(ticking(a, tick), b)
        }
        By::Reported => {
            let [a, b] = [play(a, seed)?, play(b, seed)?].map(|run| numbered(run.filter(Record::is_traced)));
            first_divergence(ticking(a, tick), b)
        }
        By::Steps => first_divergence(steps(&a.client, seed)?, steps(&b.client, seed)?),
    };
    Ok(divergence.map(|divergence| Parted { by, seed, divergence }))
}

/// The same records, numbered anew, so that records that were filtered out make no difference.
fn numbered(records: impl Iterator<Item = Record>) -> impl Iterator<Item = Record> {
    records.zip(0..).map(|(mut record, number)| {
        record.number = number;
        record
    })
}

/// The same records, and a tick now and then.
fn ticking(records: impl Iterator<Item = Record>, tick: &mut impl FnMut(Tick)) -> impl Iterator<Item = Record> {
    records.zip(1_u64..).map(|(record, number)| {
        if number.is_multiple_of(RECORDS_A_TICK) {
            tick(Tick::Records);
        }
        record
    })
}

/// Sums over the seeds so far.
#[derive(Default)]
struct Totals {
    waits: Vec<Duration>,
    recoveries: Vec<Duration>,
    unrecovered: u64,
    cut_off: u64,
}

impl Totals {
    fn add(&mut self, timeline: &Timeline, seed: u64, tick: &mut impl FnMut(Tick)) -> Result<(), NoBuiltIn> {
        let mut metrics = MetricsObserver::new(timeline);
        let mut wait = Duration::ZERO;
        let player = play(timeline, seed)?;
        // Before the first outcome, the next delay is the wait between healthy polls.
        let cadence = player.policy().next_delay();
        for record in ticking(player, tick) {
            metrics.observe(&record);
            let waited = Duration::from_nanos(record.wait_ns().unwrap_or(0));
            wait = wait.saturating_add(match record.event {
                _ if record.is_failure() => waited,
                Event::Ok | Event::NotModified => waited.saturating_sub(cadence),
                _ => Duration::ZERO,
            });
        }
        self.waits.push(wait);
        let metrics = metrics.finish();
        let cut_off = matches!(metrics.ended, Some(EndReason::EventLimit | EndReason::TimeLimit));
        self.cut_off += u64::from(cut_off);
        match metrics.longest_recovery() {
            Some(recovery) => self.recoveries.push(recovery),
            None if metrics.recoveries.is_empty() => {}
            None => self.unrecovered += 1,
        }
        Ok(())
    }

    fn side(self, timeline: &Timeline, question: Question<'_>) -> Result<Side, NoBuiltIn> {
        let (policy, _) = build(&timeline.client.kind)?;
        let jitter = timeline.client.jitter;
        Ok(Side {
            ladders: KINDS.map(|kind| rungs(&policy, jitter, kind, question)),
            total_wait: Percentiles::of(self.waits),
            recovery: Percentiles::of(self.recoveries),
            unrecovered: self.unrecovered,
            cut_off: self.cut_off,
        })
    }
}

const KINDS: [FailureKind; 2] = [FailureKind::Normal, FailureKind::Unexpected];

fn rungs(policy: &BuiltIn, jitter: JitterChoice, kind: FailureKind, question: Question<'_>) -> Rungs {
    let Question { seeds, rungs, .. } = question;
    let climbs: Vec<Climb> = (0..seeds).map(|seed| seeded(policy, jitter, kind, rungs, seed)).collect();
    Rungs {
        kind,
        longest: climb(policy, kind, rungs, repeat(0)),
        dispersion: dispersion(&climbs),
        spread: spread(climbs),
    }
}

/// A climb with the draws of a seed, or without jitter.
fn seeded(policy: &BuiltIn, jitter: JitterChoice, kind: FailureKind, rungs: u32, seed: u64) -> Climb {
    fn drawn<P: Policy + Clone>(policy: &P, kind: FailureKind, rungs: u32, seed: u64) -> Climb {
        let mut draws = Entropy::new(seed).client(0);
        climb(policy, kind, rungs, repeat_with(move || draws.next_draw()))
    }
    match jitter {
        JitterChoice::Own | JitterChoice::Coarse => drawn(policy, kind, rungs, seed),
        JitterChoice::None => drawn(&Unjittered(policy.clone()), kind, rungs, seed),
    }
}

/// Compared at their longest waits, then with the draws of the seed.
fn ladders(a: &Timeline, b: &Timeline, seed: u64) -> Result<Vec<LadderDifference>, NoBuiltIn> {
    let (first, second) = (build(&a.client.kind)?.0, build(&b.client.kind)?.0);
    let compare = |kind: FailureKind| {
        let longest = || [&first, &second].map(|policy| climb(policy, kind, COMPARED, repeat(0)));
        let drawn = || {
            [(&first, a), (&second, b)]
                .map(|(policy, timeline)| seeded(policy, timeline.client.jitter, kind, COMPARED, seed))
        };
        first_difference(kind, &longest()).or_else(|| first_difference(kind, &drawn()))
    };
    Ok(KINDS.into_iter().filter_map(compare).collect())
}

fn first_difference(kind: FailureKind, climbs: &[Climb; 2]) -> Option<LadderDifference> {
    (1..=COMPARED).find_map(|rung| {
        let [Some(first), Some(second)] = climbs.each_ref().map(|climb| step(climb, rung)) else { return None };
        (first != second).then_some(LadderDifference { kind, rung, steps: [first, second] })
    })
}

/// `None` after the policy gave up.
fn step(climb: &Climb, rung: u32) -> Option<Step> {
    let index = usize::try_from(rung).ok()?.checked_sub(1)?;
    match climb.rows.get(index) {
        Some(row) => Some(Step::Wait(row.wait)),
        None if index == climb.rows.len() => climb.gave_up.map(Step::GiveUp),
        None => None,
    }
}
