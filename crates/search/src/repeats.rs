//! Repeated parts of a script: with fewer repeats, written out, or replaced by an outage by the clock.

use core::ops::ControlFlow;
use core::time::Duration;

use retrylab_spec::{Draft, Draw, Entry, Play, Shape, Then, Timeline, Window};

use crate::shrink::{OUTAGES, Shrinking};

impl<F: FnMut(&Timeline) -> ControlFlow<(), bool>> Shrinking<F> {
    pub(crate) fn repeats(&mut self) {
        for nth in (0..self.best.script.len()).rev() {
            self.repeat(nth);
        }
    }

    /// Repeats part `nth` of the script less often, or writes it out and removes entries.
    fn repeat(&mut self, nth: usize) {
        let Some(Play::Repeat { times, play }) = self.best.script.get(nth).cloned() else { return };
        for inner in (0..play.len()).rev() {
            if play.len() > 1 {
                let part: Vec<Play> =
                    play.iter().enumerate().filter(|(at, _)| *at != inner).map(|(_, p)| p.clone()).collect();
                if self.with(|draft| draft.script[nth] = Play::Repeat { times, play: part }) {
                    return self.repeat(nth);
                }
            }
        }
        for fewer in 1..times.min(WRITTEN_OUT) {
            if self.with(|draft| draft.script[nth] = repeated(fewer, play.clone())) {
                return self.write_out(nth);
            }
        }
        // The breach may need the draw of a later round.
        for fewer in 1..times.min(WRITTEN_OUT) {
            let last: Vec<Play> = play.iter().map(|part| later(part, times - fewer)).collect();
            if last != play && self.with(|draft| draft.script[nth] = repeated(fewer, last)) {
                return self.write_out(nth);
            }
        }
        // With many repeats, the breach is assumed to exist from some number on; halving finds the smallest.
        let (mut low, mut high) = (1, times);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.with(|draft| draft.script[nth] = repeated(middle, play.clone())) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        match self.best.script.get(nth) {
            Some(Play::Repeat { times, .. }) if *times <= WRITTEN_OUT => self.write_out(nth),
            Some(_) => self.outage(nth),
            None => {}
        }
    }

    /// Replaces many failures in a row by an outage by the clock and one failure.
    fn outage(&mut self, nth: usize) {
        let Some(Play::Repeat { times, play }) = self.best.script.get(nth).cloned() else { return };
        let ([Play::Attempt(entry)], true, true) =
            (&play[..], self.best.windows.is_empty(), self.best.client.kind.shape() != Shape::Call)
        else {
            return;
        };
        let last = later(&Play::Attempt(*entry), times.saturating_sub(1));
        for until in OUTAGES {
            let window = Window { from: Duration::ZERO, until, entry: *entry, cut: None };
            let shorter = self.with(|draft| {
                draft.windows.push(window);
                if self_ending(draft) {
                    draft.script.remove(nth);
                    draft.then = Then::Succeed;
                } else {
                    draft.script[nth] = last.clone();
                }
            });
            if shorter {
                return;
            }
        }
    }

    /// Writes few repeats out, each with its draws, and tries fewer.
    fn write_out(&mut self, nth: usize) {
        let Some(Play::Repeat { times, play }) = self.best.script.get(nth).cloned() else { return };
        let copies: Vec<Play> = (0..times).flat_map(|round| play.iter().map(move |part| later(part, round))).collect();
        for without in 0..copies.len() {
            let mut left = copies.clone();
            left.remove(without);
            if self.with(|draft| drop(draft.script.splice(nth..=nth, left))) {
                return;
            }
        }
    }
}

fn repeated(times: u64, mut play: Vec<Play>) -> Play {
    match (times, play.len()) {
        (1, 1) => play.remove(0),
        _ => Play::Repeat { times, play },
    }
}

/// A part in its round `round`: with the addresses of its draws moved accordingly.
pub(crate) fn later(part: &Play, round: u64) -> Play {
    match part {
        Play::Attempt(entry) => Play::Attempt(Entry { draw: entry.draw.map(|draw| draw.later(round)), ..*entry }),
        // Each of its entries has failed this often in every earlier round.
        Play::Repeat { times, play } => {
            let by = round.wrapping_mul(*times);
            Play::Repeat { times: *times, play: play.iter().map(|part| later(part, by)).collect() }
        }
    }
}

/// Whether a run that keeps succeeding ends by itself: for a stream it is one connection that stays up.
pub(crate) fn self_ending(draft: &Draft) -> bool {
    !draft.windows.is_empty() && draft.client.kind.shape() == Shape::Streaming
}

/// The maximum number of repeats that are written out.
const WRITTEN_OUT: u64 = 8;

/// An address beyond those of the script's entries; `None` if no entry has one.
pub(crate) fn free_draw(script: &[Play]) -> Option<u64> {
    /// The first address after those of a part that is played this many times.
    fn after(play: &Play, times: u64) -> Option<u64> {
        match play {
            Play::Attempt(Entry { draw: Some(Draw::Address(first)), .. }) => Some(first.saturating_add(times)),
            Play::Attempt(_) => None,
            Play::Repeat { times: again, play } => {
                play.iter().filter_map(|part| after(part, times.saturating_mul(*again))).max()
            }
        }
    }
    script.iter().filter_map(|part| after(part, 1)).max()
}
