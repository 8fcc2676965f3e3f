//! Plays a timeline: the client's attempts meet what the file says, in virtual time.

use std::collections::VecDeque;

use retrylab_core::{ConfigWarning, Decision, Failure, FailureKind, Fault, Idempotency, Instant, Policy, Sent, nanos};
use retrylab_scenario::{
    CallSpecError, ClientKind, ClockChange, Cursor, Draft, End, Entry, JitterChoice, Outcome, Shape, Then, Timeline,
    Window,
};

use crate::client::{BuiltIn, NoBuiltIn, Refused, build};
use crate::clock::{Clock, Delivery};
use crate::entropy::{Draws, Entropy};
use crate::queue::EventQueue;
use crate::record::{Cause, EndReason, Event, Record};

/// A stream without any byte for this long, on the client's clock, has timed out.
const READ_TIMEOUT_NS: u64 = 300_000_000_000;

/// Plays the timeline with its own client.
///
/// # Errors
///
/// If only the owner of the client's policy can build it; [`Player::new`] takes any policy.
pub fn play(timeline: &Timeline, seed: u64) -> Result<Player<'_, BuiltIn>, NoBuiltIn> {
    match build(&timeline.client.kind) {
        Ok((policy, warning)) => Ok(Player::new(timeline, policy, warning, seed)),
        Err(NoBuiltIn::Refused(CallSpecError::Rules(_))) => {
            let mut player = Player::new(timeline, BuiltIn::Refused(Refused), None, seed);
            player.refuse();
            Ok(player)
        }
        Err(error) => Err(error),
    }
}

/// A run in progress: an iterator over what happens. It needs no more memory for a year than for a minute.
#[derive(Debug)]
pub struct Player<'a, P> {
    timeline: &'a Draft,
    policy: P,
    draws: Draws,
    clock: Clock,
    queue: EventQueue<Pending>,
    script: Script<'a>,
    /// Failures so far of each window, by its number in the file.
    window_failures: Vec<u64>,
    /// What is ready to be handed out.
    records: VecDeque<Record>,
    true_ns: u64,
    events: u64,
    attempts: u64,
    /// Failures so far in the whole run: the address of the next draw.
    failures: u64,
    /// What the present attempt came from, and what became of it.
    live: Live,
    had_ok: bool,
    /// The run goes on at least until here, because something is expected then.
    last_expected_ns: u64,
    over: bool,
}

/// Something waiting for its time.
#[derive(Clone, Copy, Debug)]
enum Pending {
    Attempt,
    /// The outcome of the present attempt.
    Outcome,
    /// The live stream ends as its entry says.
    StreamEnd {
        connection: u64,
        end: End,
        source: Source,
    },
    /// No byte came for too long.
    ReadTimeout {
        connection: u64,
        source: Source,
    },
    Cut {
        window: usize,
    },
    Clock {
        index: usize,
    },
}

/// Where an entry came from, which decides the address of its draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Script {
        index: usize,
    },
    Window {
        index: usize,
    },
    /// `then = "succeed"`: nothing was written.
    Tail,
}

#[derive(Clone, Copy, Debug)]
struct Live {
    entry: Entry,
    source: Source,
    /// Whether a stream is connected now.
    connected: bool,
    /// Whether its bytes have stopped, so that its own end does not reach the client any more.
    silent: bool,
}

impl<'a, P: Policy> Player<'a, P> {
    /// A run of this policy through the timeline, with its jitter from `seed`. `warning` becomes the first record.
    #[must_use]
    pub fn new(timeline: &'a Timeline, policy: P, warning: Option<ConfigWarning>, seed: u64) -> Self {
        let timeline: &Draft = timeline;
        let mut player = Self {
            timeline,
            policy,
            draws: Entropy::new(seed).client(0),
            clock: Clock::new(&timeline.clock),
            queue: EventQueue::new(),
            script: Script::new(timeline),
            window_failures: vec![0; timeline.windows.len()],
            records: VecDeque::new(),
            true_ns: 0,
            events: 0,
            attempts: 0,
            failures: 0,
            live: Live { entry: SUCCEED_POLL, source: Source::Tail, connected: false, silent: false },
            had_ok: false,
            last_expected_ns: timeline
                .expect
                .as_ref()
                .map_or(0, |expect| expect.at.iter().map(|expected| nanos(expected.at)).max().unwrap_or(0)),
            over: false,
        };
        if let Some(warning) = warning {
            player.note(Event::Warning(warning));
        }
        for (index, event) in timeline.clock.iter().enumerate() {
            // Not displaced by a suspend: it is the clock that changes, whether or not the client notices.
            player.queue.schedule(nanos(event.at), Pending::Clock { index });
        }
        for (index, window) in timeline.windows.iter().enumerate() {
            if window.cut.is_some() {
                player.schedule(nanos(window.from), Pending::Cut { window: index });
            }
        }
        player.schedule(0, Pending::Attempt);
        player
    }

