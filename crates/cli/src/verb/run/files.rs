//! Which files are played, and everything that can be wrong with them before anything is.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use retrylab_laws::{CannotReport, reportable};
use retrylab_scenario::{File, Locations, ParseError, Problem, Timeline, parse_bytes};
use walkdir::WalkDir;

use super::Run;
use crate::Refusal;
use crate::setting::{Setting, SettingError};

/// A file that is played.
pub(super) struct Scenario {
    /// As it can be pasted back.
    pub(super) path: String,
    pub(super) timeline: Timeline,
    pub(super) locations: Locations,
}

/// The files of a run.
pub(super) struct Read {
    pub(super) scenarios: Vec<Scenario>,
    /// Files that say themselves that they are not played, with their paths.
    pub(super) resting: Vec<(String, File)>,
}

/// Finds and reads the files. If anything is wrong with one of them, all that is wrong with any of them is told.
pub(super) fn read(run: &Run) -> Result<Read, Refusal> {
    let mut paths = Vec::new();
    for root in &run.paths {
        find(root, &mut paths)?;
    }
    let found = paths.len();
    paths.retain(|path| path.to_string_lossy().contains(&run.filter));
    if paths.is_empty() {
        return Err(Refusal::from(RunError::NoMatch { filter: run.filter.clone(), found }));
    }

    let mut read = Read { scenarios: Vec::new(), resting: Vec::new() };
    let mut bad = Vec::new();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        match scenario(&path, &name, run) {
            Ok((file @ (File::WaitsFor { .. } | File::Outside { .. } | File::External(_)), _)) => {
                read.resting.push((name, file));
            }
            Ok((File::Played(timeline), locations)) => {
                read.scenarios.push(Scenario { path: name, timeline, locations });
            }
            Err(problem) => bad.push(*problem),
        }
    }
    if !bad.is_empty() {
        return Err(Refusal::from(RunError::BadFiles(bad)));
    }
    if read.scenarios.is_empty() {
        return Err(Refusal::from(RunError::NothingPlayed { resting: read.resting.len() }));
    }
    Ok(read)
}

/// The files that a path stands for: itself, or every `.toml` below it, in the order of their names. Links are followed: a
/// scenario that is linked to is one like any other.
fn find(root: &Path, paths: &mut Vec<PathBuf>) -> Result<(), RunError> {
    let before = paths.len();
    for entry in WalkDir::new(root).follow_links(true).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if is_link_to_nothing_of_ours(&error) => continue,
            Err(error) => {
                let path = error.path().unwrap_or(root).to_path_buf();
                return Err(RunError::Unreadable { path, error: io(error) });
            }
        };
        let explicit = entry.depth() == 0;
        let scenario = explicit || is_toml(entry.path());
        if entry.file_type().is_file() && scenario && !paths.iter().any(|path| path == entry.path()) {
            paths.push(entry.into_path());
        }
    }
    // Named twice, its files are there already.
    let known = paths.iter().any(|path| path.starts_with(root));
    if paths.len() == before && !known { Err(RunError::NoFiles { path: root.to_path_buf() }) } else { Ok(()) }
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Editors leave links that lead nowhere beside the files that they have open.
fn is_link_to_nothing_of_ours(error: &walkdir::Error) -> bool {
    let nowhere = error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    error.depth() > 0 && nowhere && !error.path().is_some_and(is_toml)
}

/// What the system said; walkdir's own text repeats the path.
fn io(error: walkdir::Error) -> io::Error {
    let text = error.to_string();
    error.into_io_error().unwrap_or_else(|| io::Error::other(text))
}

fn scenario(path: &Path, name: &str, run: &Run) -> Result<(File, Locations), Box<BadFile>> {
    let bytes = fs::read(path).map_err(|error| BadFile::Unreadable { file: name.to_string(), error })?;
    let parsed = parse_bytes(name, &bytes).map_err(BadFile::Invalid)?;
    let (file, locations) = (parsed.file, parsed.locations);
    let File::Played(timeline) = file else { return Ok((file, locations)) };
    let timeline = set(timeline, &run.set, name)?;
    if timeline.expect.is_none() && run.trace.is_none() {
        return Err(Box::new(BadFile::NoExpect { file: name.to_string() }));
    }
    if let Err(error) = reportable(&timeline) {
        return Err(Box::new(BadFile::Unreportable { shown: locations.show(&error.key(), &error.to_string(), "") }));
    }
    Ok((File::Played(timeline), locations))
}

/// The timeline with the client as the command line wants it, checked again.
fn set(timeline: Timeline, settings: &[Setting], name: &str) -> Result<Timeline, BadFile> {
    if settings.is_empty() {
        return Ok(timeline);
    }
    let mut draft = timeline.into_draft();
    for setting in settings {
        let refused = |error| BadFile::Setting { file: name.to_string(), error };
        setting.apply(&mut draft.client).map_err(refused)?;
    }
    Timeline::new(draft).map_err(|problems| BadFile::Set { file: name.to_string(), problems })
}

/// Why nothing was played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A path that is not there or cannot be looked into.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// Which path.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A folder without a scenario.
    #[error("there is no scenario (no .toml file) below {}", path.display())]
    NoFiles {
        /// Which path.
        path: PathBuf,
    },
    /// The filter leaves nothing.
    #[error("--filter is `{filter}`, which is in the path of none of the {found} files")]
    NoMatch {
        /// What was asked for.
        filter: String,
        /// How many files there are.
        found: usize,
    },
    /// All files say themselves that they are not played.
    #[error(
        "none of the {resting} files is played: each says that it waits for something, is outside, or has an owner"
    )]
    NothingPlayed {
        /// How many files there are.
        resting: usize,
    },
    /// Files that cannot be played.
    #[error("{}", BadFiles(.0))]
    BadFiles(Vec<BadFile>),
    /// A file whose client or laws are not for one trace.
    #[error("{file}: {error}")]
    CannotPlay {
        /// Which file.
        file: String,
        /// What is wrong with it.
        error: CannotReport,
    },
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadFile {
    /// It is not there or cannot be read.
    #[error("error: cannot read {file}: {error}")]
    Unreadable {
        /// Which file.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// It is no timeline.
    #[error("{0}")]
    Invalid(ParseError),
    /// It expects nothing, so a run could only pass.
    #[error("error: {file} has no [expect], so there is nothing that could fail; add one, or look at it with --trace")]
    NoExpect {
        /// Which file.
        file: String,
    },
    /// It asks for what a report cannot tell.
    #[error("{shown}")]
    Unreportable {
        /// The message with the line of the file.
        shown: String,
    },
    /// Its client has no such option.
    #[error("error: {file}: {error}")]
    Setting {
        /// Which file.
        file: String,
        /// What is wrong.
        error: SettingError,
    },
    /// With the options of the command line it is no valid timeline.
    #[error("error: {file} with --set: {}", Problems(problems))]
    Set {
        /// Which file.
        file: String,
        /// What is wrong.
        problems: Vec<Problem>,
    },
}

struct BadFiles<'a>(&'a [BadFile]);

impl fmt::Display for BadFiles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => write!(f, "a file cannot be played, so nothing was"),
            files => write!(f, "{files} files cannot be played, so nothing was"),
        }?;
        self.0.iter().try_for_each(|bad| write!(f, "\n\n{bad}"))
    }
}

struct Problems<'a>(&'a [Problem]);

impl fmt::Display for Problems<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.0.iter().map(Problem::to_string).collect::<Vec<_>>();
        f.write_str(&texts.join("; "))
    }
}
