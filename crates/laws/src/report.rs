//! A run held against everything that its file asks for: expectations and laws.

use core::convert::Infallible;
use core::fmt;
use core::ops::ControlFlow;

use retrylab_scenario::suggest::nearest;
use retrylab_scenario::{Draft, Timeline};
use retrylab_sim::{Divergence, Examination, Metrics, NoBuiltIn, Record, Unmet, examine_until};

use crate::law::{Facts, Finding, LAWS, Law, Watch};
use crate::specimen::{SPECIMENS, Specimen};

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

/// Plays a timeline twice with its own client and holds it against its expectations and laws. `observe` sees each
/// record of the first run.
///
/// # Errors
///
/// If the file names a law that no single trace can show, or its client is not a built-in one.
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
    mut observe: impl FnMut(&Record) -> ControlFlow<B>,
) -> Result<ControlFlow<B, Report>, CannotReport> {
    let mut watched = watched(timeline)?;
    let mut index = 0;
    let examined = examine_until(timeline, seed, |record| {
        for law in &mut watched {
            law.observe(record, index);
        }
        index += 1;
        observe(record)
    })?;
    let examination = match examined {
        ControlFlow::Break(broken_off) => return Ok(ControlFlow::Break(broken_off)),
        ControlFlow::Continue(examination) => examination,
    };
    let Examination { mut unmet, metrics, divergence } = examination;
    unmet.extend(watched.into_iter().enumerate().filter_map(|(nth, law)| law.finish(nth, &metrics)));
    unmet.sort_by_key(|unmet| unmet.record);
    Ok(ControlFlow::Continue(Report { unmet, metrics, divergence }))
}

/// Whether a file asks only for what a report can tell: known laws that one trace can show, of a built-in client, and
/// catches only specimens that there are of its client.
///
/// # Errors
///
/// As for [`report`]; and if the file names a specimen that there is not.
pub fn reportable(timeline: &Draft) -> Result<(), CannotReport> {
    for (nth, name) in timeline.catches.iter().enumerate() {
        let cannot = |exists| CannotReport::Specimen { nth, name: name.clone(), exists };
        let specimen = Specimen::find(name).ok_or_else(|| cannot(false))?;
        specimen.build(&timeline.client.kind).ok_or_else(|| cannot(true))?;
    }
    watched(timeline).map(drop)
}

/// Why there is no report of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CannotReport {
    /// `expect.laws` has a name that is no law's, or a law's that no single trace can show.
    Law {
        /// Its place in the list, from 0.
        nth: usize,
        /// The name.
        name: String,
    },
    /// `catches` has a name that is no specimen's, or a specimen's that the client cannot have.
    Specimen {
        /// Its place in the list, from 0.
        nth: usize,
        /// The name.
        name: String,
        /// Whether there is a specimen of this name.
        exists: bool,
    },
    /// There are laws only for the two-regime state machine, which the client is not.
    NoLaws,
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
            Self::NoLaws => "expect.laws".to_string(),
            Self::Client(_) => "client".to_string(),
        }
    }
}

impl fmt::Display for CannotReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(client) => client.fmt(f),
            Self::NoLaws => {
                write!(f, "expect.laws: the laws are about streaming and polling clients and their dialects")
            }
            Self::Specimen { name, exists: true, .. } => {
                write!(f, "catches: a client that is described so cannot be `{name}`")
            }
            Self::Specimen { name, .. } => {
                write!(f, "catches: there is no specimen `{name}`")?;
                match nearest(name, SPECIMENS.iter().map(|specimen| specimen.name)) {
                    Some(closest) => write!(f, "; the closest is `{closest}`"),
                    None => Ok(()),
                }
            }
            Self::Law { name, .. } => {
                match Law::find(name) {
                    Some(_) => write!(f, "expect.laws: no single trace can show `{name}`")?,
                    None => write!(f, "expect.laws: there is no law `{name}`")?,
                }
                let names = LAWS.iter().filter(|law| law.watch.is_some()).map(|law| law.name).collect::<Vec<_>>();
                write!(f, "; allowed are {}", names.join(", "))
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

struct Watched {
    law: &'static Law,
    watch: Box<dyn Watch>,
    tested: bool,
    broken: Option<Unmet>,
}

fn watched(timeline: &Draft) -> Result<Vec<Watched>, CannotReport> {
    let names = timeline.expect.as_ref().map_or(&[][..], |expect| &expect.laws);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let facts = Facts::of(&timeline.client.kind).ok_or(CannotReport::NoLaws)?;
    let watch = |(nth, name): (usize, &String)| {
        let law = Law::find(name);
        let watch = law.and_then(|law| law.watch).map(|watch| watch(&facts));
        match (law, watch) {
            (Some(law), Some(watch)) => Ok(Watched { law, watch, tested: false, broken: None }),
            _ => Err(CannotReport::Law { nth, name: name.clone() }),
        }
    };
    names.iter().enumerate().map(watch).collect()
}

impl Watched {
    fn observe(&mut self, record: &Record, index: u64) {
        match self.watch.observe(record) {
            Finding::Silent => {}
            Finding::Holds => self.tested = true,
            Finding::Broken { expected, got } => {
                self.tested = true;
                // Only the first breach is told: those after it follow from it.
                if self.broken.is_none() {
                    self.broken = Some(Unmet {
                        key: String::new(),
                        nth: None,
                        expected: format!("{} ({})", expected, self.law.name),
                        got,
                        record: index,
                        attempt: record.attempt,
                        at: core::time::Duration::from_nanos(record.time_ns),
                    });
                }
            }
        }
    }

    /// The breach; or that nothing in the run put the law to the test, which would be a pass that says nothing.
    fn finish(self, nth: usize, metrics: &Metrics) -> Option<Unmet> {
        let Self { law, tested, broken, .. } = self;
        let mut unmet = match (broken, tested) {
            (Some(broken), _) => broken,
            (None, true) => return None,
            (None, false) => Unmet {
                key: String::new(),
                nth: None,
                expected: format!("a run that puts {} to the test", law.name),
                got: "nothing that it is about".to_string(),
                record: u64::MAX,
                attempt: metrics.attempts,
                at: metrics.ended_at,
            },
        };
        unmet.key = format!("expect.laws[{nth}]");
        Some(unmet)
    }
}
