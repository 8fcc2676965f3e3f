//! Makes a timeline that breaks a law as small as it gets.

use core::ops::ControlFlow;
use core::time::Duration;

use retrylab_scenario::{ClockChange, Draft, End, Entry, FirstMessage, Outcome, Play, ServerWait, Then, Timeline};

use super::cases::can_fail;
use super::place::{Place, entries, entry_mut};
use super::plainer::PLAINER;
use super::repeats::{free_draw, later, self_ending};
use super::size::Size;

/// A timeline that cannot be made smaller, and how many were tried.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest timeline found that still breaks.
    pub timeline: Timeline,
    /// How many timelines were played on the way.
    pub tried: u64,
    /// Whether it was broken off, so that a smaller one may be found.
    pub broken_off: bool,
}

/// Makes a timeline smaller for as long as `breaks` says that it breaks the same law, or `most` timelines were tried: removes
/// what can go, repeats less often, puts plainer outcomes in the place of odd ones, and shorter and rounder durations in the
/// place of others. What stays keeps the draws that it had.
pub fn shrink(timeline: &Timeline, most: u64, mut breaks: impl FnMut(&Timeline) -> bool) -> Shrunk {
    shrink_until(timeline, most, |timeline| ControlFlow::Continue(breaks(timeline)))
}

/// As [`shrink`](shrink()), until `breaks` breaks off instead of saying anything of a timeline.
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
    // What is best was made a timeline before it was played.
    let timeline = Timeline::new(best).unwrap_or_else(|_| timeline.clone());
    Shrunk { timeline, tried, broken_off }
}

pub(super) struct Shrinking<F> {
    pub(super) best: Draft,
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

    /// Takes a draft in the place of the best one if it is smaller and still breaks.
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

    pub(super) fn with(&mut self, change: impl FnOnce(&mut Draft)) -> bool {
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
            self.with(|draft| {
                draft.windows.remove(nth);
            });
        }
        for nth in (0..self.best.clock.len()).rev() {
            self.with(|draft| {
                draft.clock.remove(nth);
            });
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

    /// In the place of an outage by the clock, one or two attempts that meet what it does.
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

    /// In the place of attempts that only let time pass, an attempt that takes long.
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
        for place in self.places() {
            for plainer in PLAINER {
                let outcome = self.entry(&place).map(|entry| entry.outcome);
                let Some(outcome) = outcome.and_then(|outcome| plainer(&outcome, self.best.client.kind.shape())) else {
                    continue;
                };
                self.with(|draft| {
                    let free = free_draw(&draft.script);
                    if let Some(entry) = entry_mut(draft, &place) {
                        // What begins to fail must not take the draw of what fails after it.
                        if can_fail(&outcome) && !can_fail(&entry.outcome) {
                            entry.draw = entry.draw.or(free);
                        }
                        entry.outcome = outcome;
                    }
                });
            }
            self.with(|draft| {
                if let Some(entry) = entry_mut(draft, &place) {
                    entry.latency = Duration::ZERO;
                }
            });
        }
    }

    /// Makes every duration shorter, and rounder.
    fn spans(&mut self) {
        for place in self.places() {
            self.span(|draft| entry_mut(draft, &place).and_then(lasts_mut));
            self.span(|draft| entry_mut(draft, &place).map(|entry| &mut entry.latency));
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
        for shorter in ROUND.into_iter().chain(rounded(now)) {
            let mut draft = self.best.clone();
            if let Some(span) = of(&mut draft) {
                *span = shorter;
            }
            if self.accepts(draft) {
                return;
            }
        }
    }

    /// Where the entries are, windows included.
    fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (nth, play) in self.best.script.iter().enumerate() {
            places.extend(entries(play).into_iter().map(|inner| Place::Script(nth, inner)));
        }
        places.extend((0..self.best.windows.len()).map(Place::Window));
        places
    }

    fn entry(&mut self, place: &Place) -> Option<Entry> {
        entry_mut(&mut self.best, place).map(|entry| *entry)
    }
}

/// How long an outage is tried to be: long enough for any ladder that doubles, or for any that wraps.
pub(super) const OUTAGES: [Duration; 3] =
    [Duration::from_secs(600), Duration::from_secs(3600), Duration::from_secs(24 * 3600)];

/// How long an attempt is tried to take.
const LULLS: [Duration; 2] = [A_MINUTE, Duration::from_secs(3600)];

const A_MINUTE: Duration = Duration::from_secs(60);

/// Scripts of more parts have no lulls made in them.
const MOST_LULLS: usize = 16;

/// Durations that people write, shortest first.
const ROUND: [Duration; 14] = {
    const S: u64 = 1;
    const M: u64 = 60;
    const H: u64 = 3600;
    let spans = [0, S, 2 * S, 5 * S, 10 * S, 20 * S, 30 * S, M, 2 * M, 5 * M, 10 * M, H, 24 * H, 365 * 24 * H];
    let mut round = [Duration::ZERO; 14];
    let mut nth = 0;
    while nth < round.len() {
        round[nth] = Duration::from_secs(spans[nth]);
        nth += 1;
    }
    round
};

/// The same to the hour, minute, second and millisecond, up and down.
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
