//! A run held against everything that its file asks for: expectations and laws.

use core::convert::Infallible;
use core::fmt;
use core::ops::ControlFlow;

use retrylab_scenario::suggest::nearest;
use retrylab_scenario::{ClientKind, Draft, Timeline};
use retrylab_sim::{Divergence, Examination, Metrics, NoBuiltIn, Record, Unmet, examine_until, play};

use crate::claim::Claim;
use crate::law::{LAWS, Law};
use crate::specimen::{SPECIMENS, Specimen};
use crate::subject::Described;
use crate::trial::{Breach, Judged, Standing, Trial};

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What the file asks for and the run is not, in the order in which it shows.
    pub unmet: Vec<Unmet>,
    /// The figures.
    pub metrics: Metrics,
    /// Where a second run of the same file and seed went another way.
    pub divergence: Option<Divergence>,
}

impl Report {
    /// Whether everything held and both runs were the same.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.unmet.is_empty() && self.divergence.is_none()
    }
}

/// Plays a timeline with its own client, twice, and once more for its laws, and holds it against its expectations and laws. `observe` sees each
/// record of the first run.
///
/// # Errors
///
/// If the file names a law that there is not or that says nothing about its client, or its client is not a built-in one.
pub fn report(timeline: &Timeline, seed: u64, mut observe: impl FnMut(&Record)) -> Result<Report, CannotReport> {
    let whole = report_until(timeline, seed, |record| {
        observe(record);
        ControlFlow::<Infallible>::Continue(())
    })?;
    match whole {
        ControlFlow::Continue(report) => Ok(report),
    }
}

/// As [`report`](report()), until `observe` breaks off with whatever it has to say; then nothing more is played.
///
/// # Errors
///
/// As for [`report`](report()).
pub fn report_until<B>(
    timeline: &Timeline,
    seed: u64,
    observe: impl FnMut(&Record) -> ControlFlow<B>,
) -> Result<ControlFlow<B, Report>, CannotReport> {
    let laws = asked(timeline).collect::<Result<Vec<_>, _>>()?;
    let claim = Claim::of(&timeline.client);
    let examination = match examine_until(timeline, seed, observe)? {
        ControlFlow::Break(broken_off) => return Ok(ControlFlow::Break(broken_off)),
        ControlFlow::Continue(examination) => examination,
    };
    let Examination { mut unmet, metrics, divergence } = examination;
    if !laws.is_empty() {
        let mut trial = Trial::new(&claim, laws.iter().copied());
        // Some laws are about statuses and log lines, which are no part of what is expected and measured.
        play(timeline, seed)?.full().for_each(|record| trial.observe(&record));
        let judged = trial.finish(&Described(timeline.client.clone()));
        // A file that a search has written shows one breach. A client that is mended may never get to what the law is
        // about there, and that is no fault of it.
        let must_be_tested = timeline.found_by.is_none();
        let told = laws.iter().enumerate().filter_map(|(nth, law)| {
            let unmet = unmet_law(nth, law, &judged, &metrics)?;
            let is_broken = judged.of(law).is_some_and(Standing::is_broken) || judged.fault.is_some();
            (must_be_tested || is_broken).then_some(unmet)
        });
        unmet.extend(told);
    }
    unmet.sort_by_key(|unmet| unmet.record);
    Ok(ControlFlow::Continue(Report { unmet, metrics, divergence }))
}

/// Whether a file asks only for what a report can tell: known laws that say something about its client, and catches only
/// specimens that there are of its client.
///
/// # Errors
///
/// As for [`report`]; and if the file names a specimen that there is not. The first of [`unreportable`].
pub fn reportable(timeline: &Draft) -> Result<(), CannotReport> {
    unreportable(timeline).into_iter().next().map_or(Ok(()), Err)
}

