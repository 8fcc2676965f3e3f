//! A timeline file as a test of somebody's own policy.

use core::fmt;
use std::io;
use std::path::{Path, PathBuf};

use retrylab_core::Policy;
use retrylab_laws::{CannotReport, reportable};
use retrylab_scenario::{ClientKind, File, Locations, ParseError, Timeline, named, parse_bytes};
use retrylab_sim::{Divergence, Metrics, Player, Trace, Unmet, examine_policy};

/// Plays the timeline file at `path` in virtual time, with clients that `policy` makes, and holds it against what the
/// file expects. A relative path is below the root of the package that is tested.
///
/// The file's client is `kind = "external"`: its owner plays it. It has to expect something. Two runs are made, each with a fresh client, and both
/// have to be the same, with the jitter of the file's seed, 0 if it names none. [`played`] is the same as a result.
///
/// # Panics
///
/// If the run is not what the file expects, or the file cannot be played. The message has the lines of the file and the
/// trace around the first difference.
#[track_caller]
#[expect(clippy::panic, reason = "this is how a test fails")]
pub fn play<P: Policy>(path: impl AsRef<Path>, policy: impl FnMut() -> P) {
    if let Err(failure) = played(path, policy) {
        panic!("{failure}");
    }
}

/// As [`play`], and what the run amounts to.
///
/// # Errors
///
/// If the run is not what the file expects, or the file cannot be played.
pub fn played<P: Policy>(path: impl AsRef<Path>, mut policy: impl FnMut() -> P) -> Result<Metrics, PlayError> {
    let path = path.as_ref();
    let (timeline, locations) = read(path)?;
    let seed = timeline.seed.unwrap_or(0);
    let examination = examine_policy(&timeline, || (policy(), None), seed, |_| {});
    if examination.unmet.is_empty() && examination.divergence.is_none() {
        return Ok(examination.metrics);
    }
    let place = examination.unmet.iter().map(|unmet| unmet.record).min();
    // A third run, since the first is gone; of a policy whose runs differ it would show something else.
    let place = place.filter(|_| examination.divergence.is_none());
    let around = place.map(|place| Trace::around(Player::new(&timeline, policy(), None, seed), place));
    let (unmet, divergence) = (examination.unmet, examination.divergence);
    Err(PlayError::Failed(Box::new(Failed { seed, unmet, divergence, around, locations })))
}

/// The timelines of the files in a folder whose client is the external policy of this name, in the order of their names: what
/// was found of it before, to be [played first](crate::Check::beginning_with). What a file expects is not asked: the check says
/// which laws its timelines are held against. None if there is no such folder.
///
/// # Errors
///
/// If a file cannot be read, or has mistakes.
pub fn regressions(folder: impl AsRef<Path>, name: &str) -> Result<Vec<Timeline>, PlayError> {
    let folder = folder.as_ref();
    let unreadable = |error| PlayError::Unreadable { path: folder.to_owned(), error };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let bytes = std::fs::read(&path).map_err(|error| PlayError::Unreadable { path: path.clone(), error })?;
        if let File::External(timeline) = parse_bytes(&path.display().to_string(), &bytes)?.file
            && matches!(&timeline.client.kind, ClientKind::External { name: of, .. } if of == name)
        {
            found.push(timeline);
        }
    }
    Ok(found)
}

fn read(path: &Path) -> Result<(Timeline, Locations), PlayError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| PlayError::Unreadable { path: path.to_owned(), error })?;
    let parsed = parse_bytes(&name, &bytes)?;
    match parsed.file {
        File::External(timeline) => {
            if timeline.expect.is_none() {
                return Err(PlayError::NothingExpected { path: path.to_owned() });
            }
            // Nothing here holds a run against them, so a file that asks for nothing else would always hold.
            if timeline.expect.as_ref().is_some_and(|expect| !expect.laws.is_empty()) {
                return Err(PlayError::Laws { path: path.to_owned() });
            }
            reportable(&timeline).map_err(|cannot| PlayError::NotForOwners { path: path.to_owned(), cannot })?;
            Ok((timeline, parsed.locations))
        }
        File::Played(timeline) => {
            Err(PlayError::BuiltIn { path: path.to_owned(), kind: named::name(&timeline.client.kind) })
        }
        File::WaitsFor { .. } | File::Outside { .. } => Err(PlayError::NotPlayed { path: path.to_owned() }),
    }
}

/// Why a file does not hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The file is not there, or cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file has mistakes.
    #[error(transparent)]
    Mistakes(#[from] ParseError),
    /// The file is about a built-in policy.
    #[error(
        "{}: client.kind is `{kind}`, a built-in policy, which `retrylab run` plays; \
         a file for a policy of one's own has `kind = \"external\"`, a name and what it is played as",
        path.display()
    )]
    BuiltIn {
        /// Which file.
        path: PathBuf,
        /// The kind of its client.
        kind: &'static str,
    },
    /// The file says itself that it is not played.
    #[error("{} has no [client], since it is not played", path.display())]
    NotPlayed {
        /// Which file.
        path: PathBuf,
    },
    /// The file expects nothing, so that whatever the policy does would hold.
    #[error(
        "{}: nothing is expected; add an [expect] with what has to hold, such as `attempts`, `delays` or `outcome`",
        path.display()
    )]
    NothingExpected {
        /// Which file.
        path: PathBuf,
    },
    /// The file asks for laws, which depend on what its client claims to be, and no file says that of somebody's own.
    #[error(
        "{}: expect.laws: what a policy of one's own claims is said in code: hold it to its laws with `check(…).laws(…)`, and \
         give it this timeline with `beginning_with`",
        path.display()
    )]
    Laws {
        /// Which file.
        path: PathBuf,
    },
    /// The file asks for what can be told of built-in policies alone.
    #[error("{}: {cannot}", path.display())]
    NotForOwners {
        /// Which file.
        path: PathBuf,
        /// What.
        cannot: CannotReport,
    },
    /// The run is not what the file expects, or two runs differ.
    #[error(transparent)]
    Failed(Box<Failed>),
}

/// What did not hold, and where.
#[derive(Debug)]
pub struct Failed {
    /// The seed of the run.
    pub seed: u64,
    /// What the file expects and the run is not, in the order in which it shows.
    pub unmet: Vec<Unmet>,
    /// Where the second run went another way.
    pub divergence: Option<Divergence>,
    around: Option<Trace>,
    locations: Locations,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not hold, seed {}", self.locations.name(), self.seed)?;
        for unmet in &self.unmet {
            write!(f, "\n\n{}", self.locations.show(&unmet.key, &unmet.to_string(), ""))?;
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
