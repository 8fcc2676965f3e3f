//! The shrinking of a counterexample.

use core::ops::ControlFlow;
use core::time::Duration;

use retrylab_spec::{ClockChange, Draft, Draw, End, Entry, FirstMessage, Outcome, Play, ServerWait, Then, Timeline};

use crate::cases::can_fail;
use crate::entries::entries;
use crate::plainer::PLAINER;
use crate::repeats::{free_draw, later, self_ending};
use crate::size::Size;

/// A completely shrunk timeline, and the number of timelines tried.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest counterexample found.
    pub timeline: Timeline,
    /// The number of timelines played.
    pub tried: u64,
    /// Whether it was broken off, so that a smaller one may exist.
    pub broken_off: bool,
}

/// Shrinks a timeline as long as `breaks` confirms that it violates the same law, or until `most` timelines were tried:
/// it removes parts, repeats less often, and replaces unusual outcomes by plainer ones and durations by shorter and
/// rounder ones. The rest keeps its draws.
pub fn shrink(timeline: &Timeline, most: u64, mut breaks: impl FnMut(&Timeline) -> bool) -> Shrunk {
    shrink_until(timeline, most, |timeline| ControlFlow::Continue(breaks(timeline)))
}

/// Like [`shrink`](shrink()), until `breaks` breaks off.
pub fn shrink_until(timeline: &Timeline, most: u64, breaks: impl FnMut(&Timeline) -> ControlFlow<(), bool>) -> Shrunk {
    let draft: &Draft = timeline;
    let mut shrinking =
        Shrinking { best: draft.clone(), size: Size::of(draft), breaks, tried: 0, most, broken_off: false };
    loop {
        let before = shrinking.size;
        shrinking.surroundings();
        shrinking.removals();
        shrinking.repeats();
        shrinking.lulls();
        shrinking.outcomes();
        shrinking.spans();
        if shrinking.size == before || shrinking.is_over() {
            break;
        }
    }
    let Shrinking { best, tried, broken_off, .. } = shrinking;
    // The best draft became a timeline before it was played.
    let timeline = Timeline::new(best).unwrap_or_else(|_| timeline.clone());
    Shrunk { timeline, tried, broken_off }
}

pub(crate) struct Shrinking<F> {
    pub(crate) best: Draft,
    size: Size,
    breaks: F,
    tried: u64,
    most: u64,
    broken_off: bool,
}

impl<F: FnMut(&Timeline) -> ControlFlow<(), bool>> Shrinking<F> {
    const fn is_over(&self) -> bool {
        self.broken_off || self.tried >= self.most
    }

    /// Replaces the best draft by one that is smaller and still a counterexample.
    fn accepts(&mut self, draft: Draft) -> bool {
        let size = Size::of(&draft);
        if size >= self.size || self.is_over() {
            return false;
        }
        let Ok(timeline) = Timeline::new(draft) else { return false };
        self.tried += 1;
        match (self.breaks)(&timeline) {
            ControlFlow::Continue(true) => {
                (self.best, self.size) = (timeline.into_draft(), size);
                true
            }
            ControlFlow::Continue(false) => false,
            ControlFlow::Break(()) => {
                self.broken_off = true;
                false
            }
        }
    }

    pub(crate) fn with(&mut self, change: impl FnOnce(&mut Draft)) -> bool {
        if self.is_over() {
            return false;
        }
        let mut draft = self.best.clone();
        change(&mut draft);
        self.accepts(draft)
    }

    fn surroundings(&mut self) {
        self.with(|draft| {
            draft.windows.clear();
            draft.clock.clear();
            (draft.until, draft.stop, draft.wall) = (None, None, None);
            draft.then = Then::Stop;
        });
        for nth in (0..self.best.windows.len()).rev() {
            self.with(|draft| drop(draft.windows.drain(nth..=nth)));
        }
        for nth in (0..self.best.clock.len()).rev() {
            self.with(|draft| drop(draft.clock.drain(nth..=nth)));
        }
        for until in self.best.windows.first().map(|window| window.until).into_iter().chain(OUTAGES) {
            self.with(|draft| {
                if self_ending(draft) {
                    draft.windows.truncate(1);
                    draft.windows[0].until = until;
                    draft.script.clear();
                    draft.then = Then::Succeed;
                }
            });
        }
        self.with(|draft| draft.then = Then::Stop);
        self.with(|draft| draft.until = None);
        self.with(|draft| draft.stop = None);
        self.with(|draft| draft.wall = None);
        for nth in 0..self.best.windows.len() {
            self.with(|draft| draft.windows[nth].cut = None);
        }
        for nth in (0..self.best.windows.len()).rev() {
            self.attempts_for_window(nth);
        }
    }

    /// Replaces an outage by the clock by one or two attempts with its outcome.
    fn attempts_for_window(&mut self, nth: usize) {
        let Some(window) = self.best.windows.get(nth).copied() else { return };
        let (met, again) = (Play::Attempt(window.entry), later(&Play::Attempt(window.entry), 1));
        let mut replacements = vec![vec![met.clone()], vec![met.clone(), again.clone()]];
        if window.cut.is_some() {
            for lasts in [A_MINUTE, window.from] {
                let outcome = Outcome::Up { lasts: Some((lasts, End::Close)), first: FirstMessage::Put };
                let cut = Play::Attempt(Entry { outcome, ..window.entry });
                replacements.extend([vec![cut.clone()], vec![cut, again.clone()]]);
            }
        }
        for attempts in replacements {
            for at_end in [false, true] {
                let shorter = self.with(|draft| {
                    draft.windows.remove(nth);
                    let place = if at_end { draft.script.len() } else { 0 };
                    drop(draft.script.splice(place..place, attempts.clone()));
                });
                if shorter {
                    return;
                }
            }
        }
    }

