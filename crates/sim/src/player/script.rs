//! The rest of a file's script, its tail included.

use retrylab_spec::{Cursor, Draft, Entry, FirstMessage, Outcome, Shape, Then};

use super::draws::Answerer;

/// The entries in their order, as attempts take them.
#[derive(Debug)]
pub(super) struct Script<'a> {
    cursor: Cursor<'a>,
    next: Option<(&'a Entry, Answerer)>,
    /// The last entry, for `then = "repeat-last"`.
    last: Option<(&'a Entry, Answerer)>,
    then: Then,
    succeed: &'static Entry,
}

/// A poll or a call that succeeds.
pub(super) static SUCCEED: Entry = Entry::new(Outcome::Ok);
static SUCCEED_STREAM: Entry = Entry::new(Outcome::Up { lasts: None, first: FirstMessage::Put });

impl<'a> Script<'a> {
    pub(super) fn new(timeline: &'a Draft) -> Self {
        let succeed = match timeline.client.kind.shape() {
            Shape::Streaming => &SUCCEED_STREAM,
            Shape::Polling | Shape::Call => &SUCCEED,
        };
        let mut script =
            Self { cursor: Cursor::new(&timeline.script), next: None, last: None, then: timeline.then, succeed };
        script.read();
        script
    }

    /// The entry of the next attempt; `None` if none is left.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(&'a Entry, Answerer)> {
        match self.next {
            Some(entry) => {
                self.last = Some(entry);
                self.read();
                Some(entry)
            }
            None => match self.then {
                Then::Stop => None,
                Then::RepeatLast => self.last,
                Then::Succeed => Some((self.succeed, Answerer::Tail)),
            },
        }
    }

    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.next.is_none() && self.then == Then::Stop
    }

    #[inline]
    fn read(&mut self) {
        self.next =
            self.cursor.next().map(|scripted| (scripted.entry, Answerer::Script(scripted.index, scripted.entry.draw)));
    }
}
