//! Where broken laws are kept as timeline files.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use retrylab_laws::Law;
use retrylab_laws::search::Regression;
use retrylab_scenario::{Draft, File, Timeline, parse};
use tempfile::Builder;

use super::CheckError;

/// The folder that files are kept in.
pub(super) struct Folder {
    path: PathBuf,
    /// The files that were written before they were as short as they get.
    early: Vec<(&'static str, PathBuf)>,
    failed: Option<NotSaved>,
}

/// The first file that could not be written.
pub(super) struct NotSaved {
    path: PathBuf,
    error: io::Error,
}

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) path: PathBuf,
    /// The file that has its name and says something else, which is left as it is.
    pub(super) beside: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Now,
    /// The same was there, whatever is said around it.
    Before,
    /// Something else is there.
    Other,
}

impl From<NotSaved> for CheckError {
    fn from(NotSaved { path, error }: NotSaved) -> Self {
        Self::NotSaved { path, error }
    }
}

impl Folder {
    pub(super) fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), early: Vec::new(), failed: None }
    }

    /// Writes the file unless it is there, in the place of the one that was written before for the same law. Where it is
    /// then; a failure is remembered, so that what was found can be told first.
    pub(super) fn keep(&mut self, file: &Regression) -> Option<Kept> {
        let law = file.law;
        let name = file.name();
        let mut beside = None;
        for nth in 1.. {
            let path = self.path.join(match (nth, name.strip_suffix(".toml")) {
                (2.., Some(stem)) => format!("{stem}-{nth}.toml"),
                _ => name.clone(),
            });
            match write(&path, file) {
                Ok(Written::Other) => {
                    beside.get_or_insert(path);
                }
                Ok(written) => {
                    self.replace(law, &path);
                    if written == Written::Now {
                        self.early.push((law.name, path.clone()));
                    }
                    return Some(Kept { path, beside });
                }
                Err(error) => {
                    self.failed.get_or_insert(NotSaved { path, error });
                    return None;
                }
            }
        }
        None
    }

    /// Removes what this search wrote of the law before.
    fn replace(&mut self, law: &Law, path: &Path) {
        self.early.retain(|(name, before)| {
            let outdated = *name == law.name && before != path;
            if outdated {
                // Should it stay, it is one more file that fails for the same reason.
                let _ = fs::remove_file(before);
            }
            !outdated
        });
    }

    pub(super) fn failed(self) -> Option<NotSaved> {
        self.failed
    }
}

/// Writes a file at once and whole, if it is not there.
fn write(path: &Path, file: &Regression) -> io::Result<Written> {
    if path.try_exists()? {
        return Ok(there(path, file));
    }
    let text = file.to_string();
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    builder.prefix(".found-").suffix(".tmp");
    if let Some(permissions) = readable() {
        builder.permissions(permissions);
    }
    let mut written = builder.tempfile_in(folder)?;
    written.write_all(text.as_bytes())?;
    written.as_file().sync_all()?;
    match written.persist_noclobber(path) {
        Ok(_) => Ok(Written::Now),
        // Somebody else was faster.
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(there(path, file)),
        Err(refused) => Err(refused.error),
    }
}

/// Whether what is there is the same test: the same timeline, whoever found it and whatever comments are around it.
fn there(path: &Path, file: &Regression) -> Written {
    let anonymous = |timeline: &Timeline| Draft { found_by: None, ..timeline.clone().into_draft() };
    let text = fs::read_to_string(path).ok();
    let parsed = text.and_then(|text| parse(&path.to_string_lossy(), &text).ok());
    match parsed.map(|parsed| parsed.file) {
        Some(File::Played(there) | File::External(there)) if anonymous(&there) == anonymous(&file.timeline) => {
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
