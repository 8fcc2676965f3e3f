//! What the script of a file still holds, its tail included.

use core::time::Duration;

use retrylab_scenario::{Cursor, Draft, Entry, FirstMessage, Outcome, Shape, Then};

use super::draws::Answerer;

/// The entries in their order, as attempts take them.
#[derive(Debug)]
pub(super) struct Script<'a> {
    cursor: Cursor<'a>,
    next: Option<(Entry, Answerer)>,
    /// The entry that answered last, for `then = "repeat-last"`.
    last: Option<(Entry, Answerer)>,
    then: Then,
    succeed: Entry,
}

/// A poll or a call that succeeds.
pub(super) const SUCCEED: Entry = Entry { outcome: Outcome::Ok, latency: Duration::ZERO, draw: None };
const SUCCEED_STREAM: Entry = Entry { outcome: Outcome::Up { lasts: None, first: FirstMessage::Put }, ..SUCCEED };

impl<'a> Script<'a> {
    pub(super) fn new(timeline: &'a Draft) -> Self {
        let succeed = match timeline.client.kind.shape() {
            Shape::Streaming => SUCCEED_STREAM,
            Shape::Polling | Shape::Call => SUCCEED,
        };
        let mut script =
            Self { cursor: Cursor::new(&timeline.script), next: None, last: None, then: timeline.then, succeed };
        script.read();
        script
    }

    /// What the next attempt meets; `None`: there is nothing left.
    pub(super) fn take(&mut self) -> Option<(Entry, Answerer)> {
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

    pub(super) fn is_over(&self) -> bool {
        self.next.is_none() && self.then == Then::Stop
    }

    fn read(&mut self) {
        self.next =
            self.cursor.next().map(|scripted| (scripted.entry, Answerer::Script(scripted.index, scripted.entry.draw)));
    }
}
