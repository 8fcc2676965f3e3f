//! The boundary to foreign code: a decoder or a store may fail in any way, and the source gets an error.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use retrylab_core::Fault;

use crate::data::{Change, Message};
use crate::decode::{Decode, DecodeError};
use crate::store::{Store, StoreError};

/// The effect of data that was handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applied {
    /// Everything was replaced.
    Put {
        /// The number of flags.
        flags: usize,
        /// The number of segments.
        segments: usize,
    },
    /// One item was changed, or was already newer.
    Upsert,
    /// The message concerns data that is not kept here.
    UnknownPath,
    /// The message is of an unknown kind.
    UnknownEvent,
}

/// The reason why data was not handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// It cannot be parsed.
    NotJson(String),
    /// A required part is missing, or the decoder panicked.
    WrongShape(String),
    /// The store failed or panicked.
    Store(String),
}

impl Rejected {
    /// The fault that a source records for it.
    #[inline]
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::NotJson(_) => Fault::Malformed,
            Self::WrongShape(_) => Fault::MissingKey,
            Self::Store(_) => Fault::Store,
        }
    }
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

/// Decodes a message and stores its change. Never panics, whatever the decoder and the store do.
///
/// # Errors
///
/// If decoding or storing fails.
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

/// Decodes the body of a poll and stores it. Never panics, whatever the decoder and the store do.
///
/// # Errors
///
/// If decoding or storing fails.
pub fn apply_body(decoder: &dyn Decode, store: &dyn Store, body: &[u8]) -> Result<(), Rejected> {
    let data = guarded(|| decoder.body(body)).map_err(Rejected::WrongShape)??;
    guarded(|| store.init(data)).map_err(Rejected::Store)?.map_err(Rejected::from)
}

/// Asks the store whether it has data. Never panics.
///
/// # Errors
///
/// The text of the store's panic.
pub fn is_initialized(store: &dyn Store) -> Result<bool, String> {
    guarded(|| store.is_initialized())
}

/// Calls foreign code and turns a panic into an error with its text. The payload of the panic is dropped here too.
///
/// # Errors
///
/// The text of the panic.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    // A panic leaves only the owner's data half done: the call borrows nothing of this crate mutably.
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = format!("panicked: {}", text.unwrap_or("no text"));
        // The payload of the panic is foreign too: dropping it, or what it contains, may panic.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            mem::forget(again);
        }
        text
    })
}
