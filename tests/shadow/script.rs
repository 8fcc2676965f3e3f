//! What the attempts of a file meet, one after the other, as the page about timeline files has it.

use retrylab_core::nanos;
use retrylab_spec::{Cursor, Entry, FirstMessage, Outcome, Shape, Then, Timeline};

use crate::draws::Answerer;
use crate::files::MOST_ATTEMPTS;

/// The script of a file with its repeats written out, and how much of it was met.
pub(crate) struct Script {
    entries: Vec<(Entry, Answerer)>,
    met: usize,
    then: Then,
}

impl Script {
    pub(crate) fn new(timeline: &Timeline) -> Self {
        let entries = Cursor::new(&timeline.script)
            .take(MOST_ATTEMPTS)
            .map(|scripted| (*scripted.entry, Answerer::Script(scripted.index, scripted.entry.draw)));
        Self { entries: entries.collect(), met: 0, then: timeline.then }
    }

    /// What an attempt meets that starts now.
    pub(crate) fn next(&mut self, timeline: &Timeline, now: u64) -> Option<(Entry, Answerer)> {
        let covers = |from, until| nanos(from) <= now && now < nanos(until);
        if let Some(index) = timeline.windows.iter().position(|window| covers(window.from, window.until)) {
            let entry = timeline.windows[index].entry;
            return Some((entry, Answerer::Window(index, entry.draw)));
        }
        if let Some(next) = self.entries.get(self.met) {
            self.met += 1;
            return Some(*next);
        }
        match self.then {
            Then::Stop => None,
            Then::RepeatLast => self.entries.last().copied(),
            Then::Succeed => {
                let streams = timeline.client.kind.shape() == Shape::Streaming;
                let outcome = if streams { Outcome::Up { lasts: None, first: FirstMessage::Put } } else { Outcome::Ok };
                Some((Entry::new(outcome), Answerer::Tail))
            }
        }
    }

    /// Whether no further attempt starts.
    pub(crate) fn is_over(&self) -> bool {
        self.met == self.entries.len() && self.then == Then::Stop
    }
}
