//! The `retry_after` of an error response.

use core::fmt;
use core::time::Duration;

/// The `Retry-After` of an error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerWait {
    /// A duration.
    Delay(Duration),
    /// The text of the header, which the client parses.
    Header(HeaderText),
}

/// The value of a header: visible ASCII with blanks inside, at most [`HeaderText::MOST`] characters. Held by value, so
/// that an entry can be copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HeaderText {
    bytes: [u8; HeaderText::MOST],
    length: u8,
}

impl HeaderText {
    /// The maximum number of characters. The longest date of HTTP has 33.
    pub const MOST: usize = 40;

    /// This text; `None` if it is not a valid value of a header, or too long.
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

    /// Whether it may be a date, whose wait depends on the present date: all three forms contain a time of day.
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
