//! Iteration over a script, without writing its repeats out.

use crate::model::{Entry, Play};

/// One attempt of a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scripted<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// The number of the entry in the file, from 0 in the order written; a repeated entry keeps its number.
    pub index: usize,
}

/// Iterates over a script. A repeat of a billion costs no memory.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    /// Enclosing parts, outermost first.
    stack: Vec<Frame<'a>>,
}

#[derive(Clone, Debug)]
struct Frame<'a> {
    play: &'a [Play],
    /// Index of the first entry of `play`.
    first_index: usize,
    position: usize,
    /// Index of the entry at `position`.
    index: usize,
    /// Rounds left after this one.
    rounds_left: u64,
}

impl<'a> Cursor<'a> {
    /// At the start of `script`.
    #[must_use]
    pub fn new(script: &'a [Play]) -> Self {
        Self { stack: vec![Frame { play: script, first_index: 0, position: 0, index: 0, rounds_left: 0 }] }
    }
}

impl<'a> Iterator for Cursor<'a> {
    type Item = Scripted<'a>;

    #[inline]
    fn next(&mut self) -> Option<Scripted<'a>> {
        loop {
            let frame = self.stack.last_mut()?;
            let Some(part) = frame.play.get(frame.position) else {
                if frame.rounds_left > 0 {
                    frame.rounds_left -= 1;
                    frame.position = 0;
                    frame.index = frame.first_index;
                } else {
                    self.stack.pop();
                }
                continue;
            };
            frame.position += 1;
            let index = frame.index;
            match part {
                Play::Attempt(entry) => {
                    frame.index += 1;
                    return Some(Scripted { entry, index });
                }
                Play::Repeat { times: 0, play } => frame.index += entries(play),
                Play::Repeat { times, play } => {
                    frame.index += entries(play);
                    let rounds_left = times - 1;
                    self.stack.push(Frame { play, first_index: index, position: 0, index, rounds_left });
                }
            }
        }
    }
}

/// The number of entries written in `play`, each counted once, whatever its repeats.
#[must_use]
pub(crate) fn entries(play: &[Play]) -> usize {
    play.iter()
        .map(|part| match part {
            Play::Attempt(_) => 1,
            Play::Repeat { play, .. } => entries(play),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Outcome;

    fn status(status: u16) -> Play {
        Play::Attempt(Entry {
            outcome: Outcome::Status { status, retry_after: None },
            latency: core::time::Duration::ZERO,
            draw: None,
        })
    }

    #[test]
    fn nested_repeats_play_inside_out_and_keep_their_entry_numbers() {
        let inner = Play::Repeat { times: 2, play: vec![status(501), status(502)] };
        let script = [status(500), Play::Repeat { times: 2, play: vec![inner, status(503)] }, status(504)];
        let read: Vec<_> = Cursor::new(&script)
            .map(|s| match s.entry.outcome {
                Outcome::Status { status, .. } => (status, s.index),
                _ => (0, s.index),
            })
            .collect();
        let round = [(501, 1), (502, 2), (501, 1), (502, 2), (503, 3)];
        let expected: Vec<_> = [(500, 0)].into_iter().chain(round).chain(round).chain([(504, 4)]).collect();
        assert_eq!(read, expected);
        assert_eq!(entries(&script), 5);
    }
}