    /// The client's calls are refused before their first attempt.
    fn refuse(&mut self) {
        self.queue = EventQueue::new();
        self.note(Event::Refused);
        self.finish(EndReason::Finished);
    }

    /// The policy as it stands.
    #[must_use]
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// Handles the next event, or ends the run.
    fn advance(&mut self) {
        while self.queue.peek().is_some_and(|pending| self.is_moot(pending)) {
            self.queue.pop();
        }
        let Some(at) = self.queue.next_at() else {
            self.true_ns = self.true_ns.max(self.last_expected_ns);
            return self.finish(EndReason::Finished);
        };
        if let Some(until) = self.timeline.until
            && at > nanos(until)
        {
            self.true_ns = nanos(until);
            return self.finish(EndReason::Until);
        }
        if at > nanos(self.timeline.limits.time) {
            self.true_ns = nanos(self.timeline.limits.time);
            return self.finish(EndReason::TimeLimit);
        }
        if self.events >= self.timeline.limits.events {
            return self.finish(EndReason::EventLimit);
        }
        self.events += 1;
        self.true_ns = at;
        if let Some((_, pending)) = self.queue.pop() {
            self.handle(pending);
        }
    }

    fn handle(&mut self, pending: Pending) {
        match pending {
            Pending::Attempt => self.start_attempt(),
            Pending::Outcome => self.meet_outcome(),
            Pending::StreamEnd { end, source, .. } => self.end_stream(end, source),
            Pending::ReadTimeout { source, .. } => self.fail(Cause::Fault(Fault::Timeout), None, source),
            Pending::Cut { window } => {
                if let Some(end) = self.timeline.windows[window].cut {
                    self.end_stream(end, Source::Window { index: window });
                }
            }
            Pending::Clock { index } => match self.timeline.clock[index].change {
                ClockChange::Step(by) => self.note(Event::Step(nanos(by))),
                ClockChange::Suspend(length) => self.note(Event::Suspend(nanos(length))),
                ClockChange::WallStep(by) => self.note(Event::WallStep(by)),
            },
        }
    }

    /// Whether nothing comes of the next event: it is about a stream that is gone, or that is not heard any more.
    fn is_moot(&self, next: &Pending) -> bool {
        match *next {
            Pending::StreamEnd { connection, .. } => !self.is_live(connection) || self.live.silent,
            Pending::ReadTimeout { connection, .. } => !self.is_live(connection),
            Pending::Cut { .. } => !self.live.connected,
            Pending::Attempt | Pending::Outcome | Pending::Clock { .. } => false,
        }
    }

    fn start_attempt(&mut self) {
        let Some((entry, source)) = self.next_entry() else { return };
        self.attempts += 1;
        self.live = Live { entry, source, connected: false, silent: false };
        let after = match entry.outcome {
            Outcome::Hang(length) => length,
            _ => entry.latency,
        };
        if after.is_zero() {
            self.meet_outcome();
        } else {
            self.schedule(self.true_ns.saturating_add(nanos(after)), Pending::Outcome);
        }
    }

    fn next_entry(&mut self) -> Option<(Entry, Source)> {
        let now = self.true_ns;
        let covers = |window: &Window| nanos(window.from) <= now && now < nanos(window.until);
        match self.timeline.windows.iter().position(covers) {
            Some(index) => Some((self.timeline.windows[index].entry, Source::Window { index })),
            None => self.script.take(),
        }
    }

