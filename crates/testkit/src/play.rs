//! A timeline file as a test of any policy.

use core::convert::Infallible;
use core::fmt;
use core::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::factory::Factory;
use retrylab_core::Jitter;
use retrylab_faults::{CannotCatch, uncatchable};
use retrylab_laws::{
    CannotReport, Claim, Replay, Subject, SubjectError, Trial, around, expected_laws, replay, violated_laws,
};
use retrylab_search::{StoreError, Stored};
use retrylab_sim::{Divergence, Finding, Metrics, Report, Trace, examine_policy_until};
use retrylab_spec::{Draft, Expect, JitterChoice, Locations, PolicySpec, Timeline};

/// Plays the timeline file at `path` in virtual time, with clients that `policy` makes (a [`Factory`] of policies or
/// of iterators of waits), and checks the file's expectations, laws included. A relative path is below the root of the
/// tested package.
///
/// The laws check the claim of the file's client: a built-in kind claims its rules, whoever implements them, and `kind
/// = "external"` has the claim of its key `claims`. The file must have expectations. There are two runs, each with a
/// fresh client, which must be equal, with the jitter of the file's seed, 0 by default. [`played`] returns a result
/// instead.
///
/// # Panics
///
/// If an expectation fails, or the file cannot be played. The message has the lines of the file and the trace around
/// the first failure.
///
/// ```no_run
/// use std::time::Duration;
/// use retrylab_testkit::play;
///
/// play("tests/outage.toml", || [2, 4, 8, 16, 30].into_iter().map(Duration::from_secs));
/// ```
#[track_caller]
#[expect(clippy::panic, reason = "this is how a test fails")]
pub fn play<M>(path: impl AsRef<Path>, policy: impl Factory<M>) {
    if let Err(failure) = played(path, policy) {
        panic!("{failure}");
    }
}

/// Like [`play`], with the run's result.
///
/// # Errors
///
/// If an expectation fails, or the file cannot be played.
pub fn played<M>(path: impl AsRef<Path>, policy: impl Factory<M>) -> Result<Metrics, PlayError> {
    let policy = policy.into_policies();
    let file = Playable::new(Stored::read(path.as_ref())?, None)?;
    let Playable { stored: Stored { timeline, .. }, claim, laws } = &file;
    let seed = timeline.seed.unwrap_or(0);
    let mut trial = Trial::new(claim, laws.iter().copied());
    let examined = examine_policy_until(
        timeline,
        || (policy(), None),
        seed,
        around(laws),
        |record| {
            trial.observe(record);
            ControlFlow::<Infallible, _>::Continue(trial.violated())
        },
    );
    let ControlFlow::Continue(mut report) = examined;
    report.add(violated_laws(timeline, laws, &trial.finish(&policy), &report.metrics));
    file.outcome(seed, report)
}

/// A file whose expectations can be checked.
#[derive(Debug)]
pub(crate) struct Playable {
    pub(crate) stored: Stored,
    claim: Claim,
    laws: Vec<&'static retrylab_laws::Law>,
}

impl Playable {
    /// For a policy with this claim, or with that of the file's client.
    pub(crate) fn new(stored: Stored, claim: Option<Claim>) -> Result<Self, PlayError> {
        let Stored { path, mut timeline, locations } = stored;
        if timeline.expect.is_none() {
            return Err(PlayError::NothingExpected { path });
        }
        // A policy neither logs nor warns, whatever its client would do.
        let claim = match claim {
            // Draw 0 subtracts nothing.
            Some(claim) if timeline.client.jitter == JitterChoice::None && claim.jitter().is_some() => {
                claim.with_jitter(Jitter::None)
            }
            Some(claim) => claim,
            None => Claim::of(&timeline.client).without_logs(),
        };
        if let Some(expect) = &timeline.expect
            && !expect.warnings.is_empty()
            && !matches!(timeline.client.kind, PolicySpec::External { .. })
        {
            let expect = Expect { warnings: Vec::new(), ..expect.clone() };
            if expect == Expect::default() {
                return Err(PlayError::NothingExpected { path });
            }
            let draft = Draft { expect: Some(expect), ..timeline.into_draft() };
            timeline = Timeline::new(draft).map_err(|_| PlayError::NothingExpected { path: path.clone() })?;
        }
        let laws = match expected_laws(&timeline, &claim) {
            Ok(laws) => laws,
            Err(cannot) => return Err(PlayError::SaysNothing { path, cannot, is_unclaimed: claim.is_bare() }),
        };
        if let Some(cannot) = uncatchable(&timeline).into_iter().next() {
            return Err(PlayError::CannotCatch { path, cannot });
        }
        Ok(Self { stored: Stored { path, timeline, locations }, claim, laws })
    }

