//! Whether a run is what the file expects.

use core::fmt;
use core::time::Duration;
use std::collections::VecDeque;

use retrylab_core::{ConfigOption, GiveUp, Regime};
use retrylab_scenario::{CallOutcome, Draft, Expect, ExpectAt, Repeated, duration};

use crate::record::{Event, Record};

/// Compares a run with the file's `[expect]`, record by record, except for laws.
#[derive(Clone, Debug)]
pub struct Judge {
    delays: Option<Sequence>,
    waits: Option<Sequence>,
    expected: Expect,
    /// Expectations at points of time that have not been reached.
    pending: VecDeque<ExpectAt>,
    warnings: Vec<ConfigOption>,
    outcome: Option<CallOutcome>,
    last: Option<Record>,
    records: u64,
    unmet: Vec<Unmet>,
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The key in the file, for example `expect.delays[2]`, where the index counts what is written.
    pub key: String,
    /// Which value of the key, counted from 1 with repeats written out, if it is a list.
    pub nth: Option<u64>,
    /// What the file expects.
    pub expected: String,
    /// What the run did.
    pub got: String,
    /// The number of the record where it shows, counted from 0.
    pub record: u64,
    /// The attempt where it shows, counted from 1.
    pub attempt: u64,
    /// True time where it shows.
    pub at: Duration,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)?;
        if let Some(nth) = self.nth {
            write!(f, ", value {nth}")?;
        }
        write!(f, ": expected {}, got {}", self.expected, self.got)?;
        write!(f, " (attempt {}, at {})", self.attempt, duration::Text(self.at))
    }
}

impl Judge {
    /// For a run of this file. A file without `[expect]` is content with every run that ends and has no warning.
    #[must_use]
    pub fn new(timeline: &Draft) -> Self {
        let expected = timeline.expect.clone().unwrap_or_default();
        Self {
            delays: expected.delays.clone().map(|values| Sequence::new("expect.delays", values)),
            waits: expected.waits.clone().map(|values| Sequence::new("expect.waits", values)),
            pending: expected.at.iter().copied().collect(),
            expected,
            warnings: Vec::new(),
            outcome: None,
            last: None,
            records: 0,
            unmet: Vec::new(),
        }
    }

    /// Takes note of the next record.
    pub fn observe(&mut self, record: &Record) {
        while let Some(&due) = self.pending.front()
            && Duration::from_nanos(record.time_ns) > due.at
        {
            self.pending.pop_front();
            self.check_at(due, &self.last.unwrap_or_else(|| at_start(record)));
        }
        let index = self.records;
        self.records += 1;
        if let Some(wait) = record.wait_ns.map(Duration::from_nanos) {
            let unmet = &mut self.unmet;
            if record.is_failure() {
                unmet.extend(self.delays.as_mut().and_then(|delays| delays.observe(wait, record, index)));
            }
            unmet.extend(self.waits.as_mut().and_then(|waits| waits.observe(wait, record, index)));
        }
        if let Event::Warning(warning) = record.event {
            self.warnings.push(warning.option);
        }
        self.outcome = match record.event {
            Event::Ok | Event::NotModified => Some(CallOutcome::Ok),
            Event::Refused => Some(CallOutcome::Refused),
            Event::GaveUp { why: GiveUp::Terminal, .. } => Some(CallOutcome::Terminal),
            Event::GaveUp { .. } => Some(CallOutcome::Exhausted),
            _ => self.outcome,
        };
        if let Event::End(reason) = record.event
            && reason.is_limit()
        {
            let expected = "a run that ends".to_string();
            self.unmet.push(Unmet::new("limits", None, expected, reason.to_string(), record, index));
        }
        self.last = Some(*record);
    }

    /// What does not hold, in the order in which it shows.
    #[must_use]
    pub fn finish(mut self) -> Vec<Unmet> {
        let Some(last) = self.last else { return self.unmet };
        while let Some(due) = self.pending.pop_front() {
            self.check_at(due, &last);
        }
        let index = self.records - 1;
        for sequence in [self.delays.take(), self.waits.take()].into_iter().flatten() {
            self.unmet.extend(sequence.finish(&last, index));
        }
        let expected = &self.expected;
        if let Some(attempts) = expected.attempts
            && attempts != last.attempt
        {
            let (expected, got) = (attempts.to_string(), last.attempt.to_string());
            self.unmet.push(Unmet::new("expect.attempts", None, expected, got, &last, index));
        }
        self.unmet.extend(unmet_regime("expect.regime", expected.regime, &last, index));
        self.unmet.extend(unmet_rung("expect.rung", expected.rung, &last, index));
        if let Some(outcome) = expected.outcome
            && self.outcome != Some(outcome)
        {
            let got = self.outcome.map_or("no call that ended", CallOutcome::name).to_string();
            self.unmet.push(Unmet::new("expect.outcome", None, outcome.name().to_string(), got, &last, index));
        }
        if expected.warnings != self.warnings {
            let (expected, got) = (names(&expected.warnings), names(&self.warnings));
            self.unmet.push(Unmet::new("expect.warnings", None, expected, got, &last, 0));
        }
        self.unmet.sort_by_key(|unmet| unmet.record);
        self.unmet
    }

