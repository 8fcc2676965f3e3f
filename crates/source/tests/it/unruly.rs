//! Foreign code that fails in every possible way.

use retrylab_source::{Change, DataSet, Decode, DecodeError, Item, Kind, Message, Store, StoreError};

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It returns an error.
    Error,
    /// It panics with a text.
    Panic,
    /// It panics with something that panics when it is dropped.
    PanicTwice,
}

impl How {
    fn happen(self) -> Result<(), StoreError> {
        struct PanicsWhenDropped;
        impl Drop for PanicsWhenDropped {
            fn drop(&mut self) {
                panic!("dropped");
            }
        }
        match self {
            Self::Error => Err(StoreError("disk full".to_owned())),
            Self::Panic => panic!("disk on fire"),
            Self::PanicTwice => std::panic::panic_any(PanicsWhenDropped),
        }
    }
}

/// Keeps nothing.
pub(crate) struct NoStore(pub(crate) How);

impl Store for NoStore {
    fn init(&self, _: DataSet) -> Result<(), StoreError> {
        self.0.happen()
    }

    fn upsert(&self, _: Kind, _: &str, _: Item) -> Result<bool, StoreError> {
        self.0.happen().map(|()| false)
    }

    fn is_initialized(&self) -> bool {
        false
    }
}

/// Keeps data, and fails in this way.
pub(crate) struct Forgetful(pub(crate) fn() -> bool);

impl Store for Forgetful {
    fn init(&self, _: DataSet) -> Result<(), StoreError> {
        Ok(())
    }

    fn upsert(&self, _: Kind, _: &str, _: Item) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn is_initialized(&self) -> bool {
        (self.0)()
    }
}

/// Decodes nothing; `None`: the event is unknown.
pub(crate) struct NoDecoder(pub(crate) Option<How>);

impl Decode for NoDecoder {
    fn message(&self, _: &Message) -> Result<Change, DecodeError> {
        match self.0 {
            None => Ok(Change::UnknownEvent),
            Some(how) => Err(not_json(how)),
        }
    }

    fn body(&self, _: &[u8]) -> Result<DataSet, DecodeError> {
        match self.0 {
            None => Ok(DataSet::default()),
            Some(how) => Err(not_json(how)),
        }
    }
}

fn not_json(how: How) -> DecodeError {
    let text = how.happen().err().map(|error| error.to_string());
    DecodeError::NotJson(text.unwrap_or_default())
}
