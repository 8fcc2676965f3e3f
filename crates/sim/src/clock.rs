//! The client's monotonic clock as a function of true time.

use retrylab_core::{Instant, nanos};
use retrylab_spec::{ClockChange, ClockEvent};

/// The reading of the client's clock at every point of true time, fixed before the run starts.
///
/// A step makes it jump forward; timers that it passes fire at once, in order. A suspend makes it stand still while
/// true time passes; events in the meantime reach the client at the end, in order.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Ascending in true time; the first starts at 0.
    segments: Vec<Segment>,
}

/// A span of true time, up to the next segment, in which the clock runs or stands still.
#[derive(Clone, Copy, Debug)]
struct Segment {
    starts: u64,
    shows: u64,
    running: bool,
}

/// The arrival of an event at the client: the true time, and its time without the change to the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub(crate) at: u64,
    pub(crate) nominal: u64,
}

impl Clock {
    /// The clock with these events. Suspends must not overlap, which a checked timeline guarantees.
    #[must_use]
    pub fn new(events: &[ClockEvent]) -> Self {
        let mut edges: Vec<(u64, Edge)> = Vec::new();
        // In this order, a suspend that ends where another begins ends before it.
        let mut events: Vec<&ClockEvent> = events.iter().collect();
        events.sort_by_key(|event| event.at);
        for event in events {
            let at = nanos(event.at);
            match event.change {
                ClockChange::Step(by) => edges.push((at, Edge::Step(nanos(by)))),
                ClockChange::Suspend(length) => {
                    edges.push((at, Edge::Suspend));
                    edges.push((at.saturating_add(nanos(length)), Edge::Resume));
                }
                ClockChange::WallStep(_) => {}
            }
        }
        edges.sort_by_key(|&(at, _)| at);
        let mut segments = vec![Segment { starts: 0, shows: 0, running: true }];
        let mut last = segments[0];
        for (at, edge) in edges {
            let shows = last.shows_at(at);
            last = match edge {
                Edge::Step(by) => Segment { starts: at, shows: shows.saturating_add(by), ..last },
                Edge::Suspend => Segment { starts: at, shows, running: false },
                Edge::Resume => Segment { starts: at, shows, running: true },
            };
            segments.push(last);
        }
        Self { segments }
    }

    /// The reading at `true_ns` nanoseconds of true time. At the instant of a step, the step has happened.
    #[inline]
    #[must_use]
    pub fn at(&self, true_ns: u64) -> Instant {
        if self.is_true() {
            return Instant::from_nanos(true_ns);
        }
        Instant::from_nanos(self.segments[self.segment(true_ns)].shows_at(true_ns))
    }

    /// The time when the client notices an event at `true_ns`: then, or at the end of a suspend.
    #[inline]
    pub(crate) fn delivery(&self, true_ns: u64) -> Delivery {
        let at = self.awake(self.segment(true_ns), true_ns);
        Delivery { at, nominal: true_ns }
    }

    /// The time when a timer fires that is set at `true_now` for the reading `due` of the clock.
    #[inline]
    pub(crate) fn timer(&self, true_now: u64, due: Instant) -> Delivery {
        let due = due.as_nanos();
        if self.is_true() {
            let at = due.max(true_now);
            return Delivery { at, nominal: at };
        }
        let mut nominal = u64::MAX;
        for index in self.segment(true_now)..self.segments.len() {
            let segment = self.segments[index];
            if segment.shows >= due && segment.starts > true_now {
                // A step passed it, or a suspend began at the very instant it was due.
                return Delivery { at: self.awake(index, segment.starts), nominal };
            }
            if segment.running {
                nominal = segment.starts.saturating_add(due.saturating_sub(segment.shows)).max(true_now);
                let ends = self.segments.get(index + 1).map_or(u64::MAX, |next| next.starts);
                if nominal < ends {
                    return Delivery { at: nominal, nominal };
                }
            }
        }
        Delivery { at: u64::MAX, nominal }
    }

    /// Whether nothing ever changes it, so that it shows the true time.
    #[inline]
    const fn is_true(&self) -> bool {
        self.segments.len() == 1
    }

    /// The last segment that starts at or before `true_ns`.
    #[inline]
    fn segment(&self, true_ns: u64) -> usize {
        self.segments.partition_point(|segment| segment.starts <= true_ns) - 1
    }

    /// `true_ns`, which is in segment `index`, or the end of the suspend that it is in.
    #[inline]
    fn awake(&self, index: usize, true_ns: u64) -> u64 {
        let rest = &self.segments[index..];
        if rest[0].running {
            return true_ns;
        }
        rest.iter().find(|segment| segment.running).map_or(u64::MAX, |segment| segment.starts)
    }
}

#[derive(Clone, Copy, Debug)]
enum Edge {
    Step(u64),
    Suspend,
    Resume,
}

