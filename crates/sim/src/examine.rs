//! The examination of a run: expectations, metrics and the run-twice check in a single pass.

use core::convert::Infallible;
use core::ops::ControlFlow;
use core::time::Duration;

use retrylab_core::{ConfigWarning, Policy};
use retrylab_spec::Timeline;
use retrylab_spec::duration::Text;

use crate::around::Around;
use crate::client::NoBuiltIn;
use crate::determinism::{Divergence, Twice};
use crate::finding::{Finding, Requirement};
use crate::judge::Judge;
use crate::metrics::{Metrics, MetricsObserver};
use crate::player::{Player, play};
use crate::record::Record;

/// The one report of a run: its findings and its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The violated expectations and laws, in the order in which the run shows them.
    pub findings: Vec<Finding>,
    /// The figures.
    pub metrics: Metrics,
    /// The first difference of a second run of the same file and seed.
    pub divergence: Option<Divergence>,
    /// The records around the first finding.
    pub around: Around,
}

impl Report {
    /// Whether everything held and both runs were the same.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.findings.is_empty() && self.divergence.is_none()
    }

    /// Adds findings.
    pub fn add(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
        self.findings.sort_by_key(Finding::order);
    }

    /// The records around the first finding or difference; of one that no record shows, the end of the run.
    #[must_use]
    pub fn shown(&self) -> Vec<Record> {
        if self.holds() {
            return Vec::new();
        }
        let records = self.findings.iter().filter_map(|finding| finding.record);
        self.around.at(records.chain(self.divergence.map(|divergence| divergence.index)).min())
    }
}

/// Plays the timeline twice with its own client and compares it with its expectations. `observe` sees each record of the
/// first run.
///
/// That [`Policy::next_delay`] is what was decided after each failure is expected of every policy, whatever the file says;
/// the first time that it is not has the key `client`.
///
/// # Errors
///
/// If only the owner of the client's policy can build it; [`examine_policy`] takes any policy.
pub fn examine(timeline: &Timeline, seed: u64, mut observe: impl FnMut(&Record)) -> Result<Report, NoBuiltIn> {
    let examined = examine_until(timeline, seed, Around::new(), |record| {
        observe(record);
        GO_ON
    })?;
    Ok(whole(examined))
}

/// As [`examine`], until `observe` breaks off with a value; then the runs are not played to their end. Otherwise `observe`
/// returns the number of the record at which a judgement of its own does not hold, for `around` to keep.
///
/// # Errors
///
/// As for [`examine`].
pub fn examine_until<B>(
    timeline: &Timeline,
    seed: u64,
    around: Around,
    observe: impl FnMut(&Record) -> ControlFlow<B, Option<u64>>,
) -> Result<ControlFlow<B, Report>, NoBuiltIn> {
    Ok(examine_runs(timeline, Twice::new(play(timeline, seed)?, play(timeline, seed)?), around, observe))
}

/// As [`examine`], with a policy of the caller's. `client` makes a fresh one for each of the two runs.
pub fn examine_policy<P: Policy>(
    timeline: &Timeline,
    mut client: impl FnMut() -> (P, Option<ConfigWarning>),
    seed: u64,
    mut observe: impl FnMut(&Record),
) -> Report {
    whole(examine_policy_until(timeline, &mut client, seed, Around::new(), |record| {
        observe(record);
        GO_ON
    }))
}

/// As [`examine_policy`], until `observe` breaks off; as for [`examine_until`].
pub fn examine_policy_until<B, P: Policy>(
    timeline: &Timeline,
    mut client: impl FnMut() -> (P, Option<ConfigWarning>),
    seed: u64,
    around: Around,
    observe: impl FnMut(&Record) -> ControlFlow<B, Option<u64>>,
) -> ControlFlow<B, Report> {
    let mut run = || {
        let (policy, warning) = client();
        Player::new(timeline, policy, warning, seed)
    };
    let runs = Twice::new(run(), run());
    examine_runs(timeline, runs, around, observe)
}

fn two_answers((decided, stored): (Duration, Duration), record: &Record) -> Finding {
    let expected = format!("next_delay() to be the decided {}", Text(decided));
    Finding::at(record, Requirement::of_key("client"), expected, Text(stored).to_string())
}

fn examine_runs<B, P: Policy>(
    timeline: &Timeline,
    mut runs: Twice<'_, P>,
    mut around: Around,
    mut observe: impl FnMut(&Record) -> ControlFlow<B, Option<u64>>,
) -> ControlFlow<B, Report> {
    let mut judge = Judge::new(timeline);
    let mut metrics = MetricsObserver::new(timeline);
    let mut differ: Option<Finding> = None;
    loop {
        let (records, answers) = runs.advance();
        if records.is_empty() {
            break;
        }
        if let Some(answers) = answers.filter(|_| differ.is_none()) {
            // The records of one event have one failure at most.
            differ = records.iter().find(|record| record.is_failure()).map(|record| two_answers(answers, record));
        }
        let differs = differ.as_ref().and_then(|differ| differ.record);
        for record in records {
            judge.observe(record);
            metrics.observe(record);
            around.observe(record);
            let broken = observe(record)?;
            if let Some(place) = judge.first_violation().into_iter().chain(broken).chain(differs).min() {
                around.mark(place);
            }
        }
        if let Some(divergence) = runs.divergence() {
            around.mark(divergence.index);
        }
    }
    let (findings, metrics) = (judge.finish(), metrics.finish());
    let mut report = Report { findings, metrics, divergence: runs.divergence(), around };
    report.add(differ);
    ControlFlow::Continue(report)
}

/// The return value of an observer that never breaks off.
const GO_ON: ControlFlow<Infallible, Option<u64>> = ControlFlow::Continue(None);

/// The report of runs that nothing breaks off.
fn whole(examined: ControlFlow<Infallible, Report>) -> Report {
    match examined {
        ControlFlow::Continue(report) => report,
    }
}