    fn meet_outcome(&mut self) {
        let Live { entry, source, .. } = self.live;
        match entry.outcome {
            Outcome::Up { lasts } => {
                self.connect();
                self.succeed(Event::Message);
                if let Some((length, end)) = lasts {
                    self.schedule_stream_end(length, end, source);
                }
            }
            Outcome::Idle { lasts, end } => {
                self.connect();
                self.note(Event::Connected);
                self.schedule_stream_end(lasts, end, source);
            }
            Outcome::Ok => {
                self.succeed(Event::Ok);
                self.schedule_attempt(self.policy.next_delay());
            }
            Outcome::Status { status: 304, .. } if self.had_ok && self.shape() == Shape::Polling => {
                self.succeed(Event::NotModified);
                self.schedule_attempt(self.policy.next_delay());
            }
            Outcome::Status { status, retry_after } => self.fail(Cause::Status(status), retry_after, source),
            Outcome::Fault(fault) => self.fail(Cause::Fault(fault.fault()), None, source),
            Outcome::Malformed => self.fail(Cause::Fault(Fault::Malformed), None, source),
            Outcome::Hang(_) => self.fail(Cause::Fault(Fault::Timeout), None, source),
        }
    }

    fn schedule_stream_end(&mut self, length: core::time::Duration, end: End, source: Source) {
        let connection = self.attempts;
        let at = self.true_ns.saturating_add(nanos(length));
        self.schedule(at, Pending::StreamEnd { connection, end, source });
    }

    /// The live stream ends: at once, or for a timeout when no byte has come for long enough.
    fn end_stream(&mut self, end: End, source: Source) {
        if end != End::Timeout {
            self.fail(Cause::Fault(end.fault()), None, source);
        } else if !self.live.silent {
            self.live.silent = true;
            self.note(Event::Silent);
            let due = self.now() + core::time::Duration::from_nanos(READ_TIMEOUT_NS);
            self.set_timer(due, Pending::ReadTimeout { connection: self.attempts, source });
        }
    }

    fn connect(&mut self) {
        self.live.connected = true;
        let now = self.now();
        self.policy.record_connected(now);
    }

    fn succeed(&mut self, event: Event) {
        self.had_ok |= event == Event::Ok;
        let now = self.now();
        self.policy.record_success(now);
        let mut record = self.record(event, 0);
        record.wait_ns = Some(nanos(self.policy.next_delay()));
        self.records.push_back(record);
    }

    fn fail(&mut self, cause: Cause, retry_after: Option<core::time::Duration>, source: Source) {
        self.live.connected = false;
        let kind = self.classify(cause);
        let fault = match cause {
            Cause::Status(_) => None,
            Cause::Fault(fault) => Some(fault),
        };
        let address = self.draw_address(source);
        let draw = match self.timeline.client.jitter {
            JitterChoice::None => 0,
            JitterChoice::Own => self.draws.at(address),
        };
        let now = self.now();
        let decision = self.policy.record_failure(Failure { kind, retry_after, fault }, now, draw);
        let event = match decision {
            Decision::RetryAfter(_) => Event::Failure { cause, kind },
            Decision::GiveUp(why) => Event::GaveUp { cause, kind, why },
        };
        let mut record = self.record(event, draw);
        record.wait_ns = decision.delay().map(nanos);
        self.records.push_back(record);
        match decision {
            Decision::RetryAfter(delay) => self.schedule_attempt(delay),
            // The next entry starts the next call at once, with the same budgets.
            Decision::GiveUp(_) if self.shape() == Shape::Call => self.schedule_attempt(core::time::Duration::ZERO),
            Decision::GiveUp(_) => self.finish(EndReason::GaveUp),
        }
    }

    fn classify(&self, cause: Cause) -> FailureKind {
        if self.shape() != Shape::Call {
            return match cause {
                Cause::Status(status) => FailureKind::from_status(i64::from(status)),
                Cause::Fault(fault) => fault.into(),
            };
        }
        let (kind, sent) = match cause {
            Cause::Status(status) => {
                let status = i64::from(status);
                (FailureKind::from_call_status(status), Sent::from_status(status))
            }
            Cause::Fault(fault) => (FailureKind::from_call_fault(fault), fault.into()),
        };
        match &self.timeline.client.kind {
            ClientKind::Call(call) if !call.idempotent => Idempotency::NotIdempotent.judge(kind, sent),
            _ => kind,
        }
    }

    /// The address of the draw of a failure that came from `source`, counting the failure.
    fn draw_address(&mut self, source: Source) -> u64 {
        let ordinal = self.failures;
        self.failures += 1;
        let (first, so_far) = match source {
            Source::Script { index } => self.script.count_failure(index),
            Source::Window { index } => {
                let so_far = self.window_failures[index];
                self.window_failures[index] += 1;
                (self.timeline.windows[index].entry.draw, so_far)
            }
            Source::Tail => (None, 0),
        };
        first.map_or(ordinal, |first| first.wrapping_add(so_far))
    }

