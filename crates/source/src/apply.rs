//! Foreign code, kept at arm's length: a decoder and a store may fail in any way, and the source only hears of it.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::data::{Change, Message};
use crate::decode::{Decode, DecodeError};
use crate::store::{Store, StoreError};

/// What became of data that was handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applied {
    /// Everything was replaced.
    Put {
        /// How many flags there are.
        flags: usize,
        /// How many segments there are.
        segments: usize,
    },
    /// One item was changed, or found to be newer already.
    Upsert,
    /// It is about nothing that is kept here.
    UnknownPath,
    /// It is nothing that is known here.
    UnknownEvent,
}

/// Why data was not handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// It cannot be parsed.
    NotJson(String),
    /// It lacks something, or what should have read it panicked.
    WrongShape(String),
    /// The store failed or panicked.
    Store(String),
}

impl From<DecodeError> for Rejected {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::NotJson(_) => Self::NotJson(error.to_string()),
            DecodeError::WrongShape { .. } => Self::WrongShape(error.to_string()),
        }
    }
}

impl From<StoreError> for Rejected {
    fn from(error: StoreError) -> Self {
        Self::Store(error.to_string())
    }
}

/// Reads a message and stores what it asks for. Never panics, whatever the decoder and the store do.
///
/// # Errors
///
/// If it was not handled.
pub fn apply_message(decoder: &dyn Decode, store: &dyn Store, message: &Message) -> Result<Applied, Rejected> {
    let change = guarded(|| decoder.message(message)).map_err(Rejected::WrongShape)??;
    let stored =
        |store: Result<Result<(), StoreError>, String>| store.map_err(Rejected::Store)?.map_err(Rejected::from);
    match change {
        Change::Put(data) => {
            let put = Applied::Put { flags: data.flags.len(), segments: data.segments.len() };
            stored(guarded(|| store.init(data))).map(|()| put)
        }
        Change::Upsert { kind, key, item } => {
            stored(guarded(|| store.upsert(kind, &key, item).map(drop))).map(|()| Applied::Upsert)
        }
        Change::UnknownPath => Ok(Applied::UnknownPath),
        Change::UnknownEvent => Ok(Applied::UnknownEvent),
    }
}

/// Reads the body of a poll and stores it. Never panics, whatever the decoder and the store do.
///
/// # Errors
///
/// If it was not handled.
pub fn apply_body(decoder: &dyn Decode, store: &dyn Store, body: &[u8]) -> Result<(), Rejected> {
    let data = guarded(|| decoder.body(body)).map_err(Rejected::WrongShape)??;
    guarded(|| store.init(data)).map_err(Rejected::Store)?.map_err(Rejected::from)
}

/// Asks the store. Never panics.
///
/// # Errors
///
/// What it panicked with.
pub fn is_initialized(store: &dyn Store) -> Result<bool, String> {
    guarded(|| store.is_initialized())
}

/// Calls foreign code; a panic is an error with its text. Nothing gets out, not even what the panic carries.
///
/// # Errors
///
/// The text of the panic.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    // Whatever the call left half done is its owner's: nothing of ours is borrowed mutably by it.
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = format!("panicked: {}", text.unwrap_or("no text"));
        // What the panic carried is foreign, too: it may panic where it is dropped, and so may what that carries.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            mem::forget(again);
        }
        text
    })
}
