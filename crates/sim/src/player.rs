//! Plays a timeline: the client meets a server that responds as the file says, in virtual time.

mod date;
mod draws;
mod script;

use core::cell::Cell;
use core::time::Duration;

use retrylab_core::{ConfigWarning, Instant, Policy, nanos};
use retrylab_spec::{CallSpecError, ClockChange, Draft, End, Entry, Outcome, Shape, Timeline};

use self::date::DateClock;
use self::draws::{Answerer, FailureDraws};
use self::script::{SUCCEED, Script};
use crate::client::{BuiltIn, NoBuiltIn, Refused, build};
use crate::clock::{Clock, Delivery};
use crate::queue::EventQueue;
use crate::record::{EndReason, Event, Record, Sink};
use crate::step::{Action, At, Client, Occurrence, Setup};

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

thread_local! {
    static BEGUN: Cell<u64> = const { Cell::new(0) };
}

/// The number of runs that began on this thread, for tests that count them.
#[must_use]
pub fn runs_begun() -> u64 {
    BEGUN.get()
}

/// A run in progress: an iterator over its records, as one full stream. It needs no more memory for a year than for a minute.
///
/// The client takes each [step](Client::step) as it does anywhere; the player is the server, the network and the clock around
/// it.
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
    /// The records that are ready, of which so many were handed out.
    ready: Vec<Record>,
    taken: usize,
    true_ns: u64,
    events: u64,
    /// The entry of the present attempt, and its progress.
    live: Live<'a>,
    begun: bool,
    stopped: bool,
    /// No event after this happens: `until`, or the limit of true time.
    ends_ns: u64,
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
struct Live<'a> {
    entry: &'a Entry,
    answerer: Answerer,
    /// Whether a stream is connected now.
    connected: bool,
    /// Whether its bytes have stopped, so that its own end does not reach the client any more.
    silent: bool,
}

