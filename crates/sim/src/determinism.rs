//! The run-twice check: the same file and seed must give the same trace.

use core::time::Duration;
use std::collections::VecDeque;

use retrylab_core::Policy;
use serde::Serialize;

use crate::player::Player;
use crate::record::{Record, Sink};

/// The first place where two runs of the same thing differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Divergence {
    /// How many records were equal before it.
    pub index: u64,
    /// What the first run did there; `None` if it was over.
    #[serde(rename = "a")]
    pub first: Option<Record>,
    /// What the second run did there; `None` if it was over.
    #[serde(rename = "b")]
    pub second: Option<Record>,
}

/// Compares two runs record by record. `None`: they are the same.
///
/// A difference means that the policy reads something besides its arguments: a clock, a random number generator, an
/// address, the order of a hash map.
#[must_use]
pub fn first_divergence(
    first: impl IntoIterator<Item = Record>,
    second: impl IntoIterator<Item = Record>,
) -> Option<Divergence> {
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    for index in 0.. {
        let (first, second) = (first.next(), second.next());
        if !same(first.as_ref(), second.as_ref()) {
            return Some(Divergence { index, first, second });
        }
        if first.is_none() {
            break;
        }
    }
    None
}

/// Two runs side by side: the records of the first, and where the second went another way.
#[derive(Debug)]
pub(crate) struct Twice<'a, P: Policy> {
    first: Player<'a, P>,
    second: Player<'a, P>,
    /// The records of the first run's last event.
    records: Vec<Record>,
    /// The records of the second run that the first has not come to.
    ahead: VecDeque<Record>,
    index: u64,
    divergence: Option<Divergence>,
}

impl<'a, P: Policy> Twice<'a, P> {
    pub(crate) const fn new(first: Player<'a, P>, second: Player<'a, P>) -> Self {
        Self { first, second, records: Vec::new(), ahead: VecDeque::new(), index: 0, divergence: None }
    }

    pub(crate) const fn divergence(&self) -> Option<Divergence> {
        self.divergence
    }

    /// The next records of the first run, none once it is over; and the first two answers that its policy gave to one failure.
    pub(crate) fn advance(&mut self) -> (&[Record], Option<(Duration, Duration)>) {
        self.records.clear();
        while self.records.is_empty() && self.first.pass(&mut self.records) {}
        // Once the runs differ, what the second does next says nothing.
        if self.divergence.is_none() {
            self.compare();
        }
        (&self.records, self.first.two_answers())
    }

    fn compare(&mut self) {
        let mut comparison = Comparison { first: &self.records, compared: 0, differs: None, ahead: VecDeque::new() };
        let known = self.ahead.len().min(self.records.len());
        for record in self.ahead.drain(..known) {
            comparison.put(record);
        }
        while comparison.is_equal_so_far() && self.second.pass(&mut comparison) {}
        if self.records.is_empty() {
            while comparison.ahead.is_empty() && self.ahead.is_empty() && self.second.pass(&mut comparison) {}
        }
        let Comparison { compared, differs, ahead, .. } = comparison;
        self.ahead.extend(ahead);
        self.index += compared as u64;
        let first = self.records.get(compared).copied();
        let second =
            if first.is_some() { differs } else { self.ahead.front().copied().filter(|_| self.records.is_empty()) };
        if first.is_some() || second.is_some() {
            self.divergence = Some(Divergence { index: self.index, first, second });
        }
    }
}

/// Compares the records of the second run with those of the first as they are made.
struct Comparison<'a> {
    first: &'a [Record],
    /// How many are equal.
    compared: usize,
    /// The first that is not.
    differs: Option<Record>,
    /// Those that come after all of the first's.
    ahead: VecDeque<Record>,
}

impl Comparison<'_> {
    /// Whether there are records left to compare.
    #[inline]
    fn is_equal_so_far(&self) -> bool {
        self.differs.is_none() && self.compared < self.first.len()
    }
}

impl Sink for Comparison<'_> {
    #[inline]
    fn put(&mut self, record: Record) {
        match self.first.get(self.compared) {
            Some(_) if self.differs.is_some() => {}
            Some(first) if same(Some(first), Some(&record)) => self.compared += 1,
            Some(_) => self.differs = Some(record),
            None => self.ahead.push_back(record),
        }
    }
}

/// Equal, where what is not a number is the same as itself.
#[inline]
fn same(a: Option<&Record>, b: Option<&Record>) -> bool {
    // Their text is the same for every NaN, and is asked for only where records differ.
    a == b || format!("{a:?}") == format!("{b:?}")
}
