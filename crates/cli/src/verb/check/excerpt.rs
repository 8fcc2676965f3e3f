//! The part of a trace in which a law is broken.

use std::io::{self, Write};

use retrylab_laws::search::Found;
use retrylab_laws::{Claim, Standing, Subject, Trial};
use retrylab_sim::{Record, Trace};

use crate::style::{ERROR, QUIET};

/// Longer traces are shown around the place alone.
const WHOLE: usize = 24;

/// Records shown before the place, and after it.
const AROUND: usize = 4;

/// Some records of a run, one of them marked.
pub(super) struct Excerpt {
    records: Vec<Record>,
    /// The number of the first of them in the run, from 0.
    first: usize,
    /// How many the run has.
    of: usize,
    marked: Option<usize>,
}

impl Excerpt {
    /// Plays what was found once more. Statuses and log lines are shown only if one of them breaks the law.
    pub(super) fn of(found: &Found, claim: &Claim, subject: &impl Subject) -> Self {
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

    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { first, of, .. } = *self;
        if self.records.len() < of {
            let (from, to) = (first + 1, first + self.records.len());
            writeln!(out, "  {QUIET}records {from} to {to} of {of}{QUIET:#}")?;
        }
        let trace = Trace::unfolded(self.records.iter().copied()).to_string();
        for (nth, line) in trace.lines().enumerate() {
            // The first line is the heading.
            if nth > 0 && self.marked == Some(nth - 1) {
                writeln!(out, "{ERROR}>{ERROR:#} {line}")?;
            } else {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// The first record that breaks the law, in the whole run.
fn place(found: &Found, claim: &Claim, subject: &impl Subject, run: &[Record]) -> Option<usize> {
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
