//! Which files are played, and everything that can be wrong with them before anything is.

use std::fmt;
use std::io::{self, Read as Bytes};

use retrylab_laws::{CannotReport, unreportable};
use retrylab_scenario::{File, Locations, ParseError, Problem, Timeline, parse_bytes};

use super::Run;
use crate::count::counted;
use crate::found::Found;
use crate::setting::{Setting, SettingError};
use crate::{Input, Refusal};

/// A file that is played.
pub(super) struct Scenario {
    pub(super) input: Input,
    /// Its name for people.
    pub(super) path: String,
    pub(super) timeline: Timeline,
    pub(super) locations: Locations,
}

/// The files of a run.
pub(super) struct Read {
    pub(super) scenarios: Vec<Scenario>,
    /// Files that say themselves that they are not played.
    pub(super) resting: Vec<(Input, File)>,
}

/// Finds and reads the files. If anything is wrong with one of them, all that is wrong with any of them is told.
pub(super) fn read(run: &Run, stdin: &mut dyn Bytes) -> Result<Read, Refusal> {
    let mut found = Found::default();
    for root in &run.paths {
        found.look_at(root);
    }
    let Found { mut inputs, mut bad, .. } = found;
    let all = inputs.len();
    inputs.retain(|input| input.argument().contains(&run.filter));
    if inputs.is_empty() && bad.is_empty() {
        return Err(Refusal::from(RunError::NoMatch { filter: run.filter.clone(), found: all }));
    }

    let mut read = Read { scenarios: Vec::new(), resting: Vec::new() };
    for input in inputs {
        let name = input.name();
        match scenario(&input, &name, run, stdin) {
            Ok((file @ (File::WaitsFor { .. } | File::Outside { .. } | File::External(_)), _)) => {
                read.resting.push((input, file));
            }
            Ok((File::Played(timeline), locations)) => {
                read.scenarios.push(Scenario { input, path: name, timeline, locations });
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

fn scenario(input: &Input, name: &str, run: &Run, stdin: &mut dyn Bytes) -> Result<(File, Locations), Box<BadFile>> {
    let bytes = input.read(stdin).map_err(|error| BadFile::Unreadable { file: name.to_string(), error })?;
    let parsed = parse_bytes(name, &bytes).map_err(BadFile::Invalid)?;
    let (file, locations) = (parsed.file, parsed.locations);
    let File::Played(timeline) = file else { return Ok((file, locations)) };
    let timeline = set(timeline, &run.set, name)?;
    let silent =
        (timeline.expect.is_none() && run.trace.is_none()).then(|| BadFile::NoExpect { file: name.to_string() });
    let unreportable = unreportable(&timeline);
    if !unreportable.is_empty() {
        let shown = unreportable.iter().map(|error| locations.show(&error.key(), &error.to_string(), ""));
        let shown = shown.chain(silent.iter().map(BadFile::to_string)).collect();
        return Err(Box::new(BadFile::Unreportable { shown }));
    }
    if let Some(silent) = silent {
        return Err(Box::new(silent));
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
    /// The filter leaves nothing.
    #[error("--filter is `{filter}`; of {}, none has that in its path", counted(*found, "file"))]
    NoMatch {
        /// What was asked for.
        filter: String,
        /// How many files there are.
        found: usize,
    },
    /// All files say themselves that they are not played.
    #[error(
        "of {}, none is played: each says that it waits for something, is outside, or has an owner",
        counted(*resting, "file")
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
    /// A folder without a scenario.
    #[error("error: there is no scenario (no .toml file) below {folder}")]
    NoFiles {
        /// Which folder.
        folder: String,
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
    #[error("{}", shown.join("\n\n"))]
    Unreportable {
        /// Each message with the line of the file.
        shown: Vec<String>,
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
        // One path that leads to nothing needs no title.
        if let [nothing @ (BadFile::Unreadable { .. } | BadFile::NoFiles { .. })] = self.0 {
            return f.write_str(nothing.to_string().trim_start_matches("error: "));
        }
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