impl<'a, P: Policy> Player<'a, P> {
    /// A run of this policy through the timeline, with its jitter from `seed`. `warning` becomes the first record.
    #[must_use]
    pub fn new(timeline: &'a Timeline, policy: P, warning: Option<ConfigWarning>, seed: u64) -> Self {
        BEGUN.set(BEGUN.get() + 1);
        let timeline: &Draft = timeline;
        let mut windows: Vec<usize> = (0..timeline.windows.len()).collect();
        windows.sort_by_key(|&index| timeline.windows[index].from);
        let mut player = Self {
            timeline,
            client: Client::new(policy, Setup::of(&timeline.client.kind), warning),
            draws: FailureDraws::new(seed, timeline.client.jitter),
            clock: Clock::new(&timeline.clock),
            date: DateClock::new(timeline),
            queue: EventQueue::new(),
            script: Script::new(timeline),
            windows,
            ready: Vec::new(),
            taken: 0,
            true_ns: 0,
            events: 0,
            live: Live { entry: &SUCCEED, answerer: Answerer::Tail, connected: false, silent: false },
            begun: false,
            stopped: false,
            ends_ns: nanos(timeline.until.unwrap_or(Duration::MAX).min(timeline.limits.time)),
            last_expected_ns: timeline
                .expect
                .as_ref()
                .map_or(0, |expect| expect.at.iter().map(|expected| nanos(expected.at)).max().unwrap_or(0)),
            over: false,
        };
        if let Some(warning) = warning {
            player.note_ready(Event::Warning(warning));
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

    /// The client's calls are refused before their first attempt.
    fn refuse(&mut self) {
        self.queue = EventQueue::new();
        self.over = true;
        self.note_ready(Event::Refused);
        self.note_ready(Event::End(EndReason::Finished));
    }

    /// The policy as it stands.
    #[must_use]
    pub const fn policy(&self) -> &P {
        self.client.policy()
    }

    /// The first decided wait that was not the delay that the policy had stored then, with that delay.
    pub(crate) const fn two_answers(&self) -> Option<(Duration, Duration)> {
        self.client.two_answers()
    }

    /// Hands out the records that come next, those of one event. Returns whether there are any; there are none once the run is
    /// over.
    #[inline]
    pub(crate) fn pass(&mut self, out: &mut impl Sink) -> bool {
        if self.taken < self.ready.len() {
            for &record in &self.ready[self.taken..] {
                out.put(record);
            }
            self.taken = self.ready.len();
            return true;
        }
        if self.over {
            return false;
        }
        self.advance(out);
        true
    }

    /// The records that come next and are not taken yet; none once the run is over.
    fn ready(&mut self) -> &[Record] {
        while self.taken == self.ready.len() && !self.over {
            let mut ready = std::mem::take(&mut self.ready);
            ready.clear();
            self.taken = 0;
            self.advance(&mut ready);
            self.ready = ready;
        }
        &self.ready[self.taken..]
    }

    /// Handles the next event, or ends the run.
    #[inline]
    fn advance(&mut self, out: &mut impl Sink) {
        while self.queue.peek().is_some_and(|pending| self.is_moot(pending)) {
            self.queue.pop();
        }
        let Some(at) = self.queue.next_at() else {
            self.true_ns = self.true_ns.max(self.last_expected_ns);
            return self.finish(EndReason::Finished, out);
        };
        if at > self.ends_ns {
            let (end, reason) = match self.timeline.until {
                Some(until) if at > nanos(until) => (until, EndReason::Until),
                _ => (self.timeline.limits.time, EndReason::TimeLimit),
            };
            self.true_ns = nanos(end);
            return self.finish(reason, out);
        }
        if self.events >= self.timeline.limits.events {
            return self.finish(EndReason::EventLimit, out);
        }
        self.events += 1;
        self.true_ns = at;
        if let Some((_, pending)) = self.queue.pop() {
            self.handle(pending, out);
        }
    }

    #[inline]
    fn handle(&mut self, pending: Pending, out: &mut impl Sink) {
        match pending {
            Pending::Wake => {
                let begins = !std::mem::replace(&mut self.begun, true);
                self.step(if begins { Occurrence::Start } else { Occurrence::Timer }, Answerer::Tail, out);
            }
            Pending::Outcome => self.meet_outcome(out),
            Pending::StreamEnd { end, answerer, .. } => self.end_stream(end, answerer, out),
            Pending::ReadTimeout { answerer, .. } => self.end(End::Timeout, answerer, out),
            Pending::Cut { window } => {
                if let Some(end) = self.timeline.windows[window].cut {
                    self.end_stream(end, self.window(window), out);
                }
            }
            Pending::Clock { index } => match self.timeline.clock[index].change {
                ClockChange::Step(by) => self.note(Event::Step(nanos(by)), out),
                ClockChange::Suspend(length) => self.note(Event::Suspend(nanos(length)), out),
                ClockChange::WallStep(by) => self.note(Event::WallStep(by), out),
            },
            Pending::Stop => {
                self.stopped = true;
                self.step(Occurrence::Stop, Answerer::Tail, out);
            }
        }
    }

    /// Whether the next event has no effect: its stream is gone, or the bytes of its stream have stopped.
    #[inline]
    fn is_moot(&self, next: &Pending) -> bool {
        match *next {
            Pending::StreamEnd { connection, .. } => !self.is_live(connection) || self.live.silent,
            Pending::ReadTimeout { connection, .. } => !self.is_live(connection),
            Pending::Cut { .. } => !self.live.connected,
            Pending::Wake | Pending::Outcome | Pending::Clock { .. } | Pending::Stop => false,
        }
    }

    /// The client takes a step, and the player carries out its action. An attempt without latency has its outcome at once.
    #[inline]
    fn step(&mut self, occurrence: Occurrence, answerer: Answerer, out: &mut impl Sink) {
        let at = self.at();
        let draws = &mut self.draws;
        match self.client.step(occurrence, at, || draws.draw(answerer), out) {
            Action::Nothing => {}
            Action::Attempt => self.start_attempt(out),
            Action::Wait(until) => self.schedule_wake(until),
            Action::Stopped => self.finish(if self.stopped { EndReason::Stopped } else { EndReason::GaveUp }, out),
        }
    }

    #[inline]
    fn start_attempt(&mut self, out: &mut impl Sink) {
        let Some((entry, answerer)) = self.next_entry() else { return };
        self.client.begin_attempt();
        self.live = Live { entry, answerer, connected: false, silent: false };
        let after = match entry.outcome {
            Outcome::Hang(length) => length,
            _ => entry.latency,
        };
        if after.is_zero() {
            self.meet_outcome(out);
        } else {
            self.schedule(self.true_ns.saturating_add(nanos(after)), Pending::Outcome);
        }
    }

    #[inline]
    fn next_entry(&mut self) -> Option<(&'a Entry, Answerer)> {
        if self.windows.is_empty() {
            return self.script.take();
        }
        // Windows do not overlap, so only the last one that has begun can cover this instant.
        let begun = self.windows.partition_point(|&index| nanos(self.timeline.windows[index].from) <= self.true_ns);
        let last = begun.checked_sub(1).map(|place| self.windows[place]);
        match last.filter(|&index| self.true_ns < nanos(self.timeline.windows[index].until)) {
            Some(index) => Some((&self.timeline.windows[index].entry, self.window(index))),
            None => self.script.take(),
        }
    }

    fn window(&self, index: usize) -> Answerer {
        Answerer::Window(index, self.timeline.windows[index].entry.draw)
    }

    #[inline]
    fn meet_outcome(&mut self, out: &mut impl Sink) {
        let Live { entry, answerer, .. } = self.live;
        match entry.outcome {
            Outcome::Up { lasts, first } => {
                self.connect(false, out);
                self.settle(Occurrence::Message(first), answerer, out);
                if let Some((length, end)) = lasts {
                    self.schedule_stream_end(length, end, answerer);
                }
            }
            Outcome::Idle { lasts, end } => {
                self.connect(true, out);
                self.schedule_stream_end(lasts, end, answerer);
            }
            outcome => {
                let (date, now) = (&self.date, self.true_ns);
                let occurrence = Occurrence::of(&outcome, self.shape(), |wait| date.read(wait, now));
                self.settle(occurrence, answerer, out);
            }
        }
    }

    /// A step at which no attempt is begun.
    #[inline]
    fn settle(&mut self, occurrence: Occurrence, answerer: Answerer, out: &mut impl Sink) {
        let at = self.at();
        let draws = &mut self.draws;
        match self.client.step(occurrence, at, || draws.draw(answerer), out) {
            Action::Nothing | Action::Attempt => {}
            Action::Wait(until) => self.schedule_wake(until),
            Action::Stopped => self.finish(if self.stopped { EndReason::Stopped } else { EndReason::GaveUp }, out),
        }
    }

    fn schedule_stream_end(&mut self, length: Duration, end: End, answerer: Answerer) {
        let connection = self.client.attempt();
        let at = self.true_ns.saturating_add(nanos(length));
        self.schedule(at, Pending::StreamEnd { connection, end, answerer });
    }

    /// The live stream ends: at once, or for a timeout when no byte has come for long enough.
    fn end_stream(&mut self, end: End, answerer: Answerer, out: &mut impl Sink) {
        match end {
            End::Timeout => {
                if !self.live.silent {
                    self.live.silent = true;
                    self.note(Event::Silent, out);
                    let due = self.clock.at(self.true_ns) + READ_TIMEOUT;
                    self.set_timer(due, Pending::ReadTimeout { connection: self.client.attempt(), answerer });
                }
            }
            End::Close | End::Reset | End::Tls | End::Malformed => self.end(end, answerer, out),
        }
    }

    /// The client notices the end of its stream.
    #[inline]
    fn end(&mut self, end: End, answerer: Answerer, out: &mut impl Sink) {
        self.live.connected = false;
        self.settle(Occurrence::end(end), answerer, out);
    }

    fn connect(&mut self, silent: bool, out: &mut impl Sink) {
        self.live.connected = true;
        let answerer = self.live.answerer;
        self.settle(Occurrence::Connected { silent }, answerer, out);
    }

    /// The client goes on then, unless no entry is left.
    #[inline]
    fn schedule_wake(&mut self, due: Instant) {
        if !self.script.is_over() {
            self.set_timer(due, Pending::Wake);
        }
    }

    /// Schedules an event outside of the client, which notices it unless it is suspended.
    fn schedule(&mut self, true_ns: u64, pending: Pending) {
        let Delivery { at, nominal } = self.clock.delivery(true_ns);
        self.queue.schedule_displaced(at, nominal, pending);
    }

    #[inline]
    fn set_timer(&mut self, due: Instant, pending: Pending) {
        let Delivery { at, nominal } = self.clock.timer(self.true_ns, due);
        self.queue.schedule_displaced(at, nominal, pending);
    }

    fn note(&mut self, event: Event, out: &mut impl Sink) {
        let at = self.at();
        self.client.note(event, at, out);
    }

    fn note_ready(&mut self, event: Event) {
        let at = self.at();
        self.client.note(event, at, &mut self.ready);
    }

    fn finish(&mut self, reason: EndReason, out: &mut impl Sink) {
        self.over = true;
        self.note(Event::End(reason), out);
    }

    #[inline]
    fn at(&self) -> At {
        At { time_ns: self.true_ns, clock: self.clock.at(self.true_ns) }
    }

    #[inline]
    const fn is_live(&self, connection: u64) -> bool {
        self.live.connected && self.client.attempt() == connection
    }

    const fn shape(&self) -> Shape {
        self.timeline.client.kind.shape()
    }
}

impl<P: Policy> Iterator for Player<'_, P> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let record = self.ready().first().copied()?;
        self.taken += 1;
        Some(record)
    }

    fn fold<B, F: FnMut(B, Record) -> B>(mut self, init: B, mut add: F) -> B {
        let mut sum = init;
        loop {
            let ready = self.ready();
            let records = ready.len();
            if records == 0 {
                return sum;
            }
            for record in ready {
                sum = add(sum, *record);
            }
            self.taken += records;
        }
    }

    /// Hands out each record as it is made, so that no list of them is written and read.
    fn for_each<F: FnMut(Record)>(mut self, read: F) {
        let mut each = Each(read);
        while self.pass(&mut each) {}
    }
}

struct Each<F>(F);

impl<F: FnMut(Record)> Sink for Each<F> {
    #[inline]
    fn put(&mut self, record: Record) {
        (self.0)(record);
    }
}
