//! A run held against the expectations of its file.

use core::time::Duration;
use std::collections::VecDeque;

use retrylab_core::{ConfigOption, GiveUp, Regime};
use retrylab_spec::{CallOutcome, Draft, Expect, ExpectAt, Repeated, duration};

use crate::finding::{Finding, Requirement};
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
    /// The first and the last record of a plain trace.
    first: Option<Record>,
    last: Option<Record>,
    findings: Vec<Finding>,
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
            first: None,
            last: None,
            findings: Vec::new(),
        }
    }

    /// Takes the next record.
    pub fn observe(&mut self, record: &Record) {
        if !record.is_plain() {
            return;
        }
        while let Some(&due) = self.pending.front()
            && Duration::from_nanos(record.time_ns) > due.at
        {
            self.pending.pop_front();
            self.check_at(due, &self.last.unwrap_or_else(|| at_start(record)));
        }
        if let Some(wait) = record.wait_ns().map(Duration::from_nanos) {
            let delays = self.delays.as_mut().filter(|_| record.is_failure());
            for sequence in delays.into_iter().chain(&mut self.waits) {
                self.findings.extend(sequence.observe(wait, record));
            }
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
            self.findings.push(violated(record, "limits", "a run that ends", reason));
        }
        self.first.get_or_insert(*record);
        self.last = Some(*record);
    }

    /// The first record so far at which something does not hold.
    #[inline]
    pub(crate) fn first_violation(&self) -> Option<u64> {
        self.findings.first().and_then(|finding| finding.record)
    }

    /// The findings, in the order of the records that show them.
    #[must_use]
    pub fn finish(mut self) -> Vec<Finding> {
        let (Some(first), Some(last)) = (self.first, self.last) else { return self.findings };
        while let Some(due) = self.pending.pop_front() {
            self.check_at(due, &last);
        }
        let mut findings = self.findings;
        findings.extend([self.delays, self.waits].into_iter().flatten().filter_map(|sequence| sequence.finish(&last)));
        let expected = &self.expected;
        if let Some(attempts) = expected.attempts
            && attempts != last.attempt
        {
            findings.push(violated(&last, "expect.attempts", attempts, last.attempt));
        }
        findings.extend(regime("expect.regime", expected.regime, &last));
        findings.extend(rung("expect.rung", expected.rung, &last));
        if let Some(outcome) = expected.outcome
            && self.outcome != Some(outcome)
        {
            let got = self.outcome.map_or("no call that ended", CallOutcome::name);
            findings.push(violated(&last, "expect.outcome", outcome.name(), got));
        }
        if expected.warnings != self.warnings {
            let [expected, got] = [&expected.warnings, &self.warnings].map(|warnings| names(warnings));
            // The figures are those of the end; a warning is missing, or too many, at the beginning.
            let finding = violated(&last, "expect.warnings", expected, got);
            findings.push(Finding { record: Some(first.number), ..finding });
        }
        findings.sort_by_key(Finding::order);
        findings
    }

    fn check_at(&mut self, due: ExpectAt, last: &Record) {
        let key = |what| format!("expect.at.\"{}\".{what}", duration::Text(due.at));
        self.findings.extend(regime(&key("regime"), due.regime, last));
        self.findings.extend(rung(&key("rung"), due.rung, last));
    }
}

/// How a client stands before its first record, of which only the kind of policy is taken: normal, without a failure.
fn at_start(first: &Record) -> Record {
    let mut start = Record::new(first.event, 0, 0, 0);
    start.regime = first.regime.map(|_| Regime::Normal);
    start.with_rung(first.rung().map(|_| 0))
}

fn violated(record: &Record, key: &str, expected: impl ToString, got: impl ToString) -> Finding {
    Finding::at(record, Requirement::of_key(key), expected.to_string(), got.to_string())
}

fn regime(key: &str, expected: Option<Regime>, last: &Record) -> Option<Finding> {
    let expected = expected.filter(|&expected| last.regime != Some(expected))?;
    let got = last.regime.map_or_else(|| "a policy without regimes".to_string(), |regime| regime.to_string());
    Some(violated(last, key, expected, got))
}

fn rung(key: &str, expected: Option<u32>, last: &Record) -> Option<Finding> {
    let expected = expected.filter(|&expected| last.rung() != Some(expected))?;
    let got = last.rung().map_or_else(|| "a policy without rungs".to_string(), |rung| rung.to_string());
    Some(violated(last, key, expected, got))
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
    /// Only the first difference is a finding: later ones follow from it.
    differs: bool,
}

impl Sequence {
    fn new(key: &'static str, values: Vec<Repeated>) -> Self {
        let total = values.iter().fold(0u64, |total, repeated| total.saturating_add(repeated.times));
        Self { key, values: values.into(), total, seen: 0, place: 0, differs: false }
    }

    fn observe(&mut self, got: Duration, record: &Record) -> Option<Finding> {
        self.seen += 1;
        let place = self.place;
        let expected = self.take();
        if self.differs || expected == Some(got) {
            return None;
        }
        self.differs = true;
        let (key, expected) = match expected {
            Some(expected) => (format!("{}[{place}]", self.key), duration::print(expected)),
            None => (self.key.to_string(), format!("the end of the list after {} values", self.total)),
        };
        let requirement = Requirement::Expectation { key, value: Some(self.seen) };
        Some(Finding::at(record, requirement, expected, duration::print(got)))
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

    fn finish(self, last: &Record) -> Option<Finding> {
        let is_short = !self.differs && !self.values.is_empty();
        is_short.then(|| violated(last, self.key, format!("{} values", self.total), self.seen))
    }
}
