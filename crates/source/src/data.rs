//! What a source carries: versioned items, put, patched and deleted.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// What an item is.
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

/// An item, or the memory of one that was deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Only a higher version replaces it.
    pub version: u64,
    /// The item as the server has it; `None`: deleted.
    pub value: Option<Arc<Value>>,
}

impl Item {
    /// An item that is there.
    #[must_use]
    pub fn new(version: u64, value: Value) -> Self {
        Self { version, value: Some(Arc::new(value)) }
    }

    /// An item that was deleted at this version.
    #[must_use]
    pub const fn tombstone(version: u64) -> Self {
        Self { version, value: None }
    }
}

/// Everything the server has, by kind and key.
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

    /// The items of a kind, to be changed.
    pub const fn of_mut(&mut self, kind: Kind) -> &mut BTreeMap<String, Item> {
        match kind {
            Kind::Flag => &mut self.flags,
            Kind::Segment => &mut self.segments,
        }
    }
}

/// What a message of a stream asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Everything is replaced.
    Put(DataSet),
    /// One item is added, changed or deleted, if its version is higher.
    Upsert {
        /// What it is.
        kind: Kind,
        /// Its key.
        key: String,
        /// What it becomes.
        item: Item,
    },
    /// Nothing that is kept here.
    UnknownPath,
    /// Nothing that is known here.
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
