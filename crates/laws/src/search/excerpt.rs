//! The part of a trace in which a law is broken.

use core::fmt;

use retrylab_sim::{Record, Trace};

use super::found::Found;
use crate::claim::Claim;
use crate::subject::Subject;
use crate::trial::{Standing, Trial};

/// Longer traces are shown around the place alone.
const WHOLE: usize = 24;

/// Records shown before the place, and after it.
const AROUND: usize = 4;

/// The part of a run in which a law is broken, with the record that breaks it marked. Printed, it is a trace with a `>` before
/// that record.
#[derive(Clone, Debug)]
pub struct Excerpt {
    records: Vec<Record>,
    /// The number of the first of them in the run, from 0.
    first: usize,
    /// How many the run has.
    of: usize,
    marked: Option<usize>,
}

impl Excerpt {
    /// Plays what was found once more. Statuses and log lines are shown only if one of them breaks the law.
    #[must_use]
    pub fn of(found: &Found, claim: &Claim, subject: &dyn Subject) -> Self {
        let seed = found.timeline.seed.unwrap_or(0);
        // It was played before, so it can be.
        let run = subject.play(&found.timeline, seed).unwrap_or_default();
        let place = place(found, claim, subject, &run);
        let mut last = 0;
        let mut marked = None;
        let mut records = Vec::new();
        let aside = place.and_then(|place| run.get(place)).is_some_and(|record| record.event.is_aside());
        // Statuses and log lines belong to the record before them.
        let owner = place.map(|place| (0..=place).rev().find(|&nth| !run[nth].event.is_aside()).unwrap_or(0));
        for (nth, record) in run.iter().enumerate() {
            if !record.event.is_aside() {
                last = nth;
            } else if !aside || Some(last) != owner {
                continue;
            }
            if Some(nth) == place {
                marked = Some(records.len());
            }
            records.push(*record);
        }
        Self::around(records, marked)
    }

    fn around(mut records: Vec<Record>, marked: Option<usize>) -> Self {
        let of = records.len();
        if of <= WHOLE {
            return Self { records, first: 0, of, marked };
        }
        let stop = marked.map_or(of, |marked| (marked + AROUND + 1).min(of));
        let first = stop.saturating_sub(2 * AROUND + 1);
        records.truncate(stop);
        records.drain(..first);
        Self { records, first, of, marked: marked.map(|marked| marked - first) }
    }

    /// The numbers, from 1, of the first and the last record that are shown, if not all are.
    #[must_use]
    pub fn cut(&self) -> Option<(usize, usize)> {
        (self.records.len() < self.of).then(|| (self.first + 1, self.first + self.records.len()))
    }

    /// How many records the run has.
    #[must_use]
    pub const fn of_records(&self) -> usize {
        self.of
    }

    /// The lines of the trace, each with whether it is the marked one. The first is the heading.
    pub fn lines(&self) -> impl Iterator<Item = (bool, String)> {
        let trace = Trace::unfolded(self.records.iter().copied()).to_string();
        let lines: Vec<String> = trace.lines().map(str::to_owned).collect();
        let marked = self.marked.map(|marked| marked + 1);
        lines.into_iter().enumerate().map(move |(nth, line)| (marked == Some(nth), line))
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((first, last)) = self.cut() {
            writeln!(f, "  records {first} to {last} of {}", self.of)?;
        }
        for (is_marked, line) in self.lines() {
            writeln!(f, "{} {line}", if is_marked { '>' } else { ' ' })?;
        }
        Ok(())
    }
}

/// The first record that breaks the law, in the whole run.
fn place(found: &Found, claim: &Claim, subject: &dyn Subject, run: &[Record]) -> Option<usize> {
    if found.law.compares() {
        let number = usize::try_from(found.breach.record).ok()?;
        return run.iter().enumerate().filter(|(_, record)| !record.event.is_aside()).nth(number).map(|(nth, _)| nth);
    }
    // Once broken, it stays so.
    let breaks = |records: usize| {
        let mut trial = Trial::new(claim, [found.law]);
        run[..records].iter().for_each(|record| trial.observe(record));
        trial.finish(subject).of(found.law).is_some_and(Standing::is_broken)
    };
    let (mut low, mut high) = (1, run.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if breaks(middle) { high = middle } else { low = middle + 1 }
    }
    low.checked_sub(1).filter(|nth| *nth < run.len())
}
