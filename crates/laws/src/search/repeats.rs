//! Parts of a script that are repeated: repeated less often, written out, or an outage by the clock instead.

use core::ops::ControlFlow;
use core::time::Duration;

use retrylab_scenario::{Draft, Entry, Play, Shape, Then, Timeline, Window};

use super::shrink::{OUTAGES, Shrinking};

impl<F: FnMut(&Timeline) -> ControlFlow<(), bool>> Shrinking<F> {
    pub(super) fn repeats(&mut self) {
        for nth in (0..self.best.script.len()).rev() {
            self.repeat(nth);
        }
    }

    /// Repeats part `nth` of the script less often, or writes it out and removes what can go.
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
        // What breaks may be the draw of a round that is not among the first.
        for fewer in 1..times.min(WRITTEN_OUT) {
            let last: Vec<Play> = play.iter().map(|part| later(part, times - fewer)).collect();
            if last != play && self.with(|draft| draft.script[nth] = repeated(fewer, last)) {
                return self.write_out(nth);
            }
        }
        // Of many, breaking is taken to be so from some number on; the least is found by halving.
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

    /// In the place of many failures in a row, an outage by the clock and one failure.
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

    /// A few repeats are written out, each with the draws that it has, and less of them is tried.
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

/// A part as its repeat number `round` plays it: with the addresses of its draws that far on.
pub(super) fn later(part: &Play, round: u64) -> Play {
    match part {
        Play::Attempt(entry) => {
            Play::Attempt(Entry { draw: entry.draw.map(|draw| draw.wrapping_add(round)), ..*entry })
        }
        // Each of its entries has failed so often in every round before.
        Play::Repeat { times, play } => {
            let by = round.wrapping_mul(*times);
            Play::Repeat { times: *times, play: play.iter().map(|part| later(part, by)).collect() }
        }
    }
}

/// Whether a run that is left to succeed ends by itself: of a stream it is one connection that stays up.
pub(super) fn self_ending(draft: &Draft) -> bool {
    !draft.windows.is_empty() && draft.client.kind.shape() == Shape::Streaming
}

/// More repeats than this are not written out.
const WRITTEN_OUT: u64 = 8;

/// A draw that no entry of a script uses whose failures say which they use; `None` where none says so.
pub(super) fn free_draw(script: &[Play]) -> Option<u64> {
    /// The first draw after those of a part that is played so many times.
    fn after(play: &Play, times: u64) -> Option<u64> {
        match play {
            Play::Attempt(entry) => entry.draw.map(|draw| draw.saturating_add(times)),
            Play::Repeat { times: again, play } => {
                play.iter().filter_map(|part| after(part, times.saturating_mul(*again))).max()
            }
        }
    }
    script.iter().filter_map(|part| after(part, 1)).max()
}