    fn check_at(&mut self, due: ExpectAt, last: &Record) {
        let index = self.records.saturating_sub(1);
        let key = |what| format!("expect.at.\"{}\".{what}", duration::Text(due.at));
        self.unmet.extend(unmet_regime(&key("regime"), due.regime, last, index));
        self.unmet.extend(unmet_rung(&key("rung"), due.rung, last, index));
    }
}

/// How a client stands before its first record, of which only the kind of policy is taken: normal, without a failure.
fn at_start(first: &Record) -> Record {
    let (regime, rung) = (first.regime.map(|_| Regime::Normal), first.rung.map(|_| 0));
    Record { time_ns: 0, clock_ns: 0, attempt: 0, regime, rung, ..*first }
}

impl Unmet {
    fn new(key: &str, nth: Option<u64>, expected: String, got: String, record: &Record, index: u64) -> Self {
        Self {
            key: key.to_string(),
            nth,
            expected,
            got,
            record: index,
            attempt: record.attempt,
            at: Duration::from_nanos(record.time_ns),
        }
    }
}

fn unmet_regime(key: &str, expected: Option<Regime>, last: &Record, index: u64) -> Option<Unmet> {
    let expected = expected.filter(|&expected| last.regime != Some(expected))?;
    let got = last.regime.map_or_else(|| "a policy without regimes".to_string(), |regime| regime.to_string());
    Some(Unmet::new(key, None, expected.to_string(), got, last, index))
}

fn unmet_rung(key: &str, expected: Option<u32>, last: &Record, index: u64) -> Option<Unmet> {
    let expected = expected.filter(|&expected| last.rung != Some(expected))?;
    let got = last.rung.map_or_else(|| "a policy without rungs".to_string(), |rung| rung.to_string());
    Some(Unmet::new(key, None, expected.to_string(), got, last, index))
}

fn names(options: &[ConfigOption]) -> String {
    if options.is_empty() {
        return "no warning".to_string();
    }
    options.iter().map(|option| option.name()).collect::<Vec<_>>().join(", ")
}

/// A list of values that a run has to produce, complete and exact.
#[derive(Clone, Debug)]
struct Sequence {
    key: &'static str,
    values: VecDeque<Repeated>,
    total: u64,
    seen: u64,
    /// The place of the front of `values` in the file's list.
    place: usize,
    /// Only the first difference is told: those after it follow from it.
    differs: bool,
}

impl Sequence {
    fn new(key: &'static str, values: Vec<Repeated>) -> Self {
        let total = values.iter().fold(0u64, |total, repeated| total.saturating_add(repeated.times));
        Self { key, values: values.into(), total, seen: 0, place: 0, differs: false }
    }

    fn observe(&mut self, got: Duration, record: &Record, index: u64) -> Option<Unmet> {
        self.seen += 1;
        let place = self.place;
        let expected = self.take();
        if self.differs || expected == Some(got) {
            return None;
        }
        self.differs = true;
        let key = match expected {
            Some(_) => format!("{}[{place}]", self.key),
            None => self.key.to_string(),
        };
        let expected = match expected {
            Some(expected) => duration::print(expected),
            None => format!("the end of the list after {} values", self.total),
        };
        Some(Unmet::new(&key, Some(self.seen), expected, duration::print(got), record, index))
    }

    fn take(&mut self) -> Option<Duration> {
        let front = self.values.front_mut()?;
        let value = front.value;
        front.times -= 1;
        if front.times == 0 {
            self.values.pop_front();
            self.place += 1;
        }
        Some(value)
    }

    fn finish(self, last: &Record, index: u64) -> Option<Unmet> {
        if self.differs || self.values.is_empty() {
            return None;
        }
        let (expected, got) = (format!("{} values", self.total), format!("{}", self.seen));
        Some(Unmet::new(self.key, None, expected, got, last, index))
    }
}
