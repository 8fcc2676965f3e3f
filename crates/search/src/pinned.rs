//! A timeline with the address of every draw written down, so that none moves when other parts are removed.

use retrylab_spec::{Draft, Draw, Outcome, Play, Shape, Timeline};

use crate::cases::can_fail;
use crate::repeats::later;
use retrylab_laws::Subject;

/// The same run, in which each entry that can fail has the address of its draw. Some parts stay as they are, because
/// the address cannot be written or would change the run: the draws of a subject of its own, and scripts whose failures
/// depend on the times of attempts, as beside a window.
pub(crate) fn pinned(subject: &dyn Subject, timeline: &Timeline) -> Timeline {
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

/// A script that would have too many parts stays as it is.
const MOST: usize = 1000;

struct Pinning {
    /// The address of the next failure.
    next: u64,
    shape: Shape,
    /// Whether there was a success, after which a 304 is no failure.
    succeeded: bool,
    /// The number of parts that may still be written.
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
                        entry.draw = entry.draw.or(Some(Draw::Address(self.next)));
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
            // Its failures are in a row, as the address of a repeated entry means.
            let mut entry = *entry;
            if self.fails(&entry.outcome) {
                entry.draw = entry.draw.or(Some(Draw::Address(self.next)));
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
        // The addresses of one entry among others are not in a row, so each round is written out.
        for round in 0..times {
            let parts: Vec<Play> = play.iter().map(|part| later(part, round)).collect();
            pinned.extend(self.script(&parts)?);
        }
        Some(())
    }

    /// Whether every entry that can fail has an address.
    fn is_pinned(play: &[Play]) -> bool {
        play.iter().all(|part| match part {
            Play::Attempt(entry) => entry.draw.is_some() || !can_fail(&entry.outcome),
            Play::Repeat { play, .. } => Self::is_pinned(play),
        })
    }

    /// The number of failures of a part in each round.
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