    /// Plays it with any subject, with the file's seed or else this one.
    pub(crate) fn play(self, seed: u64, subject: &dyn Subject) -> Result<Metrics, PlayError> {
        let Self { stored, claim, laws } = &self;
        let seed = stored.timeline.seed.unwrap_or(seed);
        match replay(&stored.timeline, seed, claim, laws, subject) {
            Ok(Replay { report, .. }) => self.outcome(seed, report),
            Err(fault) => Err(PlayError::Subject { path: self.stored.path, fault }),
        }
    }

    fn outcome(&self, seed: u64, report: Report) -> Result<Metrics, PlayError> {
        if report.holds() {
            return Ok(report.metrics);
        }
        // Of a policy whose runs differ it would show one of several.
        let around = report.divergence.is_none().then(|| Trace::unfolded(report.shown()));
        let Report { findings, divergence, .. } = report;
        let locations = self.stored.locations.clone();
        Err(PlayError::Failed(Box::new(Failed { seed, findings, divergence, around, locations })))
    }
}

/// The reason why a file fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The file is missing, unreadable, invalid, or marked as not played.
    #[error(transparent)]
    Unplayable(#[from] StoreError),
    /// The file has no expectations, so any policy would pass.
    #[error(
        "{}: it has no expectations; add an [expect], with keys such as `attempts`, `delays` or `outcome`",
        path.display()
    )]
    NothingExpected {
        /// The file.
        path: PathBuf,
    },
    /// The file expects an unknown law, or one that is not applicable to the claim.
    #[error("{}: {cannot}{}", path.display(), if *.is_unclaimed { UNCLAIMED } else { "" })]
    SaysNothing {
        /// The file.
        path: PathBuf,
        /// The law.
        cannot: CannotReport,
        /// Whether there is no claim.
        is_unclaimed: bool,
    },
    /// The file catches a fault, which needs a built-in client.
    #[error("{}: {cannot}", path.display())]
    CannotCatch {
        /// The file.
        path: PathBuf,
        /// The fault.
        cannot: CannotCatch,
    },
    /// The policy failed.
    #[error("{}: {fault}", path.display())]
    Subject {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: SubjectError,
    },
    /// An expectation failed, or two runs differ.
    #[error(transparent)]
    Failed(Box<Failed>),
}

/// The hint for a law that is not applicable.
const UNCLAIMED: &str = "; the key `client.claims` of the file, or `claims(…)` of a check, adds a claim";

/// The failures, with their places.
#[derive(Debug)]
pub struct Failed {
    /// The seed of the run.
    pub seed: u64,
    /// The violated expectations and laws, in the order of the records that show them.
    pub findings: Vec<Finding>,
    /// The first difference of the second run.
    pub divergence: Option<Divergence>,
    around: Option<Trace>,
    locations: Locations,
}
impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not hold, seed {}", self.locations.name(), self.seed)?;
        for finding in &self.findings {
            write!(f, "\n\n{}", self.locations.show(&finding.requirement.key(), &finding.to_string(), ""))?;
        }
        if let Some(Divergence { index, first, second }) = &self.divergence {
            write!(
                f,
                "\n\ntwo runs differ from record {index} on: the policy reads something besides its arguments, such as a \
                 clock or a generator of its own\n"
            )?;
            for (run, record) in [("first ", first), ("second", second)] {
                let text = record.map_or_else(|| "over".to_owned(), |record| Trace::unfolded([record]).to_string());
                write!(f, "\n{run}  {}", text.lines().last().unwrap_or_default().trim())?;
            }
        }
        match &self.around {
            Some(trace) => write!(f, "\n\n{}", trace.to_string().trim_end()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failed {}
