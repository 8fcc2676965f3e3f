//! Where broken laws are kept as timeline files.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use retrylab_laws::Law;
use retrylab_laws::search::Regression;
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
    pub(super) fn keep(&mut self, file: &Regression) -> Option<PathBuf> {
        let law = file.law;
        let path = self.path.join(file.name());
        match write(&path, &file.to_string()) {
            Ok(written) => {
                self.replace(law, &path);
                if written {
                    self.early.push((law.name, path.clone()));
                }
                Some(path)
            }
            Err(error) => {
                self.failed.get_or_insert(NotSaved { path, error });
                None
            }
        }
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

/// Writes a file at once and whole, if it is not there. Whether it was written.
fn write(path: &Path, text: &str) -> io::Result<bool> {
    if path.try_exists()? {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    builder.prefix(".found-").suffix(".tmp");
    if let Some(permissions) = readable() {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        // Somebody else was faster, with the same.
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(refused) => Err(refused.error),
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
