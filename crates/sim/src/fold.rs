//! Folds repeats, so that a virtual year of failures is a page and not a million lines.

use std::collections::VecDeque;

use retrylab_core::{FailureKind, Regime};

use crate::record::{Event, Record};

/// A cycle is folded from this many repeats on.
const LEAST_REPEATS: usize = 8;
/// The longest cycle that is noticed, in records.
const LONGEST_CYCLE: usize = 16;

/// One line of a folded trace.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A record as it is.
    Record(Record),
    /// Eight or more repeats of a cycle.
    Folded(Folded),
}

/// Repeats of a cycle of records that are equal in event, kind, regime and base.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    /// The number of repeats.
    pub times: u64,
    /// The records of the cycle, in order.
    pub cycle: Vec<Cycle>,
}

/// One record of a folded cycle: its first and last occurrence, and the ranges of its figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// The first occurrence.
    pub first: Record,
    /// The last occurrence.
    pub last: Record,
    /// The least and the greatest jitter, in nanoseconds.
    pub jitter_ns: Option<(u64, u64)>,
    /// The lowest and the highest wait, in nanoseconds.
    pub wait_ns: Option<(u64, u64)>,
}

/// Folds a stream of records as they come. Its memory depends only on the last few records, those that cannot be folded yet.
#[derive(Debug, Default)]
pub struct Folder {
    /// Records that may yet turn out to begin a cycle.
    recent: VecDeque<Record>,
    /// For each cycle length from 1: how many of the last records equal the one that many before.
    equal: [usize; LONGEST_CYCLE],
    active: Option<Active>,
}

#[derive(Debug)]
struct Active {
    folded: Folded,
    /// Records of a cycle that is not complete yet.
    partial: Vec<Record>,
}

impl Folder {
    /// A folder that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next record and hands the lines that are now certain to `out`.
    pub fn push(&mut self, record: Record, out: &mut impl FnMut(Line)) {
        if let Some(active) = &mut self.active {
            if active.take(record) {
                return;
            }
            self.close(out);
        }
        self.push_recent(record, out);
    }

    /// Hands out the remaining lines.
    pub fn finish(mut self, out: &mut impl FnMut(Line)) {
        self.close(out);
        for record in self.recent {
            out(Line::Record(record));
        }
    }

    /// Ends the running fold; the records of its incomplete cycle are plain again.
    fn close(&mut self, out: &mut impl FnMut(Line)) {
        if let Some(Active { folded, partial }) = self.active.take() {
            out(Line::Folded(folded));
            for record in partial {
                self.push_recent(record, out);
            }
        }
    }

    fn push_recent(&mut self, record: Record, out: &mut impl FnMut(Line)) {
        let key = Key::of(&record);
        for length in 1..=LONGEST_CYCLE {
            let earlier = self.recent.len().checked_sub(length).and_then(|index| self.recent.get(index));
            let equal = &mut self.equal[length - 1];
            *equal = if earlier.is_some_and(|earlier| Key::of(earlier) == key) { *equal + 1 } else { 0 };
        }
        self.recent.push_back(record);
        let full = |length: &usize| self.equal[length - 1] >= (LEAST_REPEATS - 1) * length;
        if let Some(length) = (1..=LONGEST_CYCLE).find(full) {
            self.start_fold(length, out);
        } else if self.recent.len() > LEAST_REPEATS * LONGEST_CYCLE
            && let Some(certain) = self.recent.pop_front()
        {
            out(Line::Record(certain));
        }
    }

    /// The last records are eight repeats of a cycle of this length.
    fn start_fold(&mut self, length: usize, out: &mut impl FnMut(Line)) {
        let cycles = self.recent.split_off(self.recent.len() - LEAST_REPEATS * length);
        for record in self.recent.drain(..) {
            out(Line::Record(record));
        }
        self.equal = [0; LONGEST_CYCLE];
        let cycle = cycles.iter().take(length).map(Cycle::new).collect();
        let mut active = Active { folded: Folded { times: 1, cycle }, partial: Vec::with_capacity(length) };
        for record in cycles.into_iter().skip(length) {
            active.take(record);
        }
        self.active = Some(active);
    }
}

impl Active {
    /// Adds the record to the fold, if it continues the cycle.
    fn take(&mut self, record: Record) -> bool {
        let place = self.partial.len();
        if Key::of(&record) != Key::of(&self.folded.cycle[place].first) {
            return false;
        }
        self.partial.push(record);
        if self.partial.len() == self.folded.cycle.len() {
            self.folded.times += 1;
            for (cycle, record) in self.folded.cycle.iter_mut().zip(self.partial.drain(..)) {
                cycle.add(record);
            }
        }
        true
    }
}

impl Cycle {
    fn new(first: &Record) -> Self {
        let both = |value: u64| (value, value);
        Self { first: *first, last: *first, jitter_ns: first.jitter_ns().map(both), wait_ns: first.wait_ns().map(both) }
    }

    fn add(&mut self, record: Record) {
        self.last = record;
        widen(&mut self.jitter_ns, record.jitter_ns());
        widen(&mut self.wait_ns, record.wait_ns());
    }
}

fn widen(range: &mut Option<(u64, u64)>, value: Option<u64>) {
    if let (Some((low, high)), Some(value)) = (range, value) {
        *low = value.min(*low);
        *high = value.max(*high);
    }
}

/// The parts of a record that are equal in every repeat.
#[derive(PartialEq)]
struct Key {
    event: Event,
    kind: Option<FailureKind>,
    regime: Option<Regime>,
    base_ns: Option<u64>,
}

impl Key {
    const fn of(record: &Record) -> Self {
        let event = record.event.outline();
        Self { event, kind: record.kind(), regime: record.regime, base_ns: record.base_ns() }
    }
}
