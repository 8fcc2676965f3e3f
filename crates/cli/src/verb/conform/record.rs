//! `--write`: vectors from a policy and a seed.

use std::io::{self, Write};
use std::path::Path;

use retrylab_conform::{record, write};
use retrylab_spec::{JitterChoice, PolicySpec};

use super::ConformError;
use crate::count::counted;
use crate::paste::CommandLine;
use crate::placed::{self, Place};
use crate::seed::Seed;
use crate::setting::Setting;
use crate::subject::Subject;
use crate::{Console, Exit, Refusal, shown};

/// The request.
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
        let spec = chosen.client.kind;
        if spec.rules().is_none() {
            return Err(ConformError::NotOfVectors { policy: self.policy.to_string() }.into());
        }
        let seed = Seed::choose(self.seed, chosen.seed, console.seed_variable.as_deref())?;
        let unwritable = |path: &Path, error: &io::Error| ConformError::Unwritable {
            path: shown::line(&path.to_string_lossy()).into_owned(),
            error: without_path(error),
        };
        let path = self.out.unwrap_or(Path::new("-"));
        let put = |out: &mut dyn Write| self.put(&spec, seed, out);
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
        let printed = writeln!(
            console.out,
            "{} of {}, {}, seed {seed}\n{replay}",
            counted(self.count, "vector"),
            self.policy,
            counted(steps, "step")
        );
        Refusal::unless_unread(printed)?;
        Ok(Exit::Held)
    }

    /// The number of steps.
    fn put(&self, spec: &PolicySpec, seed: Seed, out: &mut dyn Write) -> io::Result<usize> {
        let mut steps = 0;
        for (vector, _) in record(spec, seed.value).into_iter().flatten().zip(0..self.count) {
            steps += vector.steps.len();
            writeln!(out, "{}", write(&vector))?;
        }
        Ok(steps)
    }
}

/// The error without the name of the temporary file, which the user did not choose.
fn without_path(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" at path ").map_or(text.as_str(), |(what, _)| what).to_owned()
}
