//! The records around a place of a run, kept while it is played, so that nothing is played again to show them.

use std::collections::VecDeque;

use crate::record::Record;

/// Records shown before a place, and after it.
const AROUND: usize = 4;
/// Records shown at most.
const SHOWN: usize = 2 * AROUND + 1;

/// What a plain trace shows around the first place of a run where something does not hold.
///
/// A run may be long, so only its first and its last records are kept, and those around the first place that is
/// [marked](Self::mark) in time. [`Around::whole`] keeps all, for places that are known only at the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Around {
    whole: bool,
    first: Vec<Record>,
    last: VecDeque<Record>,
    marked: Option<Marked>,
}

#[derive(Clone, Debug, PartialEq)]
struct Marked {
    place: u64,
    records: Vec<Record>,
    /// How many records are still to come.
    left: usize,
}

impl Around {
    /// For a run of which nothing is kept yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, and every record is kept.
    #[must_use]
    pub fn whole() -> Self {
        Self { whole: true, ..Self::default() }
    }

    /// Takes note of the next record.
    #[inline]
    pub fn observe(&mut self, record: &Record) {
        if !record.is_plain() {
            return;
        }
        if let Some(marked) = &mut self.marked
            && marked.left > 0
        {
            marked.left -= 1;
            marked.records.push(*record);
        }
        if self.whole || self.first.len() < SHOWN {
            self.first.push(*record);
        }
        if self.last.len() == SHOWN {
            self.last.pop_front();
        }
        self.last.push_back(*record);
    }

    /// The record of this number, which was among the last, is one where something does not hold. Only the first is kept.
    pub fn mark(&mut self, place: u64) {
        if self.marked.is_none() {
            let upto = self.last.iter().filter(|record| record.number <= place).count();
            let after = self.last.len() - upto;
            let from = upto.saturating_sub(AROUND + 1);
            let stop = self.last.len().min(upto + AROUND);
            let records = self.last.range(from..stop).copied().collect();
            self.marked = Some(Marked { place, records, left: AROUND.saturating_sub(after) });
        }
    }

    /// The records around the one of this number: four before it and four after it. Where the run ends earlier, or without a
    /// number, the last nine.
    #[must_use]
    pub fn at(&self, place: Option<u64>) -> Vec<Record> {
        let Some(place) = place else { return self.last.iter().copied().collect() };
        match &self.marked {
            Some(marked) if marked.place == place && marked.left == 0 => return marked.records.clone(),
            _ => {}
        }
        let upto = self.first.iter().filter(|record| record.number <= place).count();
        if upto + AROUND <= self.first.len() {
            return self.first[(upto + AROUND).saturating_sub(SHOWN)..upto + AROUND].to_vec();
        }
        self.last.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Event;

    fn numbers(records: &[Record]) -> Vec<u64> {
        records.iter().map(|record| record.number).collect()
    }

    fn around(length: u64, marked: Option<u64>, mut around: Around) -> Around {
        for number in 0..length {
            let mut record = Record::new(Event::Ok, number, number, 1);
            record.number = number;
            around.observe(&record);
            if marked == Some(number) {
                around.mark(number);
            }
        }
        around
    }

    #[test]
    fn a_place_is_shown_with_four_records_before_it_and_four_after_it() {
        for kept in [around(100, Some(50), Around::new()), around(100, None, Around::whole())] {
            assert_eq!(numbers(&kept.at(Some(50))), (46..=54).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_place_has_nothing_before_it() {
        assert_eq!(numbers(&around(100, None, Around::new()).at(Some(0))), [0, 1, 2, 3, 4]);
        assert_eq!(numbers(&around(100, Some(0), Around::new()).at(Some(0))), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn where_the_run_ends_earlier_the_last_nine_are_shown() {
        let last = (91..=99).collect::<Vec<_>>();
        for marked in [None, Some(99)] {
            assert_eq!(numbers(&around(100, marked, Around::new()).at(Some(99))), last);
        }
        assert_eq!(numbers(&around(3, Some(1), Around::new()).at(Some(1))), [0, 1, 2]);
    }
}