    /// The next attempt starts after this delay, unless there is nothing left for it to meet.
    fn schedule_attempt(&mut self, delay: core::time::Duration) {
        if self.script.is_over() {
            return;
        }
        let due = self.now() + delay;
        self.set_timer(due, Pending::Attempt);
    }

    /// Schedules what happens outside of the client, which notices unless it is suspended.
    fn schedule(&mut self, true_ns: u64, pending: Pending) {
        let Delivery { at, nominal } = self.clock.delivery(true_ns);
        self.queue.schedule_displaced(at, nominal, pending);
    }

    fn set_timer(&mut self, due: Instant, pending: Pending) {
        let Delivery { at, nominal } = self.clock.timer(self.true_ns, due);
        self.queue.schedule_displaced(at, nominal, pending);
    }

    fn note(&mut self, event: Event) {
        let record = self.record(event, 0);
        self.records.push_back(record);
    }

    fn record(&self, event: Event, draw: u64) -> Record {
        let failed = matches!(event, Event::Failure { .. });
        let place = self.policy.explain(draw);
        Record {
            time_ns: self.true_ns,
            clock_ns: self.now().as_nanos(),
            event,
            attempt: self.attempts,
            regime: place.map(|rung| rung.regime),
            rung: place.map(|rung| rung.number),
            base_ns: place.filter(|_| failed).map(|rung| nanos(rung.base)),
            jitter_ns: place.filter(|_| failed).map(|rung| nanos(rung.jitter)),
            wait_ns: None,
        }
    }

    fn finish(&mut self, reason: EndReason) {
        self.note(Event::End(reason));
        self.over = true;
    }

    fn now(&self) -> Instant {
        self.clock.at(self.true_ns)
    }

    const fn is_live(&self, connection: u64) -> bool {
        self.live.connected && self.attempts == connection
    }

    const fn shape(&self) -> Shape {
        self.timeline.client.kind.shape()
    }
}

impl<P: Policy> Iterator for Player<'_, P> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.records.is_empty() && !self.over {
            self.advance();
        }
        self.records.pop_front()
    }
}

/// What the script still holds, its tail included.
#[derive(Debug)]
struct Script<'a> {
    cursor: Cursor<'a>,
    next: Option<(Entry, Source)>,
    /// The entry that answered last, for `then = "repeat-last"`.
    last: Option<(Entry, Source)>,
    then: Then,
    succeed: Entry,
    /// For each entry in the order of the file: its first draw address, and its failures so far.
    failures: Vec<(Option<u64>, u64)>,
}

const SUCCEED_POLL: Entry = Entry { outcome: Outcome::Ok, latency: core::time::Duration::ZERO, draw: None };
const SUCCEED_STREAM: Entry = Entry { outcome: Outcome::Up { lasts: None }, ..SUCCEED_POLL };

impl<'a> Script<'a> {
    fn new(timeline: &'a Draft) -> Self {
        let succeed = match timeline.client.kind.shape() {
            Shape::Streaming => SUCCEED_STREAM,
            Shape::Polling | Shape::Call => SUCCEED_POLL,
        };
        let mut script = Self {
            cursor: Cursor::new(&timeline.script),
            next: None,
            last: None,
            then: timeline.then,
            succeed,
            failures: Vec::new(),
        };
        script.read();
        script
    }

    fn read(&mut self) {
        self.next = self.cursor.next().map(|scripted| {
            if scripted.index >= self.failures.len() {
                self.failures.resize(scripted.index + 1, (None, 0));
            }
            self.failures[scripted.index].0 = scripted.entry.draw;
            (scripted.entry, Source::Script { index: scripted.index })
        });
    }

    fn take(&mut self) -> Option<(Entry, Source)> {
        match self.next {
            Some(entry) => {
                self.last = Some(entry);
                self.read();
                Some(entry)
            }
            None => match self.then {
                Then::Stop => None,
                Then::RepeatLast => self.last,
                Then::Succeed => Some((self.succeed, Source::Tail)),
            },
        }
    }

    fn is_over(&self) -> bool {
        self.next.is_none() && self.then == Then::Stop
    }

    fn count_failure(&mut self, index: usize) -> (Option<u64>, u64) {
        let (first, so_far) = self.failures[index];
        self.failures[index].1 += 1;
        (first, so_far)
    }
}
