//! A file that a command line names to be written.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// As many links are followed one after the other as Linux follows.
const LINKS: usize = 40;

/// What a name for an output leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// This process's own standard output.
    Stdout,
    /// A file, or nothing yet: it is written whole or not at all. Links have been followed.
    Whole(PathBuf),
    /// A device, a pipe, a folder or what else there is that must not be replaced: it is written into as it is.
    Into(PathBuf),
}

impl Place {
    /// Follows the links, so that what they lead to is written and they themselves stay.
    ///
    /// # Errors
    ///
    /// If something on the way cannot be looked at, or links lead on for too long.
    pub(crate) fn of(name: &Path) -> io::Result<Self> {
        let mut path = name.to_path_buf();
        for _ in 0..=LINKS {
            if ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|own| path == Path::new(own)) {
                return Ok(Self::Stdout);
            }
            match path.symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Whole(path)),
                Err(error) => return Err(error),
                // What such a link reads as need not be the name of anything: an open pipe, a file that was removed.
                Ok(found) if found.is_symlink() && is_descriptor(&path) => return Ok(Self::Into(path)),
                Ok(found) if found.is_symlink() => path = folder(&path).join(fs::read_link(&path)?),
                Ok(found) if found.is_file() => return Ok(Self::Whole(path)),
                Ok(_) => return Ok(Self::Into(path)),
            }
        }
        Err(io::Error::other("too many links lead on from it"))
    }
}

/// Writes what `put` puts to a file, whole or not at all: beside its place, and then moved there.
///
/// # Errors
///
/// If it cannot be written; what was there before is still there then.
pub(crate) fn whole<T>(path: &Path, put: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let before = path.metadata().ok().map(|found| found.permissions());
    let mut builder = tempfile::Builder::new();
    let file = match open_permissions() {
        Some(permissions) => builder.permissions(permissions).tempfile_in(folder(path))?,
        None => builder.tempfile_in(folder(path))?,
    };
    let mut writer = BufWriter::new(file);
    let put = put(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(permissions) = before {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(path)?;
    Ok(put)
}

/// Writes what `put` puts into what is there.
///
/// # Errors
///
/// If it cannot be opened or written.
pub(crate) fn into<T>(path: &Path, put: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let file: File = OpenOptions::new().append(true).open(path)?;
    let mut writer = BufWriter::new(file);
    let put = put(&mut writer)?;
    writer.flush()?;
    Ok(put)
}

fn folder(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Whether a link stands for something that a process has open.
fn is_descriptor(link: &Path) -> bool {
    fs::canonicalize(folder(link)).is_ok_and(|folder| folder.starts_with("/proc"))
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
