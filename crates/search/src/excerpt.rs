//! The part of a trace that violates a law.

use core::fmt;

use retrylab_sim::{Record, Trace};

use crate::found::Found;
use retrylab_laws::Subject;

/// A longer trace shows only the records around the place.
const WHOLE: usize = 24;

/// The number of records before the place, and after it.
const AROUND: usize = 4;

/// The part of a run that violates a law, with the violating record marked. Printed, it is a trace with a `>` before that
/// record.
#[derive(Clone, Debug)]
pub struct Excerpt {
    records: Vec<Record>,
    /// The number of the first one in the run, from 0.
    first: usize,
    /// The number of records of the run.
    of: usize,
    marked: Option<usize>,
}

impl Excerpt {
    /// Plays the counterexample again. A record that a plain trace omits is shown only if it violates the law.
    #[must_use]
    pub fn of(found: &Found, subject: &dyn Subject) -> Self {
        let seed = found.timeline.seed.unwrap_or(0);
        // The search has played it to its end.
        let run = subject.play(&found.timeline, seed).unwrap_or_default();
        // A law's finding has a record.
        let place = found.breach.record.unwrap_or_default();
        let breaks = run.iter().find(|record| record.number == place).is_some_and(|record| !record.is_plain());
        // An aside comes with all asides between the same two plain records.
        let owner =
            run.iter().filter(|record| record.is_plain() && record.number < place).map(|r| r.number).next_back();
        let next = run.iter().find(|record| record.is_plain() && record.number > place).map(|r| r.number);
        let beside = |record: &Record| {
            let number = record.number;
            breaks
                && (record.is_traced() || number == place)
                && owner.is_none_or(|owner| number > owner)
                && next.is_none_or(|next| number < next)
        };
        let shown = run.into_iter().filter(|record| record.is_plain() || beside(record));
        let records: Vec<Record> = shown.collect();
        let marked = records.iter().position(|record| record.number == place);
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

    /// The numbers, from 1, of the first and the last record shown, if the excerpt omits any.
    #[must_use]
    pub fn cut(&self) -> Option<(usize, usize)> {
        (self.records.len() < self.of).then(|| (self.first + 1, self.first + self.records.len()))
    }

    /// The number of records of the run.
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
