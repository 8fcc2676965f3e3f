//! The same run with the address of every draw written down, so that none moves when other parts of the file go.

use retrylab_scenario::{Draft, Outcome, Play, Shape, Timeline};

use super::cases::can_fail;
use super::repeats::later;
use crate::subject::Subject;

/// The same run, in which each entry that can fail says which draw it uses. What cannot be said so, or would make another
/// run, is left as it is: the draws of a subject of its own, and scripts whose
/// failures depend on when attempts are made, as beside a window.
pub(super) fn pinned(subject: &dyn Subject, timeline: &Timeline) -> Timeline {
    let original: &Draft = timeline;
    let mut draft = original.clone();
    let mut pinning = Pinning { next: 0, shape: original.client.kind.shape(), succeeded: false, left: MOST };
    let Some(script) = pinning.script(&original.script) else { return timeline.clone() };
    draft.script = script;
    let Ok(pinned) = Timeline::new(draft) else { return timeline.clone() };
    if pinned == *timeline {
        return pinned;
    }
    let run = |timeline: &Timeline| subject.play(timeline, timeline.seed.unwrap_or(0)).ok();
    match run(timeline) {
        Some(records) if run(&pinned).as_ref() == Some(&records) => pinned,
        _ => timeline.clone(),
    }
}

/// A script that has more parts when it is written out is left as it is.
const MOST: usize = 1000;

struct Pinning {
    /// The turn of the next failure.
    next: u64,
    shape: Shape,
    /// Whether something succeeded, so that a 304 is no failure any more.
    succeeded: bool,
    /// How many parts may still be written.
    left: usize,
}

impl Pinning {
    fn script(&mut self, script: &[Play]) -> Option<Vec<Play>> {
        let mut pinned = Vec::new();
        for play in script {
            self.left = self.left.checked_sub(1)?;
            match play {
                Play::Attempt(entry) => {
                    let mut entry = *entry;
                    if self.fails(&entry.outcome) {
                        entry.draw = entry.draw.or(Some(self.next));
                        self.next += 1;
                    }
                    pinned.push(Play::Attempt(entry));
                }
                Play::Repeat { times, play } => self.repeat(*times, play, &mut pinned)?,
            }
        }
        Some(pinned)
    }

    fn repeat(&mut self, times: u64, play: &[Play], pinned: &mut Vec<Play>) -> Option<()> {
        if let [Play::Attempt(entry)] = play {
            // Its failures are in a row, as what is written of an entry that is repeated says.
            let mut entry = *entry;
            if self.fails(&entry.outcome) {
                entry.draw = entry.draw.or(Some(self.next));
                self.next = self.next.saturating_add(times);
            }
            pinned.push(Play::Repeat { times, play: vec![Play::Attempt(entry)] });
            return Some(());
        }
        if Self::is_pinned(play) {
            let failing = self.failures(play);
            self.next = self.next.saturating_add(failing.saturating_mul(times));
            pinned.push(Play::Repeat { times, play: play.to_vec() });
            return Some(());
        }
        // The turns of one entry among others are not in a row, so each round is written out.
        for round in 0..times {
            let parts: Vec<Play> = play.iter().map(|part| later(part, round)).collect();
            pinned.extend(self.script(&parts)?);
        }
        Some(())
    }

    /// Whether every entry that can fail says its draw.
    fn is_pinned(play: &[Play]) -> bool {
        play.iter().all(|part| match part {
            Play::Attempt(entry) => entry.draw.is_some() || !can_fail(&entry.outcome),
            Play::Repeat { play, .. } => Self::is_pinned(play),
        })
    }

    /// How often a part fails each time it is played.
    fn failures(&mut self, play: &[Play]) -> u64 {
        let mut failures: u64 = 0;
        for part in play {
            failures = failures.saturating_add(match part {
                Play::Attempt(entry) => self.fails(&entry.outcome).into(),
                Play::Repeat { times, play } => self.failures(play).saturating_mul(*times),
            });
        }
        failures
    }

    fn fails(&mut self, outcome: &Outcome) -> bool {
        let unmodified = matches!(outcome, Outcome::Status { status: 304, .. });
        let fails = can_fail(outcome) && !(unmodified && self.shape == Shape::Polling && self.succeeded);
        self.succeeded |= matches!(outcome, Outcome::Ok);
        fails
    }
}
