//! What an error response says of when to come back.

use core::fmt;
use core::time::Duration;

/// What an error response asks for with `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerWait {
    /// A wait of this length, read already.
    Delay(Duration),
    /// The text of the header, which the client has to read.
    Header(HeaderText),
}

/// The value of a header, as it was sent: visible ASCII with blanks inside, at most [`HeaderText::MOST`] characters.
/// Held by value, so that an entry is copied as freely as any other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HeaderText {
    bytes: [u8; HeaderText::MOST],
    length: u8,
}

impl HeaderText {
    /// The most characters. The longest date that HTTP knows has 33.
    pub const MOST: usize = 40;

    /// This text; `None` if a header cannot have it as its value, or if it is too long.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        let sendable = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text;
        let length = u8::try_from(text.len()).ok()?;
        sendable.then_some(Self { bytes, length })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only ASCII gets in.
        core::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    /// Whether it can be a date, whose wait depends on the date at which it is read: all three forms have a time of day
    /// in them.
    #[must_use]
    pub fn may_be_a_date(&self) -> bool {
        self.as_str().contains(':')
    }
}

impl fmt::Debug for HeaderText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
