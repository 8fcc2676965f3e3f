//! The size of a timeline, which shrinking reduces.

use core::time::Duration;

use retrylab_spec::duration::Text;
use retrylab_spec::{ClockChange, Draft, End, Entry, FirstMessage, Outcome, Play, ServerWait, Then};

/// The number of events of a timeline: attempts, with each repeat, changes of the clock, one for the outcomes after the
/// script, and three for a window, for its begin, its effect and its end.
#[must_use]
pub fn events(draft: &Draft) -> u64 {
    let parts = 3 * draft.windows.len() + draft.clock.len() + usize::from(draft.stop.is_some());
    let parts = parts + usize::from(draft.then != Then::Stop);
    attempts(&draft.script).saturating_add(parts as u64)
}

fn attempts(script: &[Play]) -> u64 {
    let of = |play: &Play| match play {
        Play::Attempt(_) => 1,
        Play::Repeat { times, play } => times.saturating_mul(attempts(play)),
    };
    script.iter().map(of).fold(0, u64::saturating_add)
}

/// A measure of a timeline; smaller is simpler. It counts events first, then the text, then the duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Size {
    events: u64,
    odd: u64,
    letters: u64,
    lasts: Duration,
    numbers: u64,
}

impl Size {
    pub(crate) fn of(draft: &Draft) -> Self {
        let mut size = Self { events: events(draft), odd: 0, letters: 0, lasts: Duration::ZERO, numbers: 0 };
        size.script(&draft.script);
        for window in &draft.windows {
            size.entry(&window.entry);
            size.span(window.from);
            size.span(window.until);
            size.odd += 4 + u64::from(window.cut.is_some());
        }
        for event in &draft.clock {
            size.span(event.at);
            match event.change {
                ClockChange::Step(by) | ClockChange::Suspend(by) => size.span(by),
                ClockChange::WallStep(by) => size.span(Duration::from_nanos(by.unsigned_abs())),
            }
        }
        for span in [draft.until, draft.stop].into_iter().flatten() {
            size.odd += 1;
            size.span(span);
        }
        size.odd += u64::from(draft.then != Then::Stop) + u64::from(draft.wall.is_some());
        size
    }

    fn script(&mut self, script: &[Play]) {
        for play in script {
            match play {
                Play::Attempt(entry) => self.entry(entry),
                Play::Repeat { play, .. } => {
                    self.odd += 1;
                    self.script(play);
                }
            }
        }
    }

    fn entry(&mut self, entry: &Entry) {
        if !entry.latency.is_zero() {
            self.odd += 1;
            self.span(entry.latency);
        }
        self.odd += rank(&entry.outcome);
        match entry.outcome {
            Outcome::Up { lasts: Some((lasts, _)), .. } | Outcome::Idle { lasts, .. } | Outcome::Hang(lasts) => {
                self.span(lasts)
            }
            Outcome::Status { status, retry_after } => {
                self.numbers += u64::from(!matches!(status, 401 | 503));
                match retry_after {
                    None => {}
                    Some(ServerWait::Delay(asked)) => {
                        self.odd += 1;
                        self.span(asked);
                    }
                    Some(ServerWait::Header(_)) => self.odd += 2,
                }
            }
            Outcome::Up { lasts: None, .. } | Outcome::Ok | Outcome::Fault(_) | Outcome::Malformed => {}
        }
    }

    fn span(&mut self, span: Duration) {
        self.letters += Text(span).to_string().len() as u64;
        self.lasts = self.lasts.saturating_add(span);
    }
}

/// The distance of an outcome from the plainest failure.
fn rank(outcome: &Outcome) -> u64 {
    let end = |end: End| u64::from(end != End::Close);
    match *outcome {
        // Transient in every classification.
        Outcome::Status { status: 408 | 429 | 500 | 503, .. } => 0,
        // For a poller a success, which needs another one before.
        Outcome::Status { status: 304, .. } => 4,
        Outcome::Status { .. } => 1,
        Outcome::Fault(_) | Outcome::Malformed => 2,
        Outcome::Ok => 3,
        Outcome::Up { lasts, first } => {
            3 + lasts.map_or(0, |(_, how)| end(how)) + u64::from(first == FirstMessage::Patch)
        }
        Outcome::Idle { end: how, .. } => 5 + end(how),
        Outcome::Hang(_) => 6,
    }
}
