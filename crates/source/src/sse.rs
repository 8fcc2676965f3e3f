//! From the bytes of an event stream to its messages.

use core::fmt;
use core::num::NonZeroUsize;
use core::time::Duration;

use sse_core::{SseDecoder, SseEvent};

use crate::data::Message;

/// The largest event that a stream may bring, unless it says otherwise, in bytes: 64 MiB.
pub const EVENT_LIMIT: NonZeroUsize = NonZeroUsize::new(64 << 20).unwrap();

/// Reads an event stream piece by piece, wherever the pieces are cut. It holds a few times its limit at most.
///
/// ```
/// use retrylab_source::{EventReader, Heard, Message};
///
/// let mut reader = EventReader::new();
/// let mut heard = Vec::new();
/// for piece in [&b": heartbeat\r\nevent: pu"[..], b"t\r\ndata: {}\r", b"\n\r\nretry: 2000\n\n"] {
///     reader.read(piece, |event| heard.push(event))?;
/// }
/// assert_eq!(heard, [
///     Heard::Message(Message { event: "put".into(), data: "{}".into() }),
///     Heard::Retry(std::time::Duration::from_secs(2)),
/// ]);
/// # Ok::<(), retrylab_source::EventTooLarge>(())
/// ```
#[derive(Clone)]
pub struct EventReader {
    decoder: SseDecoder,
    limit: NonZeroUsize,
}

/// What an event stream says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message. Its name is `message` if it has none.
    Message(Message),
    /// How long to wait after this stream.
    Retry(Duration),
}

/// An event that is larger than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTooLarge {
    /// The limit, in bytes.
    pub limit: NonZeroUsize,
}

impl fmt::Display for EventTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an event is larger than the {} bytes that are allowed", self.limit)
    }
}

impl std::error::Error for EventTooLarge {}

impl Default for EventReader {
    fn default() -> Self {
        Self::with_limit(EVENT_LIMIT)
    }
}

impl EventReader {
    /// A reader with the limit [`EVENT_LIMIT`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader with a limit of its own, in bytes of one event.
    #[must_use]
    pub fn with_limit(limit: NonZeroUsize) -> Self {
        Self { decoder: SseDecoder::with_limit(limit), limit }
    }

    /// Reads a piece and hands out what is complete.
    ///
    /// # Errors
    ///
    /// If an event is larger than the limit. The stream is of no more use then.
    pub fn read(&mut self, mut piece: &[u8], mut heard: impl FnMut(Heard)) -> Result<(), EventTooLarge> {
        while let Some(event) = self.decoder.next(&mut piece) {
            heard(match event.map_err(|_| EventTooLarge { limit: self.limit })? {
                SseEvent::Message(message) => {
                    Heard::Message(Message { event: message.event.into_owned(), data: message.data })
                }
                SseEvent::Retry(milliseconds) => Heard::Retry(Duration::from_millis(u64::from(milliseconds))),
            });
        }
        Ok(())
    }
}

impl fmt::Debug for EventReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").field("limit", &self.limit).finish_non_exhaustive()
    }
}
