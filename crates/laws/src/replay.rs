//! A timeline file replayed by any subject and held against the file's expectations.

use core::time::Duration;

use retrylab_sim::{Around, Finding, Judge, MetricsObserver, Record, Report, Requirement, first_divergence};
use retrylab_spec::{Draft, Timeline};

use crate::claim::{Claim, Drawing};
use crate::law::Law;
use crate::report::{CannotReport, named, violated_laws};
use crate::subject::{Subject, SubjectError};
use crate::trial::Trial;

/// The result of a replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The findings and the figures.
    pub report: Report,
    /// The first run.
    pub run: Vec<Record>,
}

impl SubjectError {
    /// The report of a run that the subject did not finish.
    #[must_use]
    pub fn report(self) -> Report {
        let finding = Finding {
            requirement: Requirement::of_key("client"),
            expected: "a policy that can be played to the end".to_owned(),
            got: self.0,
            record: None,
            attempt: 0,
            at: Duration::ZERO,
        };
        Report { findings: vec![finding], ..Report::default() }
    }
}

/// The laws that a file expects, in its order, of a client with this claim.
///
/// # Errors
///
/// If the file names an unknown law, or one that is not applicable to the claim.
pub fn expected_laws(timeline: &Draft, claim: &Claim) -> Result<Vec<&'static Law>, CannotReport> {
    named(timeline, claim).collect()
}

/// Plays the timeline with the subject, with this seed, and holds the run against the file's expectations and these laws, which
/// are [`expected_laws`]. A subject that uses the draws of its inputs is played twice, and both runs must be the same.
///
/// # Errors
///
/// If the subject cannot be played to the end.
pub fn replay(
    timeline: &Timeline,
    seed: u64,
    claim: &Claim,
    laws: &[&'static Law],
    subject: &dyn Subject,
) -> Result<Replay, SubjectError> {
    let run = subject.play(timeline, seed)?;
    let divergence = match claim.drawing() {
        Drawing::Given => first_divergence(run.iter().copied(), subject.play(timeline, seed)?),
        Drawing::Own => None,
    };
    let mut report = Report { divergence, around: Around::whole(), ..Report::default() };
    let (mut judge, mut metrics) = (Judge::new(timeline), MetricsObserver::new(timeline));
    let mut trial = Trial::new(claim, laws.iter().copied());
    for record in &run {
        judge.observe(record);
        metrics.observe(record);
        report.around.observe(record);
        trial.observe(record);
    }
    report.metrics = metrics.finish();
    report.add(judge.finish());
    report.add(violated_laws(timeline, laws, &trial.finish(subject), &report.metrics));
    Ok(Replay { report, run })
}
