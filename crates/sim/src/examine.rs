//! One run looked at from all sides: expectations, metrics and the run-twice check in a single pass.

use core::cell::Cell;
use core::convert::Infallible;
use core::ops::ControlFlow;

use retrylab_core::{ConfigWarning, Policy};
use retrylab_scenario::Timeline;

use crate::answers::{Asked, TwoAnswers};
use crate::client::NoBuiltIn;
use crate::determinism::{Divergence, Pair};
use crate::judge::{Judge, Unmet};
use crate::metrics::{Metrics, MetricsObserver};
use crate::player::{Player, play};
use crate::record::Record;

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Examination {
    /// Expectations that do not hold, in the order in which they show; laws are not among them.
    pub unmet: Vec<Unmet>,
    /// The figures.
    pub metrics: Metrics,
    /// Where a second run of the same file and seed went another way.
    pub divergence: Option<Divergence>,
}

/// Plays the timeline twice with its own client and compares it with its expectations. `observe` sees each record of the
/// first run.
///
/// # Errors
///
/// If only the owner of the client's policy can build it; [`examine_policy`] takes any policy.
pub fn examine(timeline: &Timeline, seed: u64, mut observe: impl FnMut(&Record)) -> Result<Examination, NoBuiltIn> {
    let examined = examine_until(timeline, seed, |record| {
        observe(record);
        GO_ON
    })?;
    Ok(whole(examined))
}

/// As [`examine`], until `observe` breaks off with whatever it has to say; then the runs are not played to their end.
///
/// # Errors
///
/// As for [`examine`].
pub fn examine_until<B>(
    timeline: &Timeline,
    seed: u64,
    observe: impl FnMut(&Record) -> ControlFlow<B>,
) -> Result<ControlFlow<B, Examination>, NoBuiltIn> {
    Ok(examine_runs(timeline, play(timeline, seed)?, play(timeline, seed)?, observe))
}

/// As [`examine`], with a policy of the caller's. `client` makes a fresh one for each of the two runs.
///
/// That [`Policy::next_delay`] is what was decided after each failure is expected of every policy, whatever the file says;
/// the first time that it is not is told with the key `client`.
pub fn examine_policy<P: Policy>(
    timeline: &Timeline,
    mut client: impl FnMut() -> (P, Option<ConfigWarning>),
    seed: u64,
    mut observe: impl FnMut(&Record),
) -> Examination {
    let answers = Cell::new(None);
    let mut run = || {
        let (policy, warning) = client();
        Player::new(timeline, Asked { policy, first: &answers }, warning, seed)
    };
    let (first, second) = (run(), run());
    let (mut index, mut differ) = (0, None);
    let mut examination = whole(examine_runs(timeline, first, second, |record| {
        // A failure yields one record, so this is the one that was answered twice.
        differ = differ.take().or_else(|| answers.get().map(|answers: TwoAnswers| answers.unmet(record, index)));
        index += 1;
        observe(record);
        GO_ON
    }));
    examination.unmet.extend(differ);
    examination.unmet.sort_by_key(|unmet| unmet.record);
    examination
}

fn examine_runs<B>(
    timeline: &Timeline,
    first: impl Iterator<Item = Record>,
    second: impl Iterator<Item = Record>,
    mut observe: impl FnMut(&Record) -> ControlFlow<B>,
) -> ControlFlow<B, Examination> {
    let mut runs = Pair::new(first, second);
    let mut judge = Judge::new(timeline);
    let mut metrics = MetricsObserver::new(timeline);
    for record in &mut runs {
        judge.observe(&record);
        metrics.observe(&record);
        observe(&record)?;
    }
    let (unmet, metrics) = (judge.finish(), metrics.finish());
    ControlFlow::Continue(Examination { unmet, metrics, divergence: runs.divergence() })
}

/// The answer of an observer that never breaks off.
const GO_ON: ControlFlow<Infallible> = ControlFlow::Continue(());

/// What comes of runs that nobody breaks off.
fn whole(examined: ControlFlow<Infallible, Examination>) -> Examination {
    match examined {
        ControlFlow::Continue(examination) => examination,
    }
}
