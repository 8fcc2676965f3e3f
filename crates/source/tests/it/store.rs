//! The store keeps the higher version, deleted or not.

use std::sync::Arc;

use retrylab_source::{DataSet, Item, Kind, MemoryStore, Store};
use serde_json::json;

fn item(version: u64) -> Item {
    Item::new(version, json!({"version": version}))
}

/// A store that holds the flag `x` at version 100.
fn store() -> MemoryStore {
    let store = MemoryStore::new();
    store
        .init(DataSet { flags: [("x".to_owned(), item(100))].into(), ..DataSet::default() })
        .expect("memory never fails");
    store
}

fn version_of_x(store: &MemoryStore) -> Option<u64> {
    store.get(Kind::Flag, "x").and_then(|value| value["version"].as_u64())
}

#[test]
fn only_a_higher_version_is_kept() {
    for (version, kept) in [(99, false), (100, false), (101, true)] {
        let store = store();
        assert_eq!(store.upsert(Kind::Flag, "x", item(version)), Ok(kept), "{version}");
        assert_eq!(version_of_x(&store), Some(if kept { version } else { 100 }));
    }
}

#[test]
fn only_a_higher_version_deletes() {
    for (version, deleted) in [(99, false), (100, false), (101, true)] {
        let store = store();
        assert_eq!(store.upsert(Kind::Flag, "x", Item::tombstone(version)), Ok(deleted), "{version}");
        assert_eq!(version_of_x(&store).is_none(), deleted, "{version}");
        assert_eq!(store.all(Kind::Flag).is_empty(), deleted, "{version}");
    }
}

#[test]
fn a_deleted_item_comes_back_only_with_a_higher_version() {
    let store = store();
    store.upsert(Kind::Flag, "x", Item::tombstone(101)).unwrap();
    for version in [100, 101] {
        assert_eq!(store.upsert(Kind::Flag, "x", item(version)), Ok(false), "{version}");
        assert_eq!(version_of_x(&store), None);
    }
    assert_eq!(store.upsert(Kind::Flag, "x", item(102)), Ok(true));
    assert_eq!(version_of_x(&store), Some(102));
}

#[test]
fn a_delete_of_an_unknown_item_is_remembered() {
    for kind in Kind::ALL {
        let store = store();
        assert_eq!(store.upsert(kind, "new", Item::tombstone(5)), Ok(true));
        assert_eq!(store.upsert(kind, "new", item(5)), Ok(false));
        assert_eq!(store.get(kind, "new"), None);
        assert_eq!(store.upsert(kind, "new", item(6)), Ok(true));
    }
}

#[test]
fn a_new_item_is_kept_at_any_version() {
    let store = store();
    assert_eq!(store.upsert(Kind::Flag, "new", item(0)), Ok(true));
    assert!(store.get(Kind::Flag, "new").is_some());
}

#[test]
fn flags_and_segments_do_not_share_keys() {
    let store = store();
    assert_eq!(store.upsert(Kind::Segment, "x", item(1)), Ok(true));
    assert_eq!(version_of_x(&store), Some(100));
    assert_eq!((store.all(Kind::Flag).len(), store.all(Kind::Segment).len()), (1, 1));
}

#[test]
fn a_put_replaces_all_data_at_any_version() {
    let store = store();
    store.upsert(Kind::Segment, "s", item(500)).unwrap();
    store.upsert(Kind::Flag, "gone", Item::tombstone(500)).unwrap();
    store.init(DataSet { flags: [("x".to_owned(), item(1))].into(), ..DataSet::default() }).unwrap();
    assert_eq!(version_of_x(&store), Some(1));
    assert_eq!(store.get(Kind::Segment, "s"), None);
    assert_eq!(store.upsert(Kind::Flag, "gone", item(1)), Ok(true), "tombstones are replaced, too");
}

#[test]
fn only_a_put_initializes_it_even_an_empty_one() {
    let store = MemoryStore::new();
    assert!(!store.is_initialized());
    store.upsert(Kind::Flag, "x", item(1)).unwrap();
    assert!(!store.is_initialized());
    store.init(DataSet::default()).unwrap();
    assert!(store.is_initialized());
    assert_eq!(store.all(Kind::Flag).len(), 0);
}

#[test]
fn the_version_is_the_highest_of_all_tombstones_included() {
    let store = MemoryStore::new();
    assert_eq!(store.version(), 0);
    store.upsert(Kind::Flag, "a", item(3)).unwrap();
    assert_eq!(store.version(), 3);
    store.upsert(Kind::Segment, "b", Item::tombstone(8)).unwrap();
    assert_eq!(store.version(), 8);
}

#[test]
fn a_shared_store_is_that_store() {
    let shared = Arc::new(MemoryStore::new());
    let store: &dyn Store = &Arc::clone(&shared);
    store.init(DataSet::default()).unwrap();
    assert_eq!(store.upsert(Kind::Flag, "x", item(1)), Ok(true));
    assert!(store.is_initialized() && shared.is_initialized());
    assert_eq!(version_of_x(&shared), Some(1));
}

#[test]
fn a_store_that_is_shared_is_the_store_itself() {
    fn fill(shared: &impl Store) -> Result<bool, retrylab_source::StoreError> {
        assert!(!shared.is_initialized());
        shared.init(DataSet::default())?;
        assert!(shared.is_initialized());
        assert!(shared.upsert(Kind::Flag, "x", item(7))?);
        shared.upsert(Kind::Flag, "x", item(7))
    }
    let store = Arc::new(MemoryStore::new());
    assert_eq!(fill(&Arc::clone(&store)), Ok(false));
    assert_eq!(version_of_x(&store), Some(7));
}