impl Segment {
    #[inline]
    fn shows_at(self, true_ns: u64) -> u64 {
        if self.running { self.shows.saturating_add(true_ns - self.starts) } else { self.shows }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    const S: u64 = 1_000_000_000;

    fn event(at: u64, change: ClockChange) -> ClockEvent {
        ClockEvent { at: Duration::from_secs(at), change }
    }

    fn step(at: u64, by: u64) -> ClockEvent {
        event(at, ClockChange::Step(Duration::from_secs(by)))
    }

    fn suspend(at: u64, length: u64) -> ClockEvent {
        event(at, ClockChange::Suspend(Duration::from_secs(length)))
    }

    #[test]
    fn without_events_the_clock_is_true_time() {
        let clock = Clock::new(&[]);
        assert_eq!(clock.at(7 * S), Instant::from_secs(7));
        assert_eq!(clock.timer(2 * S, Instant::from_secs(5)), Delivery { at: 5 * S, nominal: 5 * S });
    }

    #[test]
    fn a_step_has_happened_at_its_own_instant() {
        let clock = Clock::new(&[step(10, 100)]);
        assert_eq!(clock.at(10 * S - 1), Instant::from_nanos(10 * S - 1));
        assert_eq!(clock.at(10 * S), Instant::from_secs(110));
        assert_eq!(clock.at(11 * S), Instant::from_secs(111));
    }

    #[test]
    fn a_timer_that_a_step_passes_fires_at_the_step_in_due_order() {
        let clock = Clock::new(&[step(10, 100)]);
        assert_eq!(clock.timer(0, Instant::from_secs(50)), Delivery { at: 10 * S, nominal: 50 * S });
        assert_eq!(clock.timer(0, Instant::from_secs(110)), Delivery { at: 10 * S, nominal: 110 * S });
        assert_eq!(clock.timer(0, Instant::from_secs(111)), Delivery { at: 11 * S, nominal: 11 * S });
    }

    #[test]
    fn a_timer_that_is_due_before_the_clock_changes_fires_when_it_is_due() {
        for clock in [Clock::new(&[step(10, 100)]), Clock::new(&[suspend(10, 20)])] {
            assert_eq!(clock.timer(2 * S, Instant::from_secs(5)), Delivery { at: 5 * S, nominal: 5 * S });
        }
    }

    #[test]
    fn a_timer_that_is_due_as_a_suspend_begins_fires_at_its_end() {
        let clock = Clock::new(&[suspend(10, 20)]);
        assert_eq!(clock.timer(0, Instant::from_secs(10)), Delivery { at: 30 * S, nominal: 10 * S });
    }

    #[test]
    fn a_pending_timer_keeps_its_remainder_over_a_suspend() {
        // Due when the clock shows 30; it stands at 10 from true second 10 to 10 + 28,800.
        let clock = Clock::new(&[suspend(10, 28_800)]);
        assert_eq!(clock.timer(0, Instant::from_secs(30)), Delivery { at: 28_830 * S, nominal: 28_830 * S });
        assert_eq!(clock.at(28_830 * S), Instant::from_secs(30));
    }

    #[test]
    fn events_during_a_suspend_are_noticed_at_its_end() {
        let clock = Clock::new(&[suspend(10, 20)]);
        assert_eq!(clock.delivery(10 * S - 1).at, 10 * S - 1);
        assert_eq!(clock.delivery(10 * S), Delivery { at: 30 * S, nominal: 10 * S });
        assert_eq!(clock.delivery(29 * S), Delivery { at: 30 * S, nominal: 29 * S });
        assert_eq!(clock.delivery(30 * S).at, 30 * S);
    }

    #[test]
    fn adjacent_suspends_count_in_any_order() {
        // Asleep from 10 to 30 and from 30 to 50: the clock stands at 10 until then.
        let (early, late) = (suspend(10, 20), suspend(30, 20));
        for events in [[early, late], [late, early]] {
            let clock = Clock::new(&events);
            assert_eq!([29, 30, 49, 50, 51].map(|at| clock.at(at * S)), [10, 10, 10, 10, 11].map(Instant::from_secs));
            assert_eq!(clock.timer(0, Instant::from_secs(15)).at, 55 * S);
            assert_eq!(clock.delivery(40 * S).at, 50 * S);
        }
    }

    #[test]
    fn a_step_during_a_suspend_counts_at_its_end() {
        let clock = Clock::new(&[suspend(10, 20), step(15, 5)]);
        assert_eq!(clock.at(20 * S), Instant::from_secs(15));
        assert_eq!(clock.timer(0, Instant::from_secs(12)).at, 30 * S);
        assert_eq!(clock.at(31 * S), Instant::from_secs(16));
    }

    #[test]
    fn a_timer_of_no_length_set_at_the_end_of_a_suspend_fires_then() {
        let clock = Clock::new(&[suspend(10, 20)]);
        assert_eq!(clock.timer(30 * S, clock.at(30 * S)), Delivery { at: 30 * S, nominal: 30 * S });
    }

    #[test]
    fn a_timer_beyond_the_clocks_range_never_fires_early() {
        let clock = Clock::new(&[step(10, 100)]);
        assert!(clock.timer(20 * S, Instant::MAX).at > 500 * 365 * 86_400 * S);
    }
}
