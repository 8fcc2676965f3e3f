//! The parser of event streams.

use core::fmt;
use core::num::NonZeroUsize;
use core::time::Duration;

use sse_core::{SseDecoder, SseEvent};

use crate::data::Message;

/// The default maximum size of an event, in bytes: 64 MiB.
pub const EVENT_LIMIT: NonZeroUsize = NonZeroUsize::new(64 << 20).unwrap();

/// Parses an event stream piece by piece, wherever the pieces are cut. Its memory is at most a few times its limit.
///
/// ```
/// use retrylab_source::{EventReader, StreamEvent, Message};
///
/// let mut reader = EventReader::new();
/// let mut heard = Vec::new();
/// for piece in [&b": heartbeat\r\nevent: pu"[..], b"t\r\ndata: {}\r", b"\n\r\nretry: 2000\n\n"] {
///     reader.read(piece, |event| heard.push(event))?;
/// }
/// assert_eq!(heard, [
///     StreamEvent::Message(Message { event: "put".into(), data: "{}".into() }),
///     StreamEvent::Retry(std::time::Duration::from_secs(2)),
/// ]);
/// # Ok::<(), retrylab_source::EventTooLarge>(())
/// ```
#[derive(Clone)]
pub struct EventReader {
    decoder: SseDecoder,
    limit: NonZeroUsize,
}

/// An event of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// A message. Its default name is `message`.
    Message(Message),
    /// The `retry:` field: the wait after this stream.
    Retry(Duration),
}

/// An error: an event is larger than the limit.
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
    /// A parser with the limit [`EVENT_LIMIT`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with this limit, in bytes of one event.
    #[must_use]
    pub fn with_limit(limit: NonZeroUsize) -> Self {
        Self { decoder: SseDecoder::with_limit(limit), limit }
    }

    /// Parses a piece and emits the complete events.
    ///
    /// # Errors
    ///
    /// If an event is larger than the limit. The parser is unusable afterwards.
    pub fn read(&mut self, mut piece: &[u8], mut heard: impl FnMut(StreamEvent)) -> Result<(), EventTooLarge> {
        while let Some(event) = self.decoder.next(&mut piece) {
            heard(match event.map_err(|_| EventTooLarge { limit: self.limit })? {
                SseEvent::Message(message) => {
                    StreamEvent::Message(Message { event: message.event.into_owned(), data: message.data })
                }
                SseEvent::Retry(milliseconds) => StreamEvent::Retry(Duration::from_millis(u64::from(milliseconds))),
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
