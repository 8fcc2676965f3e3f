//! A run held against everything that its file expects: expectations and laws.

use core::convert::Infallible;
use core::fmt;
use core::ops::ControlFlow;

use retrylab_sim::{Around, Finding, Metrics, NoBuiltIn, Record, Report, Requirement, examine_until};
use retrylab_spec::suggest::nearest;
use retrylab_spec::{Draft, PolicySpec, Timeline};

use crate::claim::Claim;
use crate::law::{LAWS, Law, Need};
use crate::subject::Described;
use crate::trial::{Judged, Standing, Trial};

/// Plays a timeline with its own client, twice, and holds the first run against its expectations and laws. `observe` sees each
/// record of that run.
///
/// # Errors
///
/// If the file names an unknown law or one that is not applicable to its client, or its client is not a built-in one.
pub fn report(timeline: &Timeline, seed: u64, mut observe: impl FnMut(&Record)) -> Result<Report, CannotReport> {
    let whole = report_until(timeline, seed, |record| {
        observe(record);
        ControlFlow::<Infallible>::Continue(())
    })?;
    match whole {
        ControlFlow::Continue(report) => Ok(report),
    }
}

/// As [`report`](report()), until `observe` breaks off with a value; then nothing more is played.
///
/// # Errors
///
/// As for [`report`](report()).
pub fn report_until<B>(
    timeline: &Timeline,
    seed: u64,
    mut observe: impl FnMut(&Record) -> ControlFlow<B>,
) -> Result<ControlFlow<B, Report>, CannotReport> {
    let claim = Claim::of(&timeline.client);
    let laws = named(timeline, &claim).collect::<Result<Vec<_>, _>>()?;
    let mut trial = (!laws.is_empty()).then(|| Trial::new(&claim, laws.iter().copied()));
    let examined = examine_until(timeline, seed, around(&laws), |record| {
        observe(record)?;
        if let Some(trial) = &mut trial {
            trial.observe(record);
        }
        ControlFlow::Continue(trial.as_ref().and_then(Trial::violated))
    })?;
    Ok(examined.map_continue(|mut report| {
        if let Some(trial) = trial {
            let judged = trial.finish(&Described(timeline.client.clone()));
            report.add(violated_laws(timeline, &laws, &judged, &report.metrics));
        }
        report
    }))
}

/// The keeper of the records around the first finding: of a law that compares runs, that may be any record.
#[must_use]
pub fn around(laws: &[&'static Law]) -> Around {
    if laws.iter().any(|law| law.needs(Need::Comparison)) { Around::whole() } else { Around::new() }
}

/// The expected laws of a file that no report can judge. If there is none, the file has a [`report`](report()).
#[must_use]
pub fn unreportable(timeline: &Draft) -> Vec<CannotReport> {
    let claim = Claim::of(&timeline.client);
    // The owner of an external policy may state its claim where it is checked.
    let unclaimed = matches!(timeline.client.kind, PolicySpec::External { claims: None, .. });
    let known = |cannot: &CannotReport| matches!(cannot, CannotReport::Law { name, .. } if unclaimed && Law::find(name).is_some());
    named(timeline, &claim).filter_map(Result::err).filter(|cannot| !known(cannot)).collect()
}

/// The reason why there is no report of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CannotReport {
    /// `expect.laws` names an unknown law, or one that is not applicable to the claim of the client.
    Law {
        /// Its index in the list, from 0.
        nth: usize,
        /// The name.
        name: String,
        /// The applicable laws.
        allowed: Vec<&'static str>,
    },
    /// The client's policy cannot be built.
    Client(NoBuiltIn),
}

impl CannotReport {
    /// The key in the file.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Law { nth, .. } => format!("expect.laws[{nth}]"),
            Self::Client(_) => "client".to_string(),
        }
    }
}

impl fmt::Display for CannotReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(client) => client.fmt(f),
            Self::Law { name, allowed, .. } => {
                let meant = nearest(name, LAWS.iter().map(|law| law.name));
                match (Law::find(name), meant) {
                    (Some(_), _) => write!(f, "expect.laws: `{name}` is not applicable to such a client")?,
                    (None, Some(meant)) => {
                        return write!(f, "expect.laws: there is no law `{name}`; did you mean `{meant}`?");
                    }
                    (None, None) => write!(f, "expect.laws: there is no law `{name}`")?,
                }
                write!(f, "; allowed are {}", allowed.join(", "))
            }
        }
    }
}

impl std::error::Error for CannotReport {}

impl From<NoBuiltIn> for CannotReport {
    fn from(client: NoBuiltIn) -> Self {
        Self::Client(client)
    }
}

/// The laws that the file expects, in its order, of a client with this claim.
pub(crate) fn named<'a>(
    timeline: &'a Draft,
    claim: &'a Claim,
) -> impl Iterator<Item = Result<&'static Law, CannotReport>> + 'a {
    let names = timeline.expect.as_ref().map_or(&[][..], |expect| &expect.laws);
    names.iter().enumerate().map(move |(nth, name)| {
        Law::find(name).filter(|law| law.applies(claim)).ok_or_else(|| {
            let allowed = LAWS.iter().filter(|law| law.applies(claim)).map(|law| law.name).collect();
            CannotReport::Law { nth, name: name.clone(), allowed }
        })
    })
}

/// The findings of the laws that a file expects, in its order.
#[must_use]
pub fn violated_laws(timeline: &Draft, laws: &[&'static Law], judged: &Judged, metrics: &Metrics) -> Vec<Finding> {
    // A file that a search has written shows one violation. A repaired client may never get to what the law is about there.
    let must_be_tested = timeline.found_by.is_none() || judged.fault.is_some();
    let finding = |(nth, law): (usize, &&'static Law)| match judged.of(law) {
        Some(Standing::Held) => None,
        Some(Standing::Violated(finding)) => Some(Finding { requirement: expected(nth, law), ..finding.clone() }),
        // A pass without a test would say nothing.
        Some(Standing::Untested) | None => must_be_tested.then(|| Finding {
            requirement: expected(nth, law),
            expected: "a run that puts it to the test".to_owned(),
            got: judged.fault.as_ref().map_or_else(|| "nothing that it is about".to_owned(), ToString::to_string),
            record: None,
            attempt: metrics.attempts,
            at: metrics.ended_at,
        }),
    };
    laws.iter().enumerate().filter_map(finding).collect()
}

const fn expected(nth: usize, law: &Law) -> Requirement {
    Requirement::Law { name: law.name, nth: Some(nth) }
}
