//! The names in a file's `catches`.

use core::fmt;
use core::time::Duration;

use retrylab_laws::{Claim, expected_laws, replay};
use retrylab_sim::{Finding, Requirement};
use retrylab_spec::suggest::nearest;
use retrylab_spec::{Draft, PolicySpec, Timeline};

use crate::catalogue::FAULTS;
use crate::fault::KnownFault;

/// An unknown name in `catches`, or a fault that the client cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotCatch {
    /// The index in the list, from 0.
    pub nth: usize,
    /// The name.
    pub name: String,
    /// Whether the fault exists.
    pub exists: bool,
    /// The faults that the client can have.
    pub allowed: Vec<&'static str>,
}

/// The names in `catches` that the file's client cannot catch, in order.
#[must_use]
pub fn uncatchable(timeline: &Draft) -> Vec<CannotCatch> {
    let client = &timeline.client.kind;
    timeline.catches.iter().enumerate().filter_map(|(nth, name)| CannotCatch::of(client, nth, name)).collect()
}

/// A fault in `catches` with which the file holds as well as without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCaught<'a> {
    /// The index in the list, from 0.
    pub nth: usize,
    /// The name.
    pub name: &'a str,
}

/// Plays the file with each fault in its `catches`, from this seed; the faults with which it holds, in order. Names that
/// [`uncatchable`] reports are left out.
///
/// A fault is caught by an expectation of what its client does, or by a law. That it reports no warning, or no regime at an
/// instant, catches nothing: a fault is not built to report.
///
/// ```
/// use retrylab_faults::uncaught;
/// use retrylab_spec::{File, parse};
///
/// let text = "why = \"Nothing is there to lose.\"\ncatches = [\"jitter-lost\"]\nclient = { kind = \"call\", jitter = \"none\" }\n\
///             timeline = [{ play = [{ status = 503 }, { ok = true }] }]\nexpect.delays = [\"500ms\"]";
/// let Ok(File::Played(timeline)) = parse("nothing.toml", text).map(|parsed| parsed.file) else { panic!("a mistake") };
/// assert_eq!(uncaught(&timeline, 0)[0].name, "jitter-lost");
/// ```
#[must_use]
pub fn uncaught(timeline: &Timeline, seed: u64) -> Vec<NotCaught<'_>> {
    let claim = Claim::of(&timeline.client);
    let holds = |fault: &'static KnownFault| {
        let faulty = fault.of(&timeline.client.kind)?;
        let laws = expected_laws(timeline, &claim).ok()?;
        let replay = replay(timeline, seed, &claim, &laws, &faulty).ok()?;
        let is_shown = |finding: &Finding| {
            let key = finding.requirement.key();
            !["expect.warnings", "expect.at"].iter().any(|silent| key.starts_with(silent))
        };
        Some(replay.report.divergence.is_none() && !replay.report.findings.iter().any(is_shown))
    };
    let each = timeline.catches.iter().enumerate();
    each.filter(|(_, name)| KnownFault::find(name).and_then(holds) == Some(true))
        .map(|(nth, name)| NotCaught { nth, name })
        .collect()
}

impl NotCaught<'_> {
    /// The same as a finding of a run.
    #[must_use]
    pub fn finding(&self) -> Finding {
        Finding {
            requirement: Requirement::of_key(&format!("catches[{}]", self.nth)),
            expected: format!("a run with the fault `{}` that does not hold", self.name),
            got: "one that holds".to_owned(),
            record: None,
            attempt: 0,
            at: Duration::ZERO,
        }
    }
}

impl CannotCatch {
    /// The error of a name that this client cannot catch; `None` of one that it can.
    #[must_use]
    pub fn of(client: &PolicySpec, nth: usize, name: &str) -> Option<Self> {
        let exists = match KnownFault::find(name) {
            Some(fault) if fault.build(client).is_some() => return None,
            other => other.is_some(),
        };
        let fitting = FAULTS.iter().filter(|fault| fault.build(client).is_some());
        Some(Self { nth, name: name.to_owned(), exists, allowed: fitting.map(|fault| fault.name).collect() })
    }

    /// The key of the file.
    #[must_use]
    pub fn key(&self) -> String {
        format!("catches[{}]", self.nth)
    }
}

impl fmt::Display for CannotCatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, exists, allowed, .. } = self;
        match exists {
            true => write!(f, "catches: this client cannot have the fault `{name}`")?,
            false => write!(f, "catches: there is no fault `{name}`")?,
        }
        if let Some(today) = KnownFault::renamed(name) {
            return write!(f, "; its present name is `{today}`");
        }
        let meant = if *exists { None } else { nearest(name, FAULTS.iter().map(|fault| fault.name)) };
        match meant {
            Some(closest) => write!(f, "; did you mean `{closest}`?"),
            None if allowed.is_empty() => f.write_str("; this client can have none"),
            None => write!(f, "; possible are {}", allowed.join(", ")),
        }
    }
}

impl std::error::Error for CannotCatch {}
