//! `--write`: vectors from a policy and a seed.

use std::io::{self, Write};
use std::path::Path;

use retrylab_laws::vectors::{Setup, record, write};
use retrylab_scenario::{ClientKind, JitterChoice, Seconds};

use super::ConformError;
use crate::count::counted;
use crate::paste::CommandLine;
use crate::placed::{self, Place};
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
        let unwritable = |path: &Path, error: &io::Error| ConformError::Unwritable {
            path: shown::line(&path.to_string_lossy()).into_owned(),
            error: without_path(error),
        };
        let path = self.out.unwrap_or(Path::new("-"));
        let put = |out: &mut dyn Write| self.put(setup, seed, out);
        let steps = match Place::of(path).map_err(|error| unwritable(path, &error))? {
            Place::Stdout => {
                Refusal::unless_unread(put(console.out).map(|_| ()))?;
                return Ok(Exit::Held);
            }
            Place::Whole(file) => placed::whole(&file, put),
            Place::Into(file) => placed::into(&file, put),
        };
        let steps = steps.map_err(|error| unwritable(path, &error))?;
        let replay = CommandLine::new("conform").word(path).text();
        let said = writeln!(
            console.out,
            "{} of {}, {}, seed {seed}\n{replay}",
            counted(self.count, "vector"),
            self.policy,
            counted(steps, "step")
        );
        Refusal::unless_unread(said)?;
        Ok(Exit::Held)
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
