//! The files to play, and all their errors before the first run.

use std::fmt;
use std::io::{self, Read as Bytes};

use retrylab_exec::NotExpressible;
use retrylab_faults::{CannotCatch, Faulty, KnownFault, uncatchable};
use retrylab_laws::{CannotReport, unreportable};
use retrylab_spec::{File, Locations, ParseError, PolicySpec, Problem, Timeline, parse_bytes};

use super::Run;
use crate::count::counted;
use crate::exec::Role;
use crate::found::Found;
use crate::setting::{Setting, SettingError};
use crate::{Input, Refusal};

/// A file to play.
pub(super) struct Scenario {
    pub(super) input: Input,
    /// Its name for people.
    pub(super) path: String,
    pub(super) timeline: Timeline,
    pub(super) locations: Locations,
    /// The role of the policy of `--exec`, if that plays it.
    pub(super) role: Option<Role>,
    /// Its client with the fault of `--with`.
    pub(super) faulty: Option<Faulty>,
}

/// The files of a run.
pub(super) struct Read {
    pub(super) scenarios: Vec<Scenario>,
    /// Files that are marked as not played.
    pub(super) resting: Vec<(Input, File)>,
}

/// Finds and reads the files. Errors of all files are reported together.
pub(super) fn read(run: &Run, claimed: Option<&Role>, stdin: &mut dyn Bytes) -> Result<Read, Refusal> {
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
        match scenario(&input, &name, (run, claimed), stdin) {
            Ok((File::Played(timeline), locations, role)) => match faulty(run, &timeline, &name) {
                Ok(faulty) => {
                    read.scenarios.push(Scenario { input, path: name, timeline, locations, role, faulty });
                }
                Err(problem) => bad.push(problem),
            },
            Ok((file, _, _)) => read.resting.push((input, file)),
            Err(problem) => bad.push(*problem),
        }
    }
    if !bad.is_empty() {
        return Err(Refusal::from(RunError::BadFiles(bad)));
    }
    // A built-in policy that holds would say nothing about the program.
    if let Some(program) = run.exec.program()
        && read.scenarios.iter().all(|scenario| scenario.role.is_none())
        && !read.scenarios.is_empty()
    {
        return Err(Refusal::from(RunError::NotOfProgram {
            program: program.to_string(),
            played: read.scenarios.len(),
        }));
    }
    if read.scenarios.is_empty() {
        return Err(Refusal::from(RunError::NothingPlayed { resting: read.resting.len() }));
    }
    Ok(read)
}

/// A scenario that is played is a [`File::Played`] here, that of an external policy too.
fn scenario(
    input: &Input,
    name: &str,
    (run, claimed): (&Run, Option<&Role>),
    stdin: &mut dyn Bytes,
) -> Result<(File, Locations, Option<Role>), Box<BadFile>> {
    let bytes = input.read(stdin).map_err(|error| BadFile::Unreadable { file: name.to_string(), error })?;
    let parsed = parse_bytes(name, &bytes).map_err(BadFile::Invalid)?;
    let (file, locations) = (parsed.file, parsed.locations);
    let (timeline, role) = match file {
        File::Played(timeline) => (timeline, None),
        File::External(timeline) => match role(&timeline, name, run, claimed)? {
            Some(role) => (timeline, Some(role)),
            None => return Ok((File::External(timeline), locations, None)),
        },
        file => return Ok((file, locations, None)),
    };
    let timeline = set(timeline, &run.set.settings, name)?;
    let silent =
        (timeline.expect.is_none() && run.trace.is_none()).then(|| BadFile::NoExpect { file: name.to_string() });
    let faults = uncatchable(&timeline).into_iter().map(|error| locations.show(&error.key(), &error.to_string(), ""));
    let laws = unreportable(&timeline).into_iter().map(|error| locations.show(&error.key(), &error.to_string(), ""));
    let mut shown: Vec<String> = faults.chain(laws).collect();
    if !shown.is_empty() {
        shown.extend(silent.iter().map(BadFile::to_string));
        return Err(Box::new(BadFile::Unreportable { shown }));
    }
    if let Some(silent) = silent {
        return Err(Box::new(silent));
    }
    Ok((File::Played(timeline), locations, role))
}

/// The role of the policy of `--exec` in one of its files: that of `--as`, or the claim of the file. `None` for a file that is passed
/// over.
fn role(timeline: &Timeline, file: &str, run: &Run, claimed: Option<&Role>) -> Result<Option<Role>, BadFile> {
    let PolicySpec::External { name, claims, .. } = &timeline.client.kind else { return Ok(None) };
    let file = file.to_string();
    if run.exec.program().is_none_or(|program| program.to_string() != *name) {
        let external = BadFile::External { file, name: name.clone() };
        return if run.allow_external { Ok(None) } else { Err(external) };
    }
    let role = match (claimed, claims) {
        (Some(role), _) => return Ok(Some(role.clone())),
        (None, Some(claims)) => Role::of((**claims).clone()),
        (None, None) => return Err(BadFile::Unclaimed { file, name: name.clone() }),
    };
    role.map(Some).map_err(|error| BadFile::Role { file, error })
}

