//! Plays a timeline: the client meets a server that answers as the file says, in virtual time.

mod client;
mod date;
mod draws;
mod script;

use core::time::Duration;
use std::collections::VecDeque;

use retrylab_core::{ConfigWarning, Decision, FailureKind, Fault, Instant, Policy, nanos};
use retrylab_scenario::{CallSpecError, ClockChange, Draft, End, Entry, FirstMessage, Outcome, Shape, Timeline};
use retrylab_source::{Applied, Cause, Recorded, Rejected, Status};

use self::client::{Client, Wish};
use self::date::DateClock;
use self::draws::{Answerer, FailureDraws};
use self::script::{SUCCEED, Script};
use crate::client::{BuiltIn, NoBuiltIn, Refused, build};
use crate::clock::{Clock, Delivery};
use crate::dialect::options;
use crate::queue::EventQueue;
use crate::record::{EndReason, Event, Record};

/// A stream without any byte for this long, on the client's clock, has timed out.
const READ_TIMEOUT: Duration = Duration::from_secs(300);

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
///
/// A streaming or polling client is the machine of [`retrylab_source`], which drivers run over real sockets.
#[derive(Debug)]
pub struct Player<'a, P: Policy> {
    timeline: &'a Draft,
    client: Client<P>,
    draws: FailureDraws,
    clock: Clock,
    date: DateClock<'a>,
    queue: EventQueue<Pending>,
    script: Script<'a>,
    /// The windows by their number in the file, in the order in which they begin.
    windows: Vec<usize>,
    /// What is ready to be handed out.
    records: VecDeque<Record>,
    /// Whether statuses and log lines are records, too.
    full: bool,
    /// What the client's listeners know.
    status: Status,
    true_ns: u64,
    events: u64,
    attempts: u64,
    /// What the present attempt came from, and what became of it.
    live: Live,
    begun: bool,
    stopped: bool,
    /// The run goes on at least until here, because something is expected then.
    last_expected_ns: u64,
    over: bool,
}

/// Something waiting for its time.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// The client begins, or goes on after a wait.
    Wake,
    /// The outcome of the present attempt.
    Outcome,
    /// The live stream ends as its entry says.
    StreamEnd {
        connection: u64,
        end: End,
        answerer: Answerer,
    },
    /// No byte came for too long.
    ReadTimeout {
        connection: u64,
        answerer: Answerer,
    },
    Cut {
        window: usize,
    },
    Clock {
        index: usize,
    },
    /// The user stops the client.
    Stop,
}

#[derive(Clone, Copy, Debug)]
struct Live {
    entry: Entry,
    answerer: Answerer,
    /// Whether a stream is connected now.
    connected: bool,
    /// Whether its bytes have stopped, so that its own end does not reach the client any more.
    silent: bool,
    /// Whether what came last can be parsed.
    malformed: bool,
    /// The wait that the server asked for as it failed.
    asked: Option<Duration>,
}

impl<'a, P: Policy> Player<'a, P> {
    /// A run of this policy through the timeline, with its jitter from `seed`. `warning` becomes the first record.
    #[must_use]
    pub fn new(timeline: &'a Timeline, policy: P, warning: Option<ConfigWarning>, seed: u64) -> Self {
        let timeline: &Draft = timeline;
        let options = options(&timeline.client.kind);
        let mut windows: Vec<usize> = (0..timeline.windows.len()).collect();
        windows.sort_by_key(|&index| timeline.windows[index].from);
        let mut player = Self {
            timeline,
            client: Client::new(&timeline.client.kind, policy, warning, options),
            draws: FailureDraws::new(seed, timeline.client.jitter),
            clock: Clock::new(&timeline.clock),
            date: DateClock::new(timeline),
            queue: EventQueue::new(),
            script: Script::new(timeline),
            windows,
            records: VecDeque::new(),
            full: false,
            status: Status::new(Instant::ZERO),
            true_ns: 0,
            events: 0,
            attempts: 0,
            live: Live {
                entry: SUCCEED,
                answerer: Answerer::Tail,
                connected: false,
                silent: false,
                malformed: false,
                asked: None,
            },
            begun: false,
            stopped: false,
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
        player.schedule(0, Pending::Wake);
        if let Some(at) = timeline.stop {
            player.schedule(nanos(at), Pending::Stop);
        }
        player
    }

    /// With the statuses and log lines of a data source as further records.
    #[must_use]
    pub fn full(self) -> Self {
        Self { full: true, ..self }
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
        self.client.policy()
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
            Pending::Wake => self.wake(),
            Pending::Outcome => self.meet_outcome(),
            Pending::StreamEnd { end, answerer, .. } => self.end_stream(end, answerer),
            Pending::ReadTimeout { answerer, .. } => self.fail(Cause::Fault(Fault::Timeout), None, answerer),
            Pending::Cut { window } => {
                if let Some(end) = self.timeline.windows[window].cut {
                    self.end_stream(end, self.window(window));
                }
            }
            Pending::Clock { index } => match self.timeline.clock[index].change {
                ClockChange::Step(by) => self.note(Event::Step(nanos(by))),
                ClockChange::Suspend(length) => self.note(Event::Suspend(nanos(length))),
                ClockChange::WallStep(by) => self.note(Event::WallStep(by)),
            },
            Pending::Stop => {
                self.stopped = true;
                self.client.stop(self.now());
                self.note(Event::Stop);
            }
        }
        self.serve();
    }

