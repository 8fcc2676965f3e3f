//! The timeline files that paths on a command line stand for.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use walkdir::WalkDir;

use crate::{BadFile, Input, shown};

/// The files that paths stand for, each once.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) inputs: Vec<Input>,
    /// What the files really are, whatever links and dots lead there.
    seen: BTreeSet<OsString>,
    /// Paths at which nothing can be found.
    pub(crate) bad: Vec<BadFile>,
}

impl Found {
    /// What is named is read, whatever it is; only folders are looked into.
    pub(crate) fn look_at(&mut self, root: &OsStr) {
        let input = Input::from(root.to_owned());
        let Input::File(path) = &input else { return self.add(input) };
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.look_below(path),
            Ok(_) => self.add(input),
            Err(error) => self.bad.push(BadFile::Unreadable { file: input.name(), error }),
        }
    }

    /// Every `.toml` below a folder, in the order of the names. Links are what they lead to; one that leads back to a
    /// folder that it is in is an error, as is a `.toml` that leads nowhere.
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
                        // To read a pipe that nobody writes to would take for ever.
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

/// Editors leave links that lead nowhere beside the files that they have open.
fn is_link_to_nothing_of_ours(error: &walkdir::Error) -> bool {
    let nowhere = error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    error.depth() > 0 && nowhere && !error.path().is_some_and(is_toml)
}

/// What the system said; walkdir's own text repeats the path.
fn io(error: walkdir::Error) -> io::Error {
    let text = error.to_string();
    error.into_io_error().unwrap_or_else(|| io::Error::other(text))
}
