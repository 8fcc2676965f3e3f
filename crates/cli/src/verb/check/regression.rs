//! The folder of `--save`.

use std::path::Path;

use retrylab_search::{Kept, NotSaved, Regression, Store};

/// The store, and the first failure to write to it: what was found is shown before that is.
pub(super) struct Folder {
    store: Store,
    failed: Option<NotSaved>,
}

impl Folder {
    pub(super) fn at(path: &Path) -> Self {
        Self { store: Store::at(path), failed: None }
    }

    /// Where the file is then, unless it cannot be written.
    pub(super) fn keep(&mut self, file: &Regression) -> Option<Kept> {
        match self.store.keep(file) {
            Ok(kept) => Some(kept),
            Err(failed) => {
                self.failed.get_or_insert(failed);
                None
            }
        }
    }

    pub(super) fn failed(self) -> Option<NotSaved> {
        self.failed
    }
}
