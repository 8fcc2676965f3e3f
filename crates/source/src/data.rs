//! A source's data: versioned items, put, patched and deleted.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A flag.
    Flag,
    /// A segment, which flags refer to.
    Segment,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Flag, Self::Segment];

    /// The name of the kind's collection in payloads.
    #[must_use]
    pub const fn collection(self) -> &'static str {
        match self {
            Self::Flag => "flags",
            Self::Segment => "segments",
        }
    }
}

/// An item, or the tombstone of a deleted one.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The version; only a higher one replaces it.
    pub version: u64,
    /// The item as received; `None`: deleted.
    pub value: Option<Arc<Value>>,
}

impl Item {
    /// An existing item.
    #[must_use]
    pub fn new(version: u64, value: Value) -> Self {
        Self { version, value: Some(Arc::new(value)) }
    }

    /// A tombstone at this version.
    #[must_use]
    pub const fn tombstone(version: u64) -> Self {
        Self { version, value: None }
    }
}

/// All data of the server, by kind and key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataSet {
    /// The flags by key.
    pub flags: BTreeMap<String, Item>,
    /// The segments by key.
    pub segments: BTreeMap<String, Item>,
}

impl DataSet {
    /// The items of a kind.
    #[must_use]
    pub const fn of(&self, kind: Kind) -> &BTreeMap<String, Item> {
        match kind {
            Kind::Flag => &self.flags,
            Kind::Segment => &self.segments,
        }
    }

    /// The items of a kind, mutable.
    pub const fn of_mut(&mut self, kind: Kind) -> &mut BTreeMap<String, Item> {
        match kind {
            Kind::Flag => &mut self.flags,
            Kind::Segment => &mut self.segments,
        }
    }
}

/// The change that a message of a stream requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Replace all data.
    Put(DataSet),
    /// Add, change or delete one item, if its version is higher.
    Upsert {
        /// The kind of the item.
        kind: Kind,
        /// Its key.
        key: String,
        /// The new item.
        item: Item,
    },
    /// A change of data that is not kept here.
    UnknownPath,
    /// An unknown event.
    UnknownEvent,
}

/// A message of an event stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The event's name.
    pub event: String,
    /// Its data.
    pub data: String,
}