    /// Whether nothing comes of the next event: it is about a stream that is gone, or that is not heard any more.
    fn is_moot(&self, next: &Pending) -> bool {
        match *next {
            Pending::StreamEnd { connection, .. } => !self.is_live(connection) || self.live.silent,
            Pending::ReadTimeout { connection, .. } => !self.is_live(connection),
            Pending::Cut { .. } => !self.live.connected,
            Pending::Wake | Pending::Outcome | Pending::Clock { .. } | Pending::Stop => false,
        }
    }

    fn wake(&mut self) {
        let begins = !std::mem::replace(&mut self.begun, true);
        self.client.wake(self.now(), begins);
        if self.shape() == Shape::Call {
            self.start_attempt();
        }
    }

    /// Does what a data source wants, as a server, a store and a listener would.
    fn serve(&mut self) {
        while let Some(wish) = self.client.next_wish() {
            match wish {
                Wish::Attempt => self.start_attempt(),
                Wish::Wait(until) => self.schedule_wake(until),
                Wish::Recorded(Recorded::Success) => self.succeeded(),
                Wish::Recorded(Recorded::Failure { cause, kind, decision }) => {
                    let decision = decision.map_or_else(Decision::GiveUp, Decision::RetryAfter);
                    self.failed(cause, kind, decision);
                }
                Wish::Apply => self.applied(),
                Wish::CheckStore => self.client.store_checked(self.now()),
                Wish::Status(update) => {
                    let changed = self.status.update(update.state, update.error, self.now());
                    if changed && self.full {
                        self.note(Event::Status { state: self.status.state, error: update.error });
                    }
                }
                Wish::Log(record) if self.full => {
                    self.note(Event::Log { level: record.level, message: record.message });
                }
                Wish::Log(_) => {}
                Wish::Stopped => self.finish(if self.stopped { EndReason::Stopped } else { EndReason::GaveUp }),
            }
        }
    }

