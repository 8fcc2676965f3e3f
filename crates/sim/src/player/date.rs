//! The wait that a server's `Retry-After` requests, by the date at which it comes.

use core::time::Duration;
use std::time::SystemTime;

use retrylab_core::nanos;
use retrylab_source::{PastDate, RetryAfter};
use retrylab_spec::{ClockChange, ClockEvent, Draft, ServerWait};

/// The client's wall clock as a function of true time. Steps and suspends of its monotonic clock leave it alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct DateClock<'a> {
    start: SystemTime,
    events: &'a [ClockEvent],
}

impl<'a> DateClock<'a> {
    /// A file without a date has no header that depends on it, so there any date does.
    pub(super) fn new(timeline: &'a Draft) -> Self {
        Self { start: timeline.date().unwrap_or(SystemTime::UNIX_EPOCH), events: &timeline.clock }
    }

    /// The server's wait as read at `true_ns`, if there is one; as drivers read it.
    pub(super) fn read(&self, wait: ServerWait, true_ns: u64) -> Option<Duration> {
        match wait {
            ServerWait::Delay(delay) => Some(delay),
            ServerWait::Header(text) => RetryAfter::parse(text.as_str())?.delay(self.at(true_ns)?, PastDate::UseLadder),
        }
    }

    /// The date at `true_ns`; `None` where the system knows no such date.
    fn at(&self, true_ns: u64) -> Option<SystemTime> {
        let steps = self.events.iter().filter(|event| nanos(event.at) <= true_ns);
        let moved: i128 = steps
            .map(|event| match event.change {
                ClockChange::WallStep(by) => i128::from(by),
                ClockChange::Step(_) | ClockChange::Suspend(_) => 0,
            })
            .sum();
        let since_start = i128::from(true_ns).saturating_add(moved);
        let far = Duration::from_nanos_u128(since_start.unsigned_abs());
        if since_start < 0 { self.start.checked_sub(far) } else { self.start.checked_add(far) }
    }
}
