//! The folder in which counterexamples are kept, each a file and so a test.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use retrylab_laws::Law;
use retrylab_spec::{Draft, File, Locations, ParseError, Timeline, parse, parse_bytes};
use tempfile::Builder;

use crate::regression::Regression;

/// A folder of timeline files that a search has saved.
///
/// A file is written whole or not at all, and a file that differs is never overwritten. Its name is that of
/// [`Regression::name`], so that the same counterexample has the same file from any search, as long as the law says the same of it.
///
/// ```
/// use std::ops::ControlFlow;
/// use retrylab_laws::{Claim, Described, LAWS};
/// use retrylab_search::{Search, Store};
/// use retrylab_spec::named;
///
/// let client = named::client("polling:cadence-not-restored").ok_or("a policy")?;
/// let claim = Claim::of(&client);
/// let search = Search::of(client.clone(), claim.clone(), LAWS).cases(300);
/// let searched = search.run(&Described(client), |_| ControlFlow::Continue(()));
/// let found = searched.broken().next().ok_or("a breach")?;
/// let file = found.regression(&claim, "this example").ok_or("a file")?;
///
/// let folder = std::env::temp_dir().join(format!("retrylab-store-{}", std::process::id()));
/// let kept = Store::at(&folder).keep(&file)?;
/// assert_eq!(kept.path, folder.join(file.name()));
/// assert_eq!(Store::at(&folder).read()?[0].timeline, file.timeline);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The files that this store wrote, each with its law: one gives way to the next of its law, which is shorter.
    written: Vec<(&'static str, PathBuf)>,
}

/// Where a counterexample is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// The file that has the usual name and another content. It is left as it is.
    pub beside: Option<PathBuf>,
}

/// A file of the folder that can be played.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Where it is.
    pub path: PathBuf,
    /// Its timeline.
    pub timeline: Timeline,
    /// Where each key is in its text.
    pub locations: Locations,
}

impl Store {
    /// The store in this folder, which [`Store::keep`] creates if it is missing.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), written: Vec::new() }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the file unless the same test is there, and removes the longer one that this store wrote for the same law.
    ///
    /// The same test is the same timeline, with any `why` and `found_by` and any comments. If another file has the name, this one is
    /// called `<law>-<hash>-2.toml`, or the next number that is free.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn keep(&mut self, file: &Regression) -> Result<Kept, NotSaved> {
        let name = file.name();
        let stem = name.strip_suffix(".toml").unwrap_or(&name);
        let (mut path, mut beside, mut nth) = (self.folder.join(&name), None, 1_u64);
        loop {
            match write(&path, file) {
                Ok(Written::Other) => {
                    beside.get_or_insert(path);
                    nth += 1;
                    path = self.folder.join(format!("{stem}-{nth}.toml"));
                }
                Ok(written) => {
                    self.replace(file.law, &path);
                    if written == Written::New {
                        self.written.push((file.law.name, path.clone()));
                    }
                    return Ok(Kept { path, beside });
                }
                Err(error) => return Err(NotSaved { path, error }),
            }
        }
    }

    /// Removes what this store wrote of the law before.
    fn replace(&mut self, law: &Law, path: &Path) {
        self.written.retain(|(name, before)| {
            let outdated = *name == law.name && before != path;
            if outdated {
                // Should it stay, it is one more file that fails for the same reason.
                let _ = fs::remove_file(before);
            }
            !outdated
        });
    }

    /// Every `.toml` of the folder itself, in the order of the names.
    ///
    /// # Errors
    ///
    /// If there is no such folder, a file cannot be read, has mistakes, or replays nothing because it has no client.
    pub fn read(&self) -> Result<Vec<Stored>, StoreError> {
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotADirectory if self.folder.is_file() => {
                StoreError::NotAFolder { path: self.folder.clone() }
            }
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                StoreError::NoFolder { folder: self.folder.clone() }
            }
            _ => StoreError::Unreadable { path: self.folder.clone(), error },
        };
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        paths.into_iter().map(Stored::read).collect()
    }
}

impl Stored {
    /// Reads one file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, has mistakes, or replays nothing because it has no client.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(StoreError::Unreadable { path, error }),
        };
        let parsed = parse_bytes(&path.display().to_string(), &bytes)?;
        match parsed.file {
            File::Played(timeline) | File::External(timeline) => {
                Ok(Self { path, timeline, locations: parsed.locations })
            }
            File::WaitsFor { .. } | File::Outside { .. } => Err(StoreError::NotPlayed { path }),
        }
    }
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {error}", path.display())]
pub struct NotSaved {
    /// The file.
    pub path: PathBuf,
    /// The system's error.
    pub error: io::Error,
}

/// Why a folder or a file of it replays nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such folder.
    #[error("there is no folder {}", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// It is a file.
    #[error("{} is a file, not a folder", path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// The folder or a file of it cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The folder or the file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file has mistakes.
    #[error(transparent)]
    Mistakes(#[from] ParseError),
    /// The file declares that it is not played.
    #[error("{} has no [client], since it is not played", path.display())]
    NotPlayed {
        /// The file.
        path: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    New,
    /// The same test was there.
    Before,
    /// Something else is there.
    Other,
}

/// Writes a file at once and whole, if it is not there.
fn write(path: &Path, file: &Regression) -> io::Result<Written> {
    if path.try_exists()? {
        return Ok(there(path, &file.timeline));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    builder.prefix(".found-").suffix(".tmp");
    if let Some(permissions) = readable() {
        builder.permissions(permissions);
    }
    let mut written = builder.tempfile_in(folder)?;
    written.write_all(file.to_string().as_bytes())?;
    written.as_file().sync_all()?;
    match written.persist_noclobber(path) {
        Ok(_) => Ok(Written::New),
        // Somebody else was faster.
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(there(path, &file.timeline)),
        Err(refused) => Err(refused.error),
    }
}

/// Whether the file that is there is the same test.
fn there(path: &Path, timeline: &Timeline) -> Written {
    let anonymous = |timeline: &Timeline| Draft { why: String::new(), found_by: None, ..timeline.clone().into_draft() };
    let text = fs::read_to_string(path).ok();
    let parsed = text.and_then(|text| parse(&path.to_string_lossy(), &text).ok());
    match parsed.map(|parsed| parsed.file) {
        Some(File::Played(there) | File::External(there)) if anonymous(&there) == anonymous(timeline) => {
            Written::Before
        }
        _ => Written::Other,
    }
}

/// As any other file, and not for its owner's eyes only as temporary files are: it is to be committed.
#[cfg(unix)]
fn readable() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn readable() -> Option<Permissions> {
    None
}
