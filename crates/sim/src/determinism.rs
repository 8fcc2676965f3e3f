//! The run-twice check: the same file and seed must give the same trace.

use crate::record::{Event, Record};

/// The first place where two runs of the same thing differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    /// How many records were equal before it.
    pub index: u64,
    /// What the first run did there; `None` if it was over.
    pub first: Option<Record>,
    /// What the second run did there; `None` if it was over.
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
    let mut pair = Pair::new(first.into_iter(), second.into_iter());
    while pair.divergence.is_none() && pair.next().is_some() {}
    pair.divergence
}

/// Two runs side by side: yields the records of the first and remembers where the second went another way.
pub(crate) struct Pair<A, B> {
    first: A,
    second: B,
    index: u64,
    divergence: Option<Divergence>,
}

impl<A: Iterator<Item = Record>, B: Iterator<Item = Record>> Pair<A, B> {
    pub(crate) const fn new(first: A, second: B) -> Self {
        Self { first, second, index: 0, divergence: None }
    }

    pub(crate) const fn divergence(&self) -> Option<Divergence> {
        self.divergence
    }
}

impl<A: Iterator<Item = Record>, B: Iterator<Item = Record>> Iterator for Pair<A, B> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let first = self.first.next();
        // Once the runs differ, what the second does next says nothing.
        if self.divergence.is_none() {
            let second = self.second.next();
            if same(first.as_ref(), second.as_ref()) {
                self.index += 1;
            } else {
                self.divergence = Some(Divergence { index: self.index, first, second });
            }
        }
        first
    }
}

/// Equal, where two warnings about NaN are the same warning.
fn same(a: Option<&Record>, b: Option<&Record>) -> bool {
    match (a, b) {
        (Some(Record { event: Event::Warning(a), .. }), Some(Record { event: Event::Warning(b), .. })) => {
            a.option == b.option && a.given.to_bits() == b.given.to_bits() && a.default == b.default
        }
        (a, b) => a == b,
    }
}
