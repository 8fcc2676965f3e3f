//! A run in a few figures.

use core::time::Duration;

use retrylab_core::{Regime, nanos};
use retrylab_spec::Draft;
use serde::Serialize;

use crate::fields::{each_ns, end, ns};
use crate::record::{EndReason, Event, Record};

/// The figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metrics {
    /// Attempts started.
    pub attempts: u64,
    /// Failures recorded.
    pub failures: u64,
    /// Successes recorded.
    pub successes: u64,
    /// The longest wait after a failure.
    #[serde(rename = "longest_wait_ns", serialize_with = "ns")]
    pub longest_wait: Duration,
    /// True time in the normal regime, from the start to the end of the run.
    #[serde(rename = "in_normal_ns", serialize_with = "ns")]
    pub in_normal: Duration,
    /// True time in the extended regime.
    #[serde(rename = "in_extended_ns", serialize_with = "ns")]
    pub in_extended: Duration,
    /// For each outage, in the order of time: true time from its end, when the server has recovered, to the client's next
    /// success; `None` if that never came. An outage is a window of the file, or several that touch, in which or after which
    /// the client recorded a failure before that success: what a live stream never notices is none.
    #[serde(rename = "recoveries_ns", serialize_with = "each_ns")]
    pub recoveries: Vec<Option<Duration>>,
    /// True time at the end.
    #[serde(rename = "virtual_time_ns", serialize_with = "ns")]
    pub ended_at: Duration,
    /// Why the run ended.
    #[serde(serialize_with = "end")]
    pub ended: Option<EndReason>,
}

impl Metrics {
    /// The longest recovery of the client after a recovery of the server: `None` if there was no outage, or some recovery
    /// never came.
    #[must_use]
    pub fn longest_recovery(&self) -> Option<Duration> {
        self.recoveries.iter().copied().collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}

/// Gathers [`Metrics`] record by record.
#[derive(Clone, Debug)]
pub struct MetricsObserver {
    metrics: Metrics,
    /// In the order of time.
    outages: Vec<Outage>,
    regime: Option<Regime>,
    since_ns: u64,
}

/// Windows that touch, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Outage {
    from: u64,
    until: u64,
    /// Whether the client recorded a failure since it began.
    noticed: bool,
    /// The time of the first success from its end on.
    recovered: Option<u64>,
}

impl Outage {
    fn of(timeline: &Draft) -> Vec<Self> {
        let mut windows: Vec<(u64, u64)> =
            timeline.windows.iter().map(|window| (nanos(window.from), nanos(window.until))).collect();
        windows.sort_unstable();
        let mut outages: Vec<Self> = Vec::new();
        for (from, until) in windows {
            match outages.last_mut() {
                Some(last) if from <= last.until => last.until = last.until.max(until),
                _ => outages.push(Self { from, until, noticed: false, recovered: None }),
            }
        }
        outages
    }
}

impl MetricsObserver {
    /// For a run of this file.
    #[must_use]
    pub fn new(timeline: &Draft) -> Self {
        Self { metrics: Metrics::default(), outages: Outage::of(timeline), regime: None, since_ns: 0 }
    }

    /// Takes note of the next record.
    #[inline]
    pub fn observe(&mut self, record: &Record) {
        if !record.is_plain() {
            return;
        }
        self.add_time(record.time_ns);
        self.regime = record.regime;
        let metrics = &mut self.metrics;
        metrics.attempts = metrics.attempts.max(record.attempt);
        if record.is_failure() {
            metrics.failures += 1;
            let wait = Duration::from_nanos(record.wait_ns().unwrap_or(0));
            metrics.longest_wait = metrics.longest_wait.max(wait);
            for outage in self.outages.iter_mut().filter(|outage| outage.from <= record.time_ns) {
                outage.noticed |= outage.recovered.is_none();
            }
        }
        if record.is_success() {
            metrics.successes += 1;
            for outage in self.outages.iter_mut().filter(|outage| outage.until <= record.time_ns) {
                outage.recovered.get_or_insert(record.time_ns);
            }
        }
        if let Event::End(reason) = record.event {
            metrics.ended = Some(reason);
            metrics.ended_at = Duration::from_nanos(record.time_ns);
        }
    }

    /// The figures so far.
    #[must_use]
    pub fn finish(mut self) -> Metrics {
        let noticed = self.outages.iter().filter(|outage| outage.noticed);
        let recovery = |outage: &Outage| Some(Duration::from_nanos(outage.recovered? - outage.until));
        self.metrics.recoveries = noticed.map(recovery).collect();
        self.metrics
    }

    fn add_time(&mut self, now_ns: u64) {
        let span = Duration::from_nanos(now_ns - self.since_ns);
        self.since_ns = now_ns;
        match self.regime {
            Some(Regime::Normal) => self.metrics.in_normal += span,
            Some(Regime::Extended) => self.metrics.in_extended += span,
            // A client starts normal; before its first record there is no other to ask.
            None if self.metrics.attempts == 0 => self.metrics.in_normal += span,
            None => {}
        }
    }
}
