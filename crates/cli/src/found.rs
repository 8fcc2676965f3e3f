//! The timeline files that paths on a command line refer to.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use walkdir::WalkDir;

use crate::{BadFile, Input, shown};

/// The files of some paths, each once.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) inputs: Vec<Input>,
    /// The canonical paths of the files, with links and dots resolved.
    seen: BTreeSet<OsString>,
    /// Paths that could not be read.
    pub(crate) bad: Vec<BadFile>,
}

impl Found {
    /// A named file is read, whatever it is; only folders are searched.
    pub(crate) fn look_at(&mut self, root: &OsStr) {
        let input = Input::from(root.to_owned());
        let Input::File(path) = &input else { return self.add(input) };
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.look_below(path),
            Ok(_) => self.add(input),
            Err(error) => self.bad.push(BadFile::Unreadable { file: input.name(), error }),
        }
    }

    /// Every `.toml` below a folder, in the order of the names. Links are followed; a link to a folder that contains it
    /// is an error, as is a `.toml` link to nothing.
    fn look_below(&mut self, folder: &Path) {
        let (mut empty, before) = (true, self.bad.len());
        for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) if is_toml(entry.path()) => {
                    empty = false;
                    if entry.file_type().is_file() {
                        self.add(Input::File(entry.into_path()));
                    } else {
                        // Reading a pipe without a writer would never end.
                        let error = io::Error::other("it is neither a file nor a folder");
                        self.bad.push(BadFile::Unreadable { file: name(entry.path()), error });
                    }
                }
                Ok(_) => {}
                Err(error) if is_link_to_nothing_of_ours(&error) => {}
                Err(error) => {
                    let file = name(error.path().unwrap_or(folder));
                    self.bad.push(BadFile::Unreadable { file, error: io(error) });
                }
            }
        }
        if empty && self.bad.len() == before {
            self.bad.push(BadFile::NoFiles { folder: name(folder) });
        }
    }

    fn add(&mut self, input: Input) {
        let real = match &input {
            Input::Stdin => OsString::from("-"),
            // A pipe has no path of its own.
            Input::File(path) => fs::canonicalize(path).unwrap_or_else(|_| path.clone()).into_os_string(),
        };
        if self.seen.insert(real) {
            self.inputs.push(input);
        }
    }
}

fn name(path: &Path) -> String {
    shown::line(&path.to_string_lossy()).into_owned()
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Editors create dangling links beside open files.
fn is_link_to_nothing_of_ours(error: &walkdir::Error) -> bool {
    let nowhere = error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    error.depth() > 0 && nowhere && !error.path().is_some_and(is_toml)
}

/// The system's error; walkdir's own text repeats the path.
fn io(error: walkdir::Error) -> io::Error {
    let text = error.to_string();
    error.into_io_error().unwrap_or_else(|| io::Error::other(text))
}
