//! `--write`: vectors from a policy and a seed.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use retrylab_laws::vectors::{Setup, record, write};
use retrylab_scenario::{ClientKind, JitterChoice, Seconds};

use super::ConformError;
use crate::paste::CommandLine;
use crate::seed::Seed;
use crate::setting::Setting;
use crate::subject::Subject;
use crate::{Console, Exit, Refusal, shown};

/// What is asked for.
pub(super) struct Recording<'a> {
    pub(super) policy: &'a Subject,
    pub(super) settings: &'a [Setting],
    pub(super) seed: Option<u64>,
    pub(super) count: u32,
    pub(super) out: Option<&'a Path>,
}

impl Recording<'_> {
    pub(super) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let chosen = self.policy.choose(self.settings, console)?;
        if chosen.client.jitter == JitterChoice::None {
            return Err(ConformError::JitterNone.into());
        }
        let setup =
            setup(&chosen.client.kind).ok_or_else(|| ConformError::NotOfVectors { policy: self.policy.to_string() })?;
        let seed = Seed::choose(self.seed, chosen.seed, console.seed_variable.as_deref())?;
        let Some(path) = self.out.filter(|path| path.as_os_str() != "-") else {
            Refusal::unless_unread(self.put(setup, seed, console.out).map(|_| ()))?;
            return Ok(Exit::Held);
        };
        let steps = self.save(setup, seed, path).map_err(|error| ConformError::Unwritable {
            path: shown::line(&path.to_string_lossy()).into_owned(),
            error: without_path(&error),
        })?;
        let replay = CommandLine::new("conform").word(path).text();
        let said =
            writeln!(console.out, "{} vectors of {}, {steps} steps, seed {seed}\n{replay}", self.count, self.policy);
        Refusal::unless_unread(said)?;
        Ok(Exit::Held)
    }

    /// The whole file or none of it: it is written beside its place and then moved there.
    fn save(&self, setup: Setup, seed: Seed, path: &Path) -> io::Result<usize> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        let mut builder = tempfile::Builder::new();
        let file = match open_permissions() {
            Some(permissions) => builder.permissions(permissions).tempfile_in(folder)?,
            None => builder.tempfile_in(folder)?,
        };
        let mut writer = BufWriter::new(file);
        let steps = self.put(setup, seed, &mut writer)?;
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(path)?;
        Ok(steps)
    }

    /// How many steps there are.
    fn put(&self, setup: Setup, seed: Seed, out: &mut dyn Write) -> io::Result<usize> {
        let mut steps = 0;
        for (vector, _) in record(setup, seed.value).zip(0..self.count) {
            steps += vector.steps.len();
            writeln!(out, "{}", write(&vector))?;
        }
        Ok(steps)
    }
}

/// What went wrong, without the name of the temporary file, which nobody has chosen.
fn without_path(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" at path ").map_or(text.as_str(), |(what, _)| what).to_owned()
}

/// As for any new file, from which the user's mask is taken; a temporary one is its owner's alone.
#[cfg(unix)]
fn open_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn open_permissions() -> Option<Permissions> {
    None
}

/// How the subject of a vector is built, for clients that vectors can be of.
fn setup(client: &ClientKind) -> Option<Setup> {
    match client {
        ClientKind::Streaming { initial_reconnect_delay } => {
            Some(Setup::Streaming { initial_reconnect_delay: initial_reconnect_delay.map_or(1.0, Seconds::as_f64) })
        }
        ClientKind::Polling { poll_interval } => {
            Some(Setup::Polling { poll_interval: poll_interval.map_or(30.0, Seconds::as_f64) })
        }
        ClientKind::Call(_)
        | ClientKind::Reconnect { .. }
        | ClientKind::Dialect { .. }
        | ClientKind::External { .. } => None,
    }
}