/// The client with the fault of `--with`.
fn faulty(run: &Run, timeline: &Timeline, file: &str) -> Result<Option<Faulty>, BadFile> {
    let Some(name) = &run.with else { return Ok(None) };
    let kind = &timeline.client.kind;
    match CannotCatch::of(kind, 0, name) {
        Some(error) => Err(BadFile::With { file: file.to_string(), error }),
        None => Ok(KnownFault::find(name).and_then(|fault| fault.of(kind))),
    }
}

/// The timeline with the options of the command line, checked again.
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

/// The reason why nothing was played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No file matches the filter.
    #[error("--filter is `{filter}`; none of {} has it in its path", counted(*found, "file"))]
    NoMatch {
        /// The filter.
        filter: String,
        /// The number of files.
        found: usize,
    },
    /// `--exec` names a policy that no file is of.
    #[error(
        "--exec is `{program}`; none of {} is of that policy (`client.name`), so `run` would not start it",
        counted(*played, "file")
    )]
    NotOfProgram {
        /// The program.
        program: String,
        /// The number of files that would be played.
        played: usize,
    },
    /// All files are marked as not played.
    #[error(
        "none of {} is played: each waits for a part of the simulator, is outside of its scope, or is of an external policy",
        counted(*resting, "file")
    )]
    NothingPlayed {
        /// The number of files.
        resting: usize,
    },
    /// Files that cannot be played.
    #[error("{}", BadFiles(.0))]
    BadFiles(Vec<BadFile>),
    /// A file whose client or laws do not fit a single trace.
    #[error("{file}: {error}")]
    CannotPlay {
        /// The file.
        file: String,
        /// The error.
        error: CannotReport,
    },
}

/// The error of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadFile {
    /// The file cannot be read.
    #[error("error: cannot read {file}: {error}")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's error.
        error: io::Error,
    },
    /// The folder contains no scenario.
    #[error("error: {folder} contains no scenario (no .toml file)")]
    NoFiles {
        /// The folder.
        folder: String,
    },
    /// It is not a valid timeline.
    #[error("{0}")]
    Invalid(ParseError),
    /// It has no expectations, so its run could not fail.
    #[error("error: {file} has no [expect], so its run cannot fail; add one, or use --trace")]
    NoExpect {
        /// The file.
        file: String,
    },
    /// It expects laws that a report cannot judge.
    #[error("{}", shown.join("\n\n"))]
    Unreportable {
        /// Each message with the line of the file.
        shown: Vec<String>,
    },
    /// Only its owner can play it.
    #[error(
        "error: {file} is a file of the external policy `{name}`, which only its owner can play; --exec starts a policy in \
         another process, and --allow-external passes over such files"
    )]
    External {
        /// Which file.
        file: String,
        /// The policy.
        name: String,
    },
    /// The file of a policy in another process has no claim, and the command line neither.
    #[error("error: {file} has no claim of `{name}`; add `client.claims`, or give --as")]
    Unclaimed {
        /// Which file.
        file: String,
        /// The policy.
        name: String,
    },
    /// The protocol cannot express the claim.
    #[error("error: {file}: {error}")]
    Role {
        /// Which file.
        file: String,
        /// The claim.
        error: NotExpressible,
    },
    /// The client does not have such an option.
    #[error("error: {file}: {error}")]
    Setting {
        /// The file.
        file: String,
        /// The error.
        error: SettingError,
    },
    /// The client cannot have the fault of the command line.
    #[error("error: {file} with --with: {}", error.to_string().trim_start_matches("catches: "))]
    With {
        /// The file.
        file: String,
        /// The error.
        error: CannotCatch,
    },
    /// With the options of the command line it is not a valid timeline.
    #[error("error: {file} with --set: {}", Problems(problems))]
    Set {
        /// The file.
        file: String,
        /// The errors.
        problems: Vec<Problem>,
    },
}

struct BadFiles<'a>(&'a [BadFile]);

impl fmt::Display for BadFiles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A single unreadable path needs no title.
        if let [nothing @ (BadFile::Unreadable { .. } | BadFile::NoFiles { .. })] = self.0 {
            return f.write_str(nothing.to_string().trim_start_matches("error: "));
        }
        match self.0.len() {
            1 => write!(f, "nothing was played: a file has errors"),
            files => write!(f, "nothing was played: {files} files have errors"),
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