    /// Removes parts of the script: halves first, single attempts last.
    fn removals(&mut self) {
        let mut chunk = self.best.script.len().div_ceil(2);
        while chunk > 0 {
            let mut from = self.best.script.len();
            while from > 0 {
                let begin = from.saturating_sub(chunk);
                self.with(|draft| drop(draft.script.drain(begin..from)));
                from = begin.min(self.best.script.len());
            }
            chunk /= 2;
        }
    }

    /// Replaces attempts that only let time pass by a long attempt.
    fn lulls(&mut self) {
        let length = self.best.script.len();
        if length > MOST_LULLS {
            return;
        }
        for nth in 0..length {
            for (latency, alone) in LULLS.into_iter().flat_map(|latency| [(latency, true), (latency, false)]) {
                self.with(|draft| {
                    let Some(Play::Repeat { times: 2.., play }) = draft.script.get(nth) else { return };
                    let [Play::Attempt(entry)] = play[..] else { return };
                    let slow = later(&Play::Attempt(Entry { latency, ..entry }), 1);
                    let before = (!alone).then_some(Play::Attempt(entry));
                    drop(draft.script.splice(nth..=nth, before.into_iter().chain([slow])));
                });
            }
        }
        for end in (1..length).rev() {
            for begin in [0, end - 1] {
                for latency in LULLS {
                    self.with(|draft| {
                        if end < draft.script.len() {
                            drop(draft.script.drain(begin..end));
                            if let Some(Play::Attempt(entry)) = draft.script.get_mut(begin) {
                                entry.latency = latency;
                            }
                        }
                    });
                }
            }
        }
    }

    fn outcomes(&mut self) {
        for nth in 0..entries(&mut self.best).count() {
            for plainer in PLAINER {
                let shape = self.best.client.kind.shape();
                let outcome = entries(&mut self.best).nth(nth).and_then(|entry| plainer(&entry.outcome, shape));
                let Some(outcome) = outcome else { continue };
                self.with(|draft| {
                    let free = free_draw(&draft.script);
                    if let Some(entry) = entries(draft).nth(nth) {
                        // An entry that begins to fail must not take the draw of a later failure.
                        if can_fail(&outcome) && !can_fail(&entry.outcome) {
                            entry.draw = entry.draw.or(free.map(Draw::Address));
                        }
                        entry.outcome = outcome;
                    }
                });
            }
            self.with(|draft| entries(draft).nth(nth).into_iter().for_each(|entry| entry.latency = Duration::ZERO));
        }
    }

    /// Makes every duration shorter and rounder.
    fn spans(&mut self) {
        for nth in 0..entries(&mut self.best).count() {
            self.span(|draft| entries(draft).nth(nth).and_then(lasts_mut));
            self.span(|draft| entries(draft).nth(nth).map(|entry| &mut entry.latency));
        }
        for nth in 0..self.best.clock.len() {
            self.span(|draft| Some(&mut draft.clock.get_mut(nth)?.at));
            self.span(|draft| match &mut draft.clock.get_mut(nth)?.change {
                ClockChange::Step(by) | ClockChange::Suspend(by) => Some(by),
                ClockChange::WallStep(_) => None,
            });
        }
        for nth in 0..self.best.windows.len() {
            self.span(|draft| Some(&mut draft.windows.get_mut(nth)?.from));
            self.span(|draft| Some(&mut draft.windows.get_mut(nth)?.until));
        }
        self.span(|draft| draft.until.as_mut());
        self.span(|draft| draft.stop.as_mut());
    }

    fn span(&mut self, mut of: impl FnMut(&mut Draft) -> Option<&mut Duration>) {
        let Some(now) = of(&mut self.best).copied() else { return };
        for shorter in ROUND.map(Duration::from_secs).into_iter().chain(rounded(now)) {
            let mut draft = self.best.clone();
            if let Some(span) = of(&mut draft) {
                *span = shorter;
            }
            if self.accepts(draft) {
                return;
            }
        }
    }
}

/// The lengths tried for an outage: long enough for any doubling ladder, or for any wrapping shift.
pub(crate) const OUTAGES: [Duration; 3] =
    [Duration::from_secs(600), Duration::from_secs(3600), Duration::from_secs(24 * 3600)];

/// The lengths tried for an attempt.
const LULLS: [Duration; 2] = [A_MINUTE, Duration::from_secs(3600)];

const A_MINUTE: Duration = Duration::from_secs(60);

/// Longer scripts get no long attempts.
const MOST_LULLS: usize = 16;

/// The usual durations in seconds, shortest first.
const ROUND: [u64; 14] = [0, 1, 2, 5, 10, 20, 30, 60, 2 * 60, 5 * 60, 10 * 60, 3600, 24 * 3600, 365 * 24 * 3600];

/// The duration rounded to the hour, minute, second and millisecond, up and down.
fn rounded(span: Duration) -> Vec<Duration> {
    let units = [3600 * 1_000_000_000_u128, 60 * 1_000_000_000, 1_000_000_000, 1_000_000];
    let ns = span.as_nanos();
    let wide = |ns: u128| u64::try_from(ns).map_or(span, Duration::from_nanos);
    units.into_iter().flat_map(|unit| [wide(ns / unit * unit), wide(ns.div_ceil(unit) * unit)]).collect()
}

const fn lasts_mut(entry: &mut Entry) -> Option<&mut Duration> {
    match &mut entry.outcome {
        Outcome::Up { lasts: Some((lasts, _)), .. } | Outcome::Idle { lasts, .. } | Outcome::Hang(lasts) => Some(lasts),
        Outcome::Status { retry_after: Some(ServerWait::Delay(asked)), .. } => Some(asked),
        _ => None,
    }
}