/// All that a file asks for and no report can tell, specimens first. Empty: it is [`reportable`].
#[must_use]
pub fn unreportable(timeline: &Draft) -> Vec<CannotReport> {
    let client = &timeline.client.kind;
    let specimens = timeline.catches.iter().enumerate().filter_map(|(nth, name)| {
        let specimen = Specimen::find(name);
        let exists = match specimen {
            Some(specimen) if specimen.build(client).is_some() => return None,
            other => other.is_some(),
        };
        let fitting = SPECIMENS.iter().filter(|specimen| specimen.build(client).is_some());
        let allowed = fitting.map(|specimen| specimen.name).collect();
        Some(CannotReport::Specimen { nth, name: name.clone(), exists, allowed })
    });
    specimens.chain(asked(timeline).filter_map(Result::err)).collect()
}

/// Why there is no report of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CannotReport {
    /// `expect.laws` has a name that is no law's, or a law's that says nothing about what the client claims to be.
    Law {
        /// Its place in the list, from 0.
        nth: usize,
        /// The name.
        name: String,
        /// The laws that do apply.
        allowed: Vec<&'static str>,
    },
    /// `catches` has a name that is no specimen's, or a specimen's that the client cannot have.
    Specimen {
        /// Its place in the list, from 0.
        nth: usize,
        /// The name.
        name: String,
        /// Whether there is a specimen of this name.
        exists: bool,
        /// The specimens that the client can have.
        allowed: Vec<&'static str>,
    },
    /// The client's policy cannot be built.
    Client(NoBuiltIn),
}

impl CannotReport {
    /// The key of the file that asks for it.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Law { nth, .. } => format!("expect.laws[{nth}]"),
            Self::Specimen { nth, .. } => format!("catches[{nth}]"),
            Self::Client(_) => "client".to_string(),
        }
    }
}

impl fmt::Display for CannotReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(client) => client.fmt(f),
            Self::Specimen { name, exists, allowed, .. } => {
                match exists {
                    true => write!(f, "catches: a client that is described so cannot be `{name}`")?,
                    false => write!(f, "catches: there is no specimen `{name}`")?,
                }
                let meant = if *exists { None } else { nearest(name, SPECIMENS.iter().map(|specimen| specimen.name)) };
                match meant {
                    Some(closest) => write!(f, "; the closest is `{closest}`"),
                    None if allowed.is_empty() => f.write_str("; it can be none of them"),
                    None => write!(f, "; allowed are {}", allowed.join(", ")),
                }
            }
            Self::Law { name, allowed, .. } => {
                match Law::find(name) {
                    Some(_) => write!(f, "expect.laws: `{name}` says nothing about such a client")?,
                    None => write!(f, "expect.laws: there is no law `{name}`")?,
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

/// The laws that the file asks for, in its order.
fn asked(timeline: &Draft) -> impl Iterator<Item = Result<&'static Law, CannotReport>> {
    let names = timeline.expect.as_ref().map_or(&[][..], |expect| &expect.laws);
    let claim = Claim::of(&timeline.client);
    // What a policy claims that only its owner can build, only its owner can say.
    let owned = matches!(timeline.client.kind, ClientKind::External { .. });
    names.iter().enumerate().map(move |(nth, name)| {
        Law::find(name).filter(|law| owned || law.applies(&claim)).ok_or_else(|| {
            let allowed = LAWS.iter().filter(|law| law.applies(&claim)).map(|law| law.name).collect();
            CannotReport::Law { nth, name: name.clone(), allowed }
        })
    })
}

/// The breach; or that nothing in the run put the law to the test, which would be a pass that says nothing.
fn unmet_law(nth: usize, law: &Law, judged: &Judged, metrics: &Metrics) -> Option<Unmet> {
    let key = format!("expect.laws[{nth}]");
    let name = law.name;
    Some(match judged.of(law) {
        Some(Standing::Held) => return None,
        Some(Standing::Broken(Breach { record, attempt, time_ns, expected, got })) => Unmet {
            key,
            nth: None,
            expected: format!("{expected} ({name})"),
            got: got.clone(),
            record: *record,
            attempt: *attempt,
            at: core::time::Duration::from_nanos(*time_ns),
        },
        Some(Standing::Untested) | None => Unmet {
            key,
            nth: None,
            expected: format!("a run that puts {name} to the test"),
            got: match &judged.fault {
                Some(fault) => fault.to_string(),
                None => "nothing that it is about".to_string(),
            },
            record: u64::MAX,
            attempt: metrics.attempts,
            at: metrics.ended_at,
        },
    })
}
