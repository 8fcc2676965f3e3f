//! The folder of counterexamples that a check replays first, and saves to.

use core::panic::Location;
use std::path::{Path, PathBuf};
use std::thread;

use retrylab_laws::{Claim, Subject};
use retrylab_search::{Store, StoreError, Stored};
use retrylab_spec::{PolicySpec, Shape, Timeline};

use crate::play::{PlayError, Playable};

/// The folder, and the allowed deviations.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// Whether a missing folder is an empty one.
    pub(crate) if_any: bool,
    /// Whether files of other policies may lie there.
    pub(crate) among_others: bool,
}

impl Folder {
    /// The files of the policy with this name, in the order of their names.
    pub(crate) fn read(&self, name: &str, shape: Shape) -> Result<Vec<Stored>, RegressionsError> {
        let stored = match Store::at(&self.path).read() {
            Err(StoreError::NoFolder { .. }) if self.if_any => return Ok(Vec::new()),
            Err(StoreError::NoFolder { folder }) => return Err(RegressionsError::NoFolder { folder }),
            Err(error) => return Err(PlayError::from(error).into()),
            Ok(stored) => stored,
        };
        let mut own = Vec::new();
        for stored in stored {
            match &stored.timeline.client.kind {
                PolicySpec::External { name: of, played_as, .. } if of == name => {
                    if *played_as != shape {
                        let (is, claims) = (played_as.name(), shape.name());
                        return Err(RegressionsError::Shape { path: stored.path, name: name.to_owned(), is, claims });
                    }
                    own.push(stored);
                }
                _ if self.among_others => {}
                other => {
                    let of = match other {
                        PolicySpec::External { name, .. } => name.clone(),
                        built_in => built_in.name().to_owned(),
                    };
                    return Err(RegressionsError::OfAnother { path: stored.path, of, name: name.to_owned() });
                }
            }
        }
        Ok(own)
    }
}

/// Replays saved files. Those that hold are returned as timelines.
pub(crate) fn replay(
    files: Vec<Stored>,
    claim: &Claim,
    seed: u64,
    subject: &dyn Subject,
) -> Result<Result<Vec<Timeline>, Replayed>, RegressionsError> {
    let files = files.into_iter().map(|stored| Playable::new(stored, Some(claim.clone())));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let (of, mut held, mut failed) = (files.len(), Vec::new(), Vec::new());
    for file in files {
        let timeline = file.stored.timeline.clone();
        match file.play(seed, subject) {
            Ok(_) => held.push(timeline),
            Err(error) => failed.push(error),
        }
    }
    Ok(if failed.is_empty() { Ok(held) } else { Err(Replayed { of, failed }) })
}

/// Saved files that fail, which ends a check before its search.
#[derive(Debug)]
pub struct Replayed {
    /// The number of files replayed.
    pub of: usize,
    /// The failed files, each with its lines and its trace.
    pub failed: Vec<PlayError>,
}

/// The reason why a folder of saved files cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegressionsError {
    /// The folder does not exist.
    #[error(
        "there is no folder {shown}: create it (`mkdir -p {shown}`) and commit a file in it, such as `.gitkeep`; or say \
         `.regressions_if_any({folder:?})`, which takes a missing folder for an empty one",
        shown = folder.display()
    )]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of another policy.
    #[error(
        "{} is of the policy `{of}`, and this check is of `{name}`: give each policy a folder of its own, call this one \
         `.named({of:?})`, or say `.among_others()`",
        path.display()
    )]
    OfAnother {
        /// The file.
        path: PathBuf,
        /// Its policy.
        of: String,
        /// The policy of the check.
        name: String,
    },
    /// A file of this policy with another kind of client.
    #[error("{} has `{name}` as a {is} client, but this check claims {claims}; remove the file or change its `as`", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The policy.
        name: String,
        /// The kind of client in the file.
        is: &'static str,
        /// The claim of the check.
        claims: &'static str,
    },
    /// A file that replays nothing.
    #[error(transparent)]
    Unplayable(#[from] PlayError),
}

/// The default name of a policy: the test that checks it, by the name of its thread or, without a module in that, by
/// its file.
pub(crate) fn name_of(caller: &Location<'_>) -> String {
    let file = Path::new(caller.file()).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let file = file.unwrap_or_else(|| "my-policy".to_owned());
    match thread::current().name() {
        None | Some("main") => file,
        Some(test) if test.contains("::") => test.to_owned(),
        Some(test) => format!("{file}::{test}"),
    }
}