    fn start_attempt(&mut self) {
        let Some((entry, answerer)) = self.next_entry() else { return };
        self.attempts += 1;
        self.live = Live { entry, answerer, connected: false, silent: false, malformed: false, asked: None };
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

    fn next_entry(&mut self) -> Option<(Entry, Answerer)> {
        // Windows do not overlap, so only the last one that has begun can cover this instant.
        let begun = self.windows.partition_point(|&index| nanos(self.timeline.windows[index].from) <= self.true_ns);
        let last = begun.checked_sub(1).map(|place| self.windows[place]);
        match last.filter(|&index| self.true_ns < nanos(self.timeline.windows[index].until)) {
            Some(index) => Some((self.timeline.windows[index].entry, self.window(index))),
            None => self.script.take(),
        }
    }

    fn window(&self, index: usize) -> Answerer {
        Answerer::Window(index, self.timeline.windows[index].entry.draw)
    }

    fn meet_outcome(&mut self) {
        let Live { entry, answerer, .. } = self.live;
        match entry.outcome {
            Outcome::Up { lasts, .. } => {
                self.connect();
                self.hear(false, answerer);
                if let Some((length, end)) = lasts {
                    self.schedule_stream_end(length, end, answerer);
                }
            }
            Outcome::Idle { lasts, end } => {
                self.connect();
                self.note(Event::Connected);
                self.schedule_stream_end(lasts, end, answerer);
            }
            Outcome::Ok => self.hear(false, answerer),
            Outcome::Malformed => self.hear(true, answerer),
            Outcome::Status { status: 304, .. } if self.shape() == Shape::Polling => self.not_modified(answerer),
            Outcome::Status { status, retry_after } => {
                let asked = retry_after.and_then(|asked| self.date.read(asked, self.true_ns));
                self.fail(Cause::Status(status), asked, answerer);
            }
            Outcome::Fault(fault) => self.fail(Cause::Fault(fault.fault()), None, answerer),
            Outcome::Hang(_) => self.fail(Cause::Fault(Fault::Timeout), None, answerer),
        }
    }

    /// Something comes from the server that has to be parsed.
    fn hear(&mut self, malformed: bool, answerer: Answerer) {
        self.live.malformed = malformed;
        self.live.answerer = answerer;
        match (&mut self.client, malformed) {
            (Client::Calls(_), true) => self.fail(Cause::Fault(Fault::Malformed), None, answerer),
            (Client::Calls(calls), false) => {
                let now = self.clock.at(self.true_ns);
                calls.succeed(now);
                self.succeeded();
                self.schedule_wake(now + self.policy().next_delay());
            }
            (client, _) => client.hear(self.clock.at(self.true_ns)),
        }
    }

    fn not_modified(&mut self, answerer: Answerer) {
        self.live.answerer = answerer;
        let now = self.now();
        let draws = &mut self.draws;
        self.client.not_modified(now, || draws.draw(answerer));
    }

    fn applied(&mut self) {
        let Live { entry, malformed, answerer, .. } = self.live;
        let result = match entry.outcome {
            _ if malformed => Err(Rejected::NotJson(String::new())),
            Outcome::Up { first: FirstMessage::Patch, .. } => Ok(Applied::Upsert),
            _ => Ok(Applied::Put { flags: 0, segments: 0 }),
        };
        let now = self.now();
        let draws = &mut self.draws;
        self.client.applied(result, now, || draws.draw(answerer));
    }

    fn fail(&mut self, cause: Cause, retry_after: Option<Duration>, answerer: Answerer) {
        self.live.asked = retry_after;
        let now = self.now();
        let draws = &mut self.draws;
        if let Client::Calls(calls) = &mut self.client {
            let (kind, decision) = calls.fail(cause, retry_after, now, draws.draw(answerer));
            self.failed(cause, kind, decision);
            // After a call that gave up the next entry starts the next call at once, with the same budgets.
            self.schedule_wake(now + decision.delay().unwrap_or_default());
        } else {
            self.client.ended(cause, retry_after, now, || draws.draw(answerer));
        }
    }

    fn schedule_stream_end(&mut self, length: Duration, end: End, answerer: Answerer) {
        let connection = self.attempts;
        let at = self.true_ns.saturating_add(nanos(length));
        self.schedule(at, Pending::StreamEnd { connection, end, answerer });
    }

    /// The live stream ends: at once, or for a timeout when no byte has come for long enough.
    fn end_stream(&mut self, end: End, answerer: Answerer) {
        match end {
            End::Malformed => self.hear(true, answerer),
            End::Timeout => {
                if !self.live.silent {
                    self.live.silent = true;
                    self.note(Event::Silent);
                    let due = self.now() + READ_TIMEOUT;
                    self.set_timer(due, Pending::ReadTimeout { connection: self.attempts, answerer });
                }
            }
            End::Close | End::Reset | End::Tls => self.fail(Cause::Fault(end.fault()), None, answerer),
        }
    }

    fn connect(&mut self) {
        self.live.connected = true;
        let now = self.now();
        self.client.connected(now);
    }

    fn succeeded(&mut self) {
        let event = match self.live.entry.outcome {
            Outcome::Up { first: FirstMessage::Patch, .. } => Event::Patch,
            Outcome::Up { .. } | Outcome::Idle { .. } => Event::Message,
            Outcome::Status { .. } => Event::NotModified,
            _ => Event::Ok,
        };
        let wait_ns = Some(nanos(self.policy().next_delay()));
        self.records.push_back(Record { wait_ns, ..self.record(event, 0) });
    }

    fn failed(&mut self, cause: Cause, kind: FailureKind, decision: Decision) {
        self.live.connected = false;
        let event = match decision {
            Decision::RetryAfter(_) => Event::Failure { cause, kind },
            Decision::GiveUp(why) => Event::GaveUp { cause, kind, why },
        };
        let asked_ns = self.live.asked.map(nanos);
        let (wait_ns, draw) = (decision.delay().map(nanos), self.draws.last());
        self.records.push_back(Record { wait_ns, draw: Some(draw), asked_ns, ..self.record(event, draw) });
    }

    /// The client goes on then, unless there is nothing left for it to meet.
    fn schedule_wake(&mut self, due: Instant) {
        if !self.script.is_over() {
            self.set_timer(due, Pending::Wake);
        }
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
        let place = self.policy().explain(draw);
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
            draw: None,
            asked_ns: None,
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
