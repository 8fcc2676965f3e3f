//! The store of a source's data.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

use crate::data::{DataSet, Item, Kind};

/// Keeps a source's data for its readers. A source survives any error or panic of its store, which counts as a failure.
pub trait Store: Send + Sync {
    /// Replaces all data.
    ///
    /// # Errors
    ///
    /// If the data was not stored.
    fn init(&self, data: DataSet) -> Result<(), StoreError>;

    /// Stores the item if its version is higher than that of the one under this key, tombstones included. Returns
    /// whether it was stored.
    ///
    /// # Errors
    ///
    /// If storing failed.
    fn upsert(&self, kind: Kind, key: &str, item: Item) -> Result<bool, StoreError>;

    /// Whether [`init`](Self::init) was ever called.
    fn is_initialized(&self) -> bool;
}

/// An error of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(pub String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store failed: {}", self.0)
    }
}

impl std::error::Error for StoreError {}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn init(&self, data: DataSet) -> Result<(), StoreError> {
        (**self).init(data)
    }

    fn upsert(&self, kind: Kind, key: &str, item: Item) -> Result<bool, StoreError> {
        (**self).upsert(kind, key, item)
    }

    fn is_initialized(&self) -> bool {
        (**self).is_initialized()
    }
}

/// Keeps the data in memory. It never fails.
///
/// ```
/// use retrylab_source::{DataSet, Item, Kind, MemoryStore, Store};
/// use serde_json::json;
///
/// let store = MemoryStore::new();
/// store.init(DataSet::default())?;
/// assert!(store.upsert(Kind::Flag, "dark-mode", Item::new(2, json!({"on": true})))?);
/// assert!(!store.upsert(Kind::Flag, "dark-mode", Item::tombstone(2))?);
/// assert_eq!(store.get(Kind::Flag, "dark-mode").unwrap()["on"], true);
/// assert!(store.upsert(Kind::Flag, "dark-mode", Item::tombstone(3))?);
/// assert_eq!(store.get(Kind::Flag, "dark-mode"), None);
/// # Ok::<(), retrylab_source::StoreError>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    data: DataSet,
    initialized: bool,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The item under this key, unless it was deleted.
    #[must_use]
    pub fn get(&self, kind: Kind, key: &str) -> Option<Arc<Value>> {
        self.read(|inner| inner.data.of(kind).get(key).and_then(|item| item.value.clone()))
    }

    /// Every item of a kind by key, without deleted ones.
    #[must_use]
    pub fn all(&self, kind: Kind) -> BTreeMap<String, Arc<Value>> {
        self.read(|inner| {
            let items = inner.data.of(kind).iter();
            items.filter_map(|(key, item)| Some((key.clone(), item.value.clone()?))).collect()
        })
    }

    /// The highest version of any item, tombstones included; 0 for no items.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.read(|inner| {
            let versions = Kind::ALL.into_iter().flat_map(|kind| inner.data.of(kind).values());
            versions.map(|item| item.version).max().unwrap_or(0)
        })
    }

    fn read<T>(&self, look: impl FnOnce(&Inner) -> T) -> T {
        // A panic cannot leave a map half changed.
        look(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store for MemoryStore {
    fn init(&self, data: DataSet) -> Result<(), StoreError> {
        *self.inner.write().unwrap_or_else(PoisonError::into_inner) = Inner { data, initialized: true };
        Ok(())
    }

    fn upsert(&self, kind: Kind, key: &str, item: Item) -> Result<bool, StoreError> {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        let items = inner.data.of_mut(kind);
        let newer = items.get(key).is_none_or(|present| item.version > present.version);
        if newer {
            items.insert(key.to_owned(), item);
        }
        Ok(newer)
    }

    fn is_initialized(&self) -> bool {
        self.read(|inner| inner.initialized)
    }
}
