//! How each law is held against a trace.

use core::time::Duration;

use retrylab_core::{BuiltInReset, FailureKind, Regime};
use retrylab_scenario::duration::Text;
use retrylab_sim::{Event, Record};

use crate::law::{Facts, Finding, Watch};

impl<F: FnMut(&Record) -> Finding> Watch for F {
    fn observe(&mut self, record: &Record) -> Finding {
        self(record)
    }
}

pub(crate) fn jittered_base_or_cadence(facts: &Facts) -> Box<dyn Watch> {
    let cadence = facts.cadence;
    Box::new(move |record: &Record| {
        let (Some(base), Some(jitter), Some(wait)) =
            (span(record.base_ns), span(record.jitter_ns), span(record.wait_ns))
        else {
            return Finding::Silent;
        };
        if jitter > base / 2 {
            return broken(format!("at most half of the base {} subtracted", Text(base)), Text(jitter));
        }
        same((base - jitter).max(cadence), wait)
    })
}

pub(crate) fn base_never_decreases(_: &Facts) -> Box<dyn Watch> {
    let mut before: Option<Record> = None;
    Box::new(move |record: &Record| {
        if !record.is_failure() {
            if record.rung == Some(0) {
                before = None;
            }
            return Finding::Silent;
        }
        // A rung that does not grow is a new ladder: there was a reset, or the extended regime began.
        let same_ladder = |before: &Record| before.regime == record.regime && before.rung < record.rung;
        let last = before.replace(*record).filter(same_ladder);
        match (last.and_then(|last| span(last.base_ns)), span(record.base_ns)) {
            (Some(last), Some(base)) if base < last => broken(format!("at least {}", Text(last)), Text(base)),
            (Some(_), Some(_)) => Finding::Holds,
            _ => Finding::Silent,
        }
    })
}

pub(crate) fn extended_lasts_until_due(facts: &Facts) -> Box<dyn Watch> {
    let mut health = Health::new(facts.reset);
    let mut before = None;
    Box::new(move |record: &Record| {
        let due = health.is_due_at(record);
        let was = before.replace(record.regime).flatten();
        match (was, record.regime) {
            (Some(Regime::Extended), Some(Regime::Normal)) if !due => broken("extended", "normal"),
            (Some(Regime::Extended), Some(_)) => Finding::Holds,
            _ => Finding::Silent,
        }
    })
}

pub(crate) fn reset_exactly_when_due(facts: &Facts) -> Box<dyn Watch> {
    let mut health = Health::new(facts.reset);
    let mut state = (Regime::Normal, 0u32);
    Box::new(move |record: &Record| {
        let due = health.is_due_at(record);
        let (Some(regime), Some(rung)) = (record.regime, record.rung) else { return Finding::Silent };
        let (before, after) = (state, (regime, rung));
        state = after;
        let kept = if due { (Regime::Normal, 0) } else { before };
        let expected = match record.kind() {
            Some(FailureKind::Unexpected) if kept.0 == Regime::Normal => (Regime::Extended, 1),
            Some(_) => (kept.0, kept.1.saturating_add(1)),
            None if record.is_success() => kept,
            None => return Finding::Silent,
        };
        let place = |(regime, rung): (Regime, u32)| format!("{regime}, rung {rung}");
        if after == expected { Finding::Holds } else { broken(place(expected), place(after)) }
    })
}

pub(crate) fn success_restores_the_cadence(facts: &Facts) -> Box<dyn Watch> {
    let cadence = facts.cadence;
    Box::new(move |record: &Record| match span(record.wait_ns) {
        Some(wait) if record.is_success() => same(cadence, wait),
        _ => Finding::Silent,
    })
}

pub(crate) fn time_alone_changes_nothing(_: &Facts) -> Box<dyn Watch> {
    let mut before = None;
    Box::new(move |record: &Record| {
        let place = (record.regime, record.rung);
        let was = before.replace(place);
        if record.is_success() || record.is_failure() || was.is_none() {
            return Finding::Silent;
        }
        if was == Some(place) { Finding::Holds } else { broken(format!("{was:?}"), format!("{place:?}")) }
    })
}

pub(crate) fn always_a_next_attempt(_: &Facts) -> Box<dyn Watch> {
    Box::new(|record: &Record| match record.event {
        Event::GaveUp { why, .. } => broken("a wait", format!("gave up ({why})")),
        Event::Failure { .. } if record.wait_ns.is_none() => broken("a wait", "none"),
        Event::Failure { .. } => Finding::Holds,
        _ => Finding::Silent,
    })
}

/// What a trace shows of a client's health, and whether that is enough for the reset rule.
#[derive(Debug)]
struct Health {
    reset: BuiltInReset,
    /// The clock at each success since the last failure: the first, and how many.
    since_ns: Option<u64>,
    successes: u32,
}

impl Health {
    const fn new(reset: BuiltInReset) -> Self {
        Self { reset, since_ns: None, successes: 0 }
    }

    /// Whether the record is an outcome at which a reset is due: before a failure counts, after a success does.
    fn is_due_at(&mut self, record: &Record) -> bool {
        if record.is_success() {
            self.since_ns = self.since_ns.or(Some(record.clock_ns));
            self.successes = self.successes.saturating_add(1);
        } else if !record.is_failure() {
            return false;
        }
        let due = match self.reset {
            BuiltInReset::Successes(rule) => self.successes >= rule.count(),
            BuiltInReset::HealthyFor(rule) => {
                let healthy = self.since_ns.map(|since| Duration::from_nanos(record.clock_ns.saturating_sub(since)));
                healthy.is_some_and(|healthy| healthy >= rule.window())
            }
        };
        if record.is_failure() {
            (self.since_ns, self.successes) = (None, 0);
        }
        due
    }
}

fn span(ns: Option<u64>) -> Option<Duration> {
    ns.map(Duration::from_nanos)
}

fn same(expected: Duration, got: Duration) -> Finding {
    if expected == got { Finding::Holds } else { broken(Text(expected), Text(got)) }
}

fn broken(expected: impl ToString, got: impl ToString) -> Finding {
    Finding::Broken { expected: expected.to_string(), got: got.to_string() }
}
