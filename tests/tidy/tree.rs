//! The files that a check looks at.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use walkdir::{DirEntry, WalkDir};

/// A checkout of the project, or a made-up one.
pub(crate) struct Tree {
    root: PathBuf,
    /// Keeps the folder of a made-up tree alive.
    _folder: Option<TempDir>,
}

impl Tree {
    /// The checkout that this test was built from.
    pub(crate) fn checkout() -> Self {
        Self { root: PathBuf::from(env!("CARGO_MANIFEST_DIR")), _folder: None }
    }

    /// A temporary tree of these files, each a path from the root and its text.
    pub(crate) fn made_up(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a file has a parent")).expect("a folder in it");
            fs::write(path, text).expect("a file in it");
        }
        Self { root: folder.path().to_owned(), _folder: Some(folder) }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Every file, as a path from the root with `/` between its parts, in order; without what builds and git leave.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = WalkDir::new(&self.root)
            .into_iter()
            .filter_entry(|entry| !is_left_over(entry))
            .map(|entry| entry.expect("a folder that can be read"))
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| self.relative(entry.path()))
            .collect();
        files.sort();
        files
    }

    /// Those of [`Tree::files`] that begin and end so.
    pub(crate) fn files_like(&self, prefix: &str, suffix: &str) -> Vec<String> {
        self.files().into_iter().filter(|path| path.starts_with(prefix) && path.ends_with(suffix)).collect()
    }

    /// The text of a file; `None` if there is none or it is not text.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    fn relative(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).expect("a path below the root");
        relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

fn is_left_over(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_built = entry.file_type().is_dir() && (name == "target" || name.starts_with("mutants.out"));
    // In a second working tree of a repository it is a file.
    entry.depth() > 0 && (is_built || name == ".git")
}

/// Stops the test with every problem on a line of its own.
#[track_caller]
pub(crate) fn assert_tidy(problems: &[String]) {
    assert!(problems.is_empty(), "\n  {}\n", problems.join("\n  "));
}

#[test]
fn files_of_builds_and_git_are_ignored() {
    for (left, kept) in [(".git", "target"), (".git/config", ".gitignore"), ("target/debug/a", "targets/a")] {
        let tree = Tree::made_up(&[(left, ""), (kept, "")]);
        assert_eq!(tree.files(), [kept], "{left}");
    }
}
