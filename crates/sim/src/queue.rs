//! A queue of events by time, in which ties keep the order in which they were scheduled.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Events waiting for their time. Popping jumps to the earliest; nothing ticks in between.
///
/// ```
/// use retrylab_sim::EventQueue;
///
/// let mut queue = EventQueue::new();
/// queue.schedule(5, "second");
/// queue.schedule(5, "third");
/// queue.schedule(1, "first");
/// assert_eq!((queue.next_at(), queue.peek()), (Some(1), Some(&"first")));
/// assert_eq!(queue.pop(), Some((1, "first")));
/// assert_eq!(queue.pop(), Some((5, "second")));
/// assert_eq!(queue.pop(), Some((5, "third")));
/// assert_eq!(queue.pop(), None);
/// ```
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// The next event: a run of one client rarely has another, and needs no heap then.
    next: Option<Scheduled<E>>,
    /// The events after it.
    heap: BinaryHeap<Reverse<Scheduled<E>>>,
    scheduled: u64,
}

#[derive(Clone, Copy, Debug)]
struct Scheduled<E> {
    at: u64,
    nominal: u64,
    sequence: u64,
    event: E,
}

impl<E> EventQueue<E> {
    /// An empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self { next: None, heap: BinaryHeap::new(), scheduled: 0 }
    }

    /// Schedules `event` for the time `at`, in nanoseconds.
    #[inline]
    pub fn schedule(&mut self, at: u64, event: E) {
        self.schedule_displaced(at, at, event);
    }

    /// Schedules `event` for the time `at`, although it was due at `nominal`: a clock that jumps or stands still moved
    /// it. Events of one `at` happen in the order of their `nominal` times, then in the order of scheduling.
    #[inline]
    pub fn schedule_displaced(&mut self, at: u64, nominal: u64, event: E) {
        let sequence = self.scheduled;
        self.scheduled += 1;
        let scheduled = Scheduled { at, nominal, sequence, event };
        match &mut self.next {
            None => self.next = Some(scheduled),
            Some(next) if scheduled < *next => self.heap.push(Reverse(std::mem::replace(next, scheduled))),
            Some(_) => self.heap.push(Reverse(scheduled)),
        }
    }

    /// Takes the next event and its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, E)> {
        let next = self.next.take()?;
        if !self.heap.is_empty() {
            self.next = self.heap.pop().map(|Reverse(next)| next);
        }
        Some((next.at, next.event))
    }

    /// The time of the next event.
    #[inline]
    #[must_use]
    pub fn next_at(&self) -> Option<u64> {
        self.next.as_ref().map(|next| next.at)
    }

    /// The next event.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<&E> {
        self.next.as_ref().map(|next| &next.event)
    }

    /// The number of waiting events.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.next.is_some()) + self.heap.len()
    }

    /// Whether no event is waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.next.is_none()
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Scheduled<E> {
    #[inline]
    const fn key(&self) -> (u64, u64, u64) {
        (self.at, self.nominal, self.sequence)
    }
}

impl<E> PartialEq for Scheduled<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Scheduled<E> {}

impl<E> PartialOrd for Scheduled<E> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Scheduled<E> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_ties_keep_the_order_in_which_they_were_scheduled() {
        let mut queue = EventQueue::new();
        for event in 0..100 {
            queue.schedule(9, event);
        }
        assert!((0..100).all(|event| queue.pop() == Some((9, event))));
    }

    #[test]
    fn displaced_events_of_one_instant_come_in_the_order_in_which_they_were_due() {
        let mut queue = EventQueue::new();
        queue.schedule_displaced(10, 30, "due last");
        queue.schedule_displaced(10, 20, "due second");
        queue.schedule(10, "due now");
        assert_eq!(queue.pop(), Some((10, "due now")));
        assert_eq!(queue.pop(), Some((10, "due second")));
        assert_eq!(queue.pop(), Some((10, "due last")));
    }
}
