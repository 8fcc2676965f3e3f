//! An output file on the command line.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The maximum number of links in a row, as in Linux.
const LINKS: usize = 40;

/// The target of an output name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The standard output of this process.
    Stdout,
    /// A file, existing or new: it is written completely or not at all. Links have been followed.
    Whole(PathBuf),
    /// A device, a pipe, a folder or anything else that must not be replaced: it is written in place.
    Into(PathBuf),
}

impl Place {
    /// Follows links, so that their target is written and they themselves stay.
    ///
    /// # Errors
    ///
    /// If a path on the way cannot be read, or there are too many links.
    pub(crate) fn of(name: &Path) -> io::Result<Self> {
        let mut path = name.to_path_buf();
        for _ in 0..=LINKS {
            if ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|own| path == Path::new(own)) {
                return Ok(Self::Stdout);
            }
            match path.symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Whole(path)),
                Err(error) => return Err(error),
                // The text of such a link need not be a path: it may be an open pipe, or a removed file.
                Ok(found) if found.is_symlink() && is_descriptor(&path) => return Ok(Self::Into(path)),
                Ok(found) if found.is_symlink() => path = folder(&path).join(fs::read_link(&path)?),
                Ok(found) if found.is_file() => return Ok(Self::Whole(path)),
                Ok(_) => return Ok(Self::Into(path)),
            }
        }
        Err(io::Error::other("there are too many links behind it"))
    }
}

/// Writes a file completely or not at all: `put` writes to a temporary file beside it, which then replaces it.
///
/// # Errors
///
/// If it cannot be written; then the old file is still there.
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

/// Writes the output of `put` in place.
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

/// Whether a link stands for an open file of a process.
fn is_descriptor(link: &Path) -> bool {
    fs::canonicalize(folder(link)).is_ok_and(|folder| folder.starts_with("/proc"))
}

/// The permissions of an ordinary new file, under the user's mask; a temporary file is readable by its owner alone.
#[cfg(unix)]
fn open_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn open_permissions() -> Option<Permissions> {
    None
}
